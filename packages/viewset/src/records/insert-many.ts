import type { Model } from '../model/kit.ts'
import { modelInfo } from '../model/model-info.ts'
import { requireSession } from '../store/connection/transaction.ts'
import { executeWrite } from '../store/write/execute-write.ts'

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
