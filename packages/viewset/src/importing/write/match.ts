import { sql } from 'drizzle-orm'
import type { ColumnInfo } from '../../model/model-info.ts'
import type { RowLock } from '../../store/dialect/dialect.ts'
import { keyProjection } from '../../store/projection.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { UniquePlan } from '../plan/plan.ts'
import type { Unit } from './units.ts'

/** The primary keys of the stored records that a unit has the unique fields of. */
export type StoredKeys = ReadonlyMap<Unit, readonly unknown[]>

/**
 * Finds the records of `rows` that units are about. NULL matches NULL: units are taken together by which of their
 * values are null, so that each statement is a plain join on the others, which an index serves. With `lock`, what is
 * found still has these values, and is still in the set, when it is written.
 */
export async function matchUnits(
  rows: QuerySet,
  unique: UniquePlan,
  units: readonly Unit[],
  lock?: RowLock,
): Promise<StoredKeys> {
  const found = new Map<Unit, unknown[]>()
  // What is left to a default is not known before it is written, so nothing stored can have it.
  const asked = units.filter(({ values }) => unique.columns.every(({ key }) => values[key] !== undefined))
  const isNull = ({ values }: Unit, { key }: ColumnInfo) => values[key] === null
  const groups = Map.groupBy(asked, unit => unique.columns.map(column => (isNull(unit, column) ? '0' : '1')).join(''))
  for (const [pattern, group] of groups) {
    const given = unique.columns.filter((_, index) => pattern[index] === '1')
    const empty = unique.columns.filter((_, index) => pattern[index] === '0')
    const narrowed = empty.reduce((set, { column }) => set.filter(sql`${column} is null`), rows)
    for (const [unit, key] of await pairs(narrowed, given, unique.ignoreCase, group, lock)) {
      const keys = found.get(unit)
      if (keys) keys.push(key)
      else found.set(unit, [key])
    }
  }
  return found
}

async function pairs(
  rows: QuerySet,
  columns: readonly ColumnInfo[],
  ignoreCase: boolean,
  units: readonly Unit[],
  lock: RowLock | undefined,
): Promise<(readonly [Unit, unknown])[]> {
  const { model, database } = rows
  if (columns.length === 0) {
    // Nothing but nulls: all such units are one, and it matters only whether there is more than one record.
    const stored = await rows.rows(keyProjection(model), { limit: 2, offset: 0 })
    const decode = database.dialect.decoder(model.primaryKey)
    return units.flatMap(unit => stored.map(([key]) => [unit, decode(key)] as const))
  }
  const tuples = units.map(({ values }) => columns.map(({ key }) => values[key]))
  const matches = await rows.matches(columns, tuples, ignoreCase, model.primaryKey, lock)
  return matches.map(({ position, key }) => [units[position] as Unit, key] as const)
}
