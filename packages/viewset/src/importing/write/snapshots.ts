import { kindValue } from '../../model/column-kind.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { ownProjection } from '../../store/projection.ts'
import { decodeRow } from '../../store/row-set.ts'
import type { Values } from '../../store/write/write.ts'
import type { ImportColumn, ImportLookup } from '../plan/plan.ts'
import type { SheetModel } from '../read/sheet-layout.ts'
import { type LinkedKeys, linkedKeys } from './linked-keys.ts'
import type { WriteContext } from './write-context.ts'

export type Snapshot = ReadonlyMap<ImportColumn, unknown>

export async function snapshots(
  { all, lookups }: Pick<WriteContext, 'all' | 'lookups'>,
  { plan }: Pick<SheetModel['reader'], 'plan'>,
  keys: readonly unknown[],
): Promise<ReadonlyMap<string, Snapshot>> {
  const { model } = plan
  const set = all(plan)
  const rows = await set.withKeys(ownProjection(model), keys)
  const records = rows.map(row => decodeRow(set.database.dialect, model, row))
  const linked = await linkedKeys(set.database, plan, records)
  const taken = new Map(records.map(record => [String(record[model.primaryKey.key]), new Map<ImportColumn, unknown>()]))
  for (const column of plan.columns) {
    if (column.deletes) continue
    const { lookup } = column
    const held = records.map(record => heldKeys(column, record, linked))
    const names = lookup ? await lookups.namesOf(lookup, held.flat()) : undefined
    for (const [at, record] of records.entries()) {
      const value =
        names && lookup
          ? namedBy(column, lookup, names, held[at] ?? [])
          : jsonValue(column.column, record[column.column.key])
      taken.get(String(record[model.primaryKey.key]))?.set(column, value)
    }
  }
  return taken
}

function heldKeys({ column, lookup, links }: ImportColumn, record: Values, linked: LinkedKeys): readonly unknown[] {
  if (links) return linked.get(links.relation)?.get(String(record[links.relation.ownerKey.key])) ?? []
  const key = record[column.key]
  return lookup && key !== null && key !== undefined ? [key] : []
}

/** The looked-up values of the records that a foreign key or links refer to. A record out of scope has none. */
function namedBy(
  { links }: ImportColumn,
  { by }: ImportLookup,
  names: ReadonlyMap<string, unknown>,
  keys: readonly unknown[],
): unknown {
  const named = keys.map(key => jsonValue(by, names.get(String(key)) ?? null))
  return links ? named.sort((a, b) => String(a).localeCompare(String(b))) : (named[0] ?? null)
}

function jsonValue(column: ColumnInfo, held: unknown): unknown {
  const value = held === null || held === undefined ? null : kindValue(column, held)
  if (typeof value !== 'bigint') return value
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
}
