import { ApiError } from '../../core/errors.ts'
import type { ModelInfo, Unique } from '../../model/model-info.ts'
import type { Database } from '../connection/database.ts'
import { ownProjection } from '../projection.ts'
import { QuerySet } from '../queryset.ts'
import { keyPlace, keyText, storedKeyTexts } from '../row-order.ts'
import { type ParkedRow, parkValues, touches } from './exchange-uniques.ts'
import { updateRows } from './update-rows.ts'
import type { RowUpdate, Values } from './write.ts'

interface BorrowedValue extends ParkedRow {
  readonly before: unknown
}

interface PlannedUpdate extends RowUpdate {
  readonly record: Values
}

/**
 * Parks the unique values that other rows of `updates` take, so that the updates can be written one by one in any
 * order. Call it in the transaction of these writes. It reads once for each constraint. Returns the parked rows, for
 * {@link restoreParked}.
 */
export async function parkTakenValues(
  database: Database,
  model: ModelInfo,
  updates: readonly PlannedUpdate[],
): Promise<readonly BorrowedValue[]> {
  if (updates.length < 2) return []
  const borrowed: BorrowedValue[] = []
  const byKey = new Map(updates.map(update => [update.key, update]))
  const changes = updates.map(update => ({ ...update, values: changedValues(update) }))
  for (const unique of [...model.uniques, ...model.otherUniques]) {
    const holders = await holdersOf(database, model, changes, unique)
    if (holders.length === 0) continue
    try {
      const parked = await database.transaction(() => parkValues(database, model, holders, unique.columns))
      for (const row of parked) {
        const { values, record } = byKey.get(row.key) as PlannedUpdate
        const { key } = row.column
        // If the new value is null, nothing is to be restored.
        if (!isSame(values[key], row.held)) borrowed.push({ ...row, before: record[key] })
      }
    } catch (error) {
      // A check or a foreign key allows no other value in these rows. Each write reports it for its record.
      if (!(error instanceof ApiError)) throw error
    }
  }
  return borrowed
}

/** Restores the values of rows that were not written, for example if a hook left the field out. */
export async function restoreParked(
  database: Database,
  model: ModelInfo,
  borrowed: readonly BorrowedValue[],
): Promise<void> {
  if (borrowed.length === 0) return
  const rows = await new QuerySet(database, model).withKeys(
    ownProjection(model),
    borrowed.map(({ key }) => key),
  )
  const texts = storedKeyTexts(database, model, rows, keyPlace(model, model.columns))
  const byKey = new Map(rows.map((row, index) => [texts[index], row]))
  const unwritten = borrowed.filter(({ key, column, held }) => {
    const raw = byKey.get(keyText(model, key))?.[model.columns.indexOf(column)]
    const now = raw === null || raw === undefined ? null : database.dialect.decoder(column)(raw)
    return isSame(now, held)
  })
  const updates = unwritten.map(({ key, column, before }) => ({ key, values: { [column.key]: before ?? null } }))
  for (const update of updates) await updateRows(database, { kind: 'update', model, rows: [update], fill: false }, [])
}

/** The values that differ from the stored ones. Unchanged values must not be parked. */
function changedValues({ values, record }: PlannedUpdate): Values {
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => value !== record[key]))
}

async function holdersOf(
  database: Database,
  model: ModelInfo,
  updates: readonly PlannedUpdate[],
  unique: Unique,
): Promise<readonly PlannedUpdate[]> {
  const { columns, ignoreCase } = unique
  const touching = updates.filter(update => touches(update, unique))
  const claims = touching.flatMap(({ key, values, record }) => {
    const tuple = columns.map(column => (values[column.key] === undefined ? record[column.key] : values[column.key]))
    return tuple.every(isStorable) ? [{ key: keyText(model, key), tuple }] : []
  })
  const tuples = claims.map(({ tuple }) => tuple)
  const matches = await new QuerySet(database, model).matches(columns, tuples, ignoreCase)
  const others = matches.filter(({ position, key }) => keyText(model, key) !== claims[position]?.key)
  const held = new Set(others.map(({ key }) => keyText(model, key)))
  return touching.filter(({ key }) => held.has(keyText(model, key)))
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a !== null && b !== null && String(a) === String(b))
}

/** In SQL, nulls are never equal. A record that is not created yet has no value. */
function isStorable(value: unknown): boolean {
  return value !== null && value !== undefined && (typeof value !== 'object' || value instanceof Date)
}
