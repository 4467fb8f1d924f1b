import { ApiError } from '../core/errors.ts'
import type { ModelInfo, Unique } from '../model/model-info.ts'
import type { Database } from './database.ts'
import { type Parted, part, touches } from './part.ts'
import { ownProjection } from './projection.ts'
import { QuerySet } from './queryset.ts'
import { updateRows } from './update-rows.ts'
import type { RowUpdate, Values } from './write.ts'

/** A row that holds something else in a column until it is written. */
interface Loan extends Parted {
  readonly before: unknown
}

/** What is to be written to a row, and its fields as they are. */
interface PlannedUpdate extends RowUpdate {
  readonly record: Values
}

/**
 * Lets rows part with the unique values that others of `updates` take, for who then writes them one by one, in whatever
 * order. To be called in the transaction of that; a look at each constraint that the updates touch, however many they are.
 * Returns which rows hold something else for the time being, for {@link giveBack}.
 */
export async function makeRoom(
  database: Database,
  model: ModelInfo,
  updates: readonly PlannedUpdate[],
): Promise<readonly Loan[]> {
  if (updates.length < 2) return []
  const loans: Loan[] = []
  const byKey = new Map(updates.map(update => [update.key, update]))
  const changes = updates.map(update => ({ ...update, values: changedValues(update) }))
  for (const unique of [...model.uniques, ...model.otherUniques]) {
    const holders = await holdersOf(database, model, changes, unique)
    if (holders.length === 0) continue
    try {
      const parted = await database.transaction(() => part(database, model, holders, unique.columns))
      for (const parting of parted) {
        const { values, record } = byKey.get(parting.key) as PlannedUpdate
        const { key } = parting.column
        // What is to be null in the end is not to be given back.
        if (!isSame(values[key], parting.held)) loans.push({ ...parting, before: record[key] })
      }
    } catch (error) {
      // A check or a foreign key lets the rows hold nothing else: the writes will say so, at their record.
      if (!(error instanceof ApiError)) throw error
    }
  }
  return loans
}

/** Gives rows their values back that nobody has written after all, such as those that a hook leaves out. */
export async function giveBack(database: Database, model: ModelInfo, loans: readonly Loan[]): Promise<void> {
  if (loans.length === 0) return
  const rows = await new QuerySet(database, model).withKeys(
    ownProjection(model),
    loans.map(({ key }) => key),
  )
  const keyAt = model.columns.indexOf(model.primaryKey)
  const byKey = new Map(rows.map(row => [String(row[keyAt]), row]))
  const unwritten = loans.filter(({ key, column, held }) => {
    const raw = byKey.get(String(key))?.[model.columns.indexOf(column)]
    const now = raw === null || raw === undefined ? null : database.dialect.decoder(column)(raw)
    return isSame(now, held)
  })
  const updates = unwritten.map(({ key, column, before }) => ({ key, values: { [column.key]: before ?? null } }))
  for (const update of updates) await updateRows(database, { kind: 'update', model, rows: [update], fill: false }, [])
}

/** Without what a record has already: that is not written again, so nothing may be put in its place. */
function changedValues({ values, record }: PlannedUpdate): Values {
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => value !== record[key]))
}

/** The updates of rows that have what another update takes, and that are to have something else. */
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
    return tuple.every(isStorable) ? [{ key: String(key), tuple }] : []
  })
  const tuples = claims.map(({ tuple }) => tuple)
  const matches = await new QuerySet(database, model).matches(columns, tuples, ignoreCase)
  const others = matches.filter(({ position, key }) => String(key) !== claims[position]?.key)
  const held = new Set(others.map(({ key }) => String(key)))
  return touching.filter(({ key }) => held.has(String(key)))
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a !== null && b !== null && String(a) === String(b))
}

/** In SQL nulls are never the same, and what is yet to be created is nobody's. */
function isStorable(value: unknown): boolean {
  return value !== null && value !== undefined && (typeof value !== 'object' || value instanceof Date)
}
