import type { Model } from '../model/kit.ts'
import { modelInfo } from '../model/model-info.ts'
import { requireSession } from '../store/connection/transaction.ts'
import { executeWrite } from '../store/write/execute-write.ts'

/**
 * Inserts many records with one statement, in the current transaction if there is one; returns their number. Defaults
 * and audit fields are filled; no record is read back (Django's `bulk_create`).
 *
 * @example
 * await database.transaction(() => insertMany(countries, [{ code: 'NA', name: 'Namibia' }]))
 */
export async function insertMany<M extends Model>(model: M, records: readonly M['$inferInsert'][]): Promise<number> {
  const plan = { kind: 'insert', model: modelInfo(model), rows: records } as const
  return (await executeWrite(requireSession().database, plan)).changes
}
