import { kindValue } from '../../model/column-kind.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { ownProjection } from '../../store/projection.ts'
import { keyIn, keyText } from '../../store/row-order.ts'
import { decodeRow } from '../../store/row-set.ts'
import type { Values } from '../../store/write/write.ts'
import type { ChangeAction, ImportChange, ImportDiff } from '../diff.ts'
import { fillsField, type ImportColumn, type ImportLookup } from '../plan/plan.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { ColumnSight } from '../read/model-reader.ts'
import type { SheetModel } from '../read/sheet-layout.ts'
import { isEqual } from './comparable.ts'
import { shownLists } from './shown-lists.ts'
import { type LinkedKeys, linkedKeys } from './stored-records.ts'
import type { WriteContext } from './write-context.ts'

export const LISTED_ROWS = 100

export const NO_DIFF: ImportDiff = { rows: [], totals: { create: 0, update: 0, delete: 0, unchanged: 0 } }

/** A change with its row. A row counts by its last model. */
export interface RowChange {
  readonly row: ImportRow
  readonly isLast: boolean
  readonly change: ImportChange
}

export function diffWith(diff: ImportDiff, changes: readonly RowChange[]): ImportDiff {
  const totals = { ...diff.totals }
  for (const { isLast, change } of changes) if (isLast) totals[change.action]++
  const changing = [...Map.groupBy(changes, ({ row }) => row)]
    .filter(([, ofRow]) => ofRow.some(({ change }) => change.action !== 'unchanged'))
    .sort(([a], [b]) => a.number - b.number)
    .slice(0, Math.max(0, LISTED_ROWS - countRows(diff.rows)))
  return {
    ...diff,
    totals,
    rows: [...diff.rows, ...changing.flatMap(([, ofRow]) => ofRow.map(({ change }) => change))],
  }
}

/** A diff with further rows that change nothing. */
export function withUnchanged(diff: ImportDiff, rows: number): ImportDiff {
  return { ...diff, totals: { ...diff.totals, unchanged: diff.totals.unchanged + rows } }
}

function countRows(rows: readonly ImportChange[]): number {
  return rows.filter(({ row }, at) => row !== rows[at - 1]?.row).length
}

export function changeOf(
  { shown, secret }: ColumnSight,
  before: Snapshot | undefined,
  after: Snapshot | undefined,
): Pick<ImportChange, 'action' | 'changes'> {
  const columns = [...(after ?? before ?? new Map()).keys()]
  const differing = new Set(columns.filter(column => !isEqual(before?.get(column) ?? null, after?.get(column) ?? null)))
  const listed = shown.filter(column => differing.has(column))
  const changes = Object.fromEntries(
    listed.map(column => [column.header, [before?.get(column) ?? null, after?.get(column) ?? null] as const]),
  )
  return { action: actionOf(before, after, differing.size > 0 || secret.size > 0), changes }
}

function actionOf(before: Snapshot | undefined, after: Snapshot | undefined, differs: boolean): ChangeAction {
  if (!before) return 'create'
  if (!after) return 'delete'
  return differs ? 'update' : 'unchanged'
}

export type Snapshot = ReadonlyMap<ImportColumn, unknown>

/** A record as a report shows it, and as it is stored. */
export interface SeenRecord {
  readonly shown: Snapshot
  readonly values: Values
}

/** Records as reports show them, by the texts of their keys. */
export async function snapshots(
  context: Pick<WriteContext, 'all' | 'lookups'>,
  reader: Pick<SheetModel['reader'], 'plan'>,
  keys: readonly unknown[],
): Promise<ReadonlyMap<string, Snapshot>> {
  return new Map([...(await seenRecords(context, reader, keys))].map(([key, { shown }]) => [key, shown]))
}

export async function seenRecords(
  { all, lookups }: Pick<WriteContext, 'all' | 'lookups'>,
  { plan }: Pick<SheetModel['reader'], 'plan'>,
  keys: readonly unknown[],
): Promise<ReadonlyMap<string, SeenRecord>> {
  const { model } = plan
  const set = all(plan)
  const rows = await set.withKeys(ownProjection(model), keys)
  const records = rows.map(row => decodeRow(set.database.dialect, model, row))
  const linked = await linkedKeys(set.database, plan, records)
  const seen = records.map(record => ({ shown: new Map<ImportColumn, unknown>(), values: record }))
  for (const column of plan.columns) {
    if (!fillsField(column)) continue
    const { lookup, list } = column
    if (list) {
      const lists = await shownLists(set.database, plan, list, rows)
      for (const [at, { shown }] of seen.entries()) shown.set(column, lists[at])
      continue
    }
    const held = records.map(record => heldKeys(column, record, linked))
    const names = lookup ? await lookups.namesOf(lookup, held.flat()) : undefined
    for (const [at, record] of records.entries()) {
      const value =
        names && lookup
          ? namedBy(column, lookup, names, held[at] ?? [])
          : jsonValue(column.column, record[column.column.key])
      seen[at]?.shown.set(column, value)
    }
  }
  return new Map(seen.map(record => [keyText(model, keyIn(model, record.values)), record]))
}

function heldKeys({ column, lookup, links }: ImportColumn, record: Values, linked: LinkedKeys): readonly unknown[] {
  if (links) return linked.get(links.relation)?.get(String(record[links.relation.ownerKey.key])) ?? []
  const key = record[column.key]
  return lookup && key !== null && key !== undefined ? [key] : []
}

/** A record out of scope has no value. */
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
