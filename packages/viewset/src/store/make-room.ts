import { ApiError } from '../core/errors.ts'
import type { ModelInfo, Unique } from '../model/model-info.ts'
import type { Database } from './database.ts'
import { part, touches } from './part.ts'
import { QuerySet } from './queryset.ts'
import type { Values } from './write.ts'
import type { RowUpdate } from './write-many.ts'

/** What is to be written to a row, and its fields as they are. */
interface PlannedUpdate extends RowUpdate {
  readonly record: Values
}

/**
 * Lets rows part with the unique values that others of `updates` take, for who then writes them one by one, in whatever
 * order. To be called in the transaction of that; a look at each constraint that the updates touch, however many they are.
 */
export async function makeRoom(database: Database, model: ModelInfo, updates: readonly PlannedUpdate[]): Promise<void> {
  if (updates.length < 2) return
  const changes = updates.map(update => ({ ...update, values: changedValues(update) }))
  for (const unique of [...model.uniques, ...model.otherUniques]) {
    const holders = await holdersOf(database, model, changes, unique)
    if (holders.length === 0) continue
    try {
      await database.transaction(() => part(database, model, holders, unique.columns))
    } catch (error) {
      // A check or a foreign key lets the rows hold nothing else: the writes will say so, at their record.
      if (!(error instanceof ApiError)) throw error
    }
  }
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

/** In SQL nulls are never the same, and what is yet to be created is nobody's. */
function isStorable(value: unknown): boolean {
  return value !== null && value !== undefined && (typeof value !== 'object' || value instanceof Date)
}
