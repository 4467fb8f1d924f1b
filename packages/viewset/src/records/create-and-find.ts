import type { SQL } from 'drizzle-orm'
import type { Model } from '../model/kit.ts'
import { modelInfo } from '../model/model-info.ts'
import { checkDialect } from '../store/connection/database.ts'
import { requireSession } from '../store/connection/transaction.ts'
import { ownProjection } from '../store/projection.ts'
import { QuerySet } from '../store/queryset.ts'
import { executeWrite } from '../store/write/execute-write.ts'
import { type ModelRecord, recordOf } from './record.ts'
import { createRecordIn } from './write-records.ts'

/**
 * The records of a model that meet `condition`, in the order of their primary keys. Without a condition, all records.
 *
 * @example
 * for (const visit of await findRecords(visits, eq(visits.city, city.id))) await visit.softDelete()
 */
export async function findRecords<M extends Model>(model: M, condition?: SQL): Promise<ModelRecord<M>[]> {
  const info = modelInfo(model)
  const { database } = requireSession()
  checkDialect(database, info)
  const queryset = new QuerySet(database, info).filter(condition).orderBy([{ by: info.primaryKey, descending: false }])
  const rows = await queryset.rows(ownProjection(info))
  return rows.map(row => recordOf<M>(database, info, row))
}

/**
 * Stores a new record, as an action does: defaults and audit fields are filled, signals are sent.
 *
 * @example
 * const visit = await createRecord(visits, { city: city.id, rating: 5, visitedOn: '2026-01-15' })
 */
export function createRecord<M extends Model>(model: M, values: M['$inferInsert']): Promise<ModelRecord<M>> {
  return createRecordIn(requireSession().database, modelInfo(model), values)
}

/**
 * Inserts many records with one statement and returns their number (Django's `bulk_create`). Joins the current
 * transaction. Defaults and audit fields are filled. No record is read back.
 *
 * @example
 * await database.transaction(() => insertMany(countries, [{ code: 'NA', name: 'Namibia' }]))
 */
export async function insertMany<M extends Model>(model: M, records: readonly M['$inferInsert'][]): Promise<number> {
  const plan = { kind: 'insert', model: modelInfo(model), rows: records } as const
  return (await executeWrite(requireSession().database, plan)).changes
}
