import { sql } from 'drizzle-orm'
import type { RowLock } from '../../model/dialect/dialect.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { keyProjection } from '../../store/projection.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { UniquePlan } from '../plan/plan.ts'
import type { ImportRecord } from './import-record.ts'

export type StoredKeys = ReadonlyMap<ImportRecord, readonly unknown[]>

/**
 * NULL matches NULL: records are grouped by their null columns, so each statement is a plain join, which an index
 * serves. With `lock`, the matches hold until they are written.
 */
export async function matchRecords(
  rows: QuerySet,
  unique: UniquePlan,
  records: readonly ImportRecord[],
  lock?: RowLock,
): Promise<StoredKeys> {
  const among = rows.filter(unique.where)
  const found = new Map<ImportRecord, unknown[]>()
  // A value that is left to a default is not known yet, so no stored record can match it.
  const asked = records.filter(({ values }) => unique.columns.every(({ key }) => values[key] !== undefined))
  const groups = Map.groupBy(asked, ({ values }) => {
    let pattern = ''
    for (const { key } of unique.columns) pattern += values[key] === null ? '0' : '1'
    return pattern
  })
  for (const [pattern, group] of groups) {
    const given = unique.columns.filter((_, index) => pattern[index] === '1')
    const empty = unique.columns.filter((_, index) => pattern[index] === '0')
    const narrowed = empty.reduce((set, { column }) => set.filter(sql`${column} is null`), among)
    for (const [record, key] of await pairs(narrowed, given, unique.ignoreCase, group, lock)) {
      const keys = found.get(record)
      if (keys) keys.push(key)
      else found.set(record, [key])
    }
  }
  return found
}

async function pairs(
  rows: QuerySet,
  columns: readonly ColumnInfo[],
  ignoreCase: boolean,
  records: readonly ImportRecord[],
  lock: RowLock | undefined,
): Promise<(readonly [ImportRecord, unknown])[]> {
  const { model, database } = rows
  if (columns.length === 0) {
    // All values are null, so these rows mean one record. It matters only whether one is stored, or several.
    const stored = await rows.rows(keyProjection(model), { limit: 2, offset: 0 })
    const decode = database.dialect.decoder(model.primaryKey)
    return records.flatMap(record => stored.map(([key]) => [record, decode(key)] as const))
  }
  const tuples = records.map(({ values }) => columns.map(({ key }) => values[key]))
  const matches = await rows.matches(columns, tuples, ignoreCase, model.primaryKey, lock)
  return matches.map(({ position, key }) => [records[position] as ImportRecord, key] as const)
}
