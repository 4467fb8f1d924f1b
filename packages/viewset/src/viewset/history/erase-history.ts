import { inArray } from 'drizzle-orm'
import type { Model } from '../../model/kit.ts'
import { modelInfo } from '../../model/model-info.ts'
import { currentDb, transaction } from '../../store/connection/transaction.ts'
import { historyKey } from '../../store/write/record-history.ts'
import { requireHistory } from './entries.ts'

/**
 * Empties the entries of some records, if the law asks for it: their values, their reason and their job. That there was
 * a change stays, with its time and its user. What is erased cannot be reverted or undone.
 *
 * @param ids the identifiers of the records, which may be deleted
 * @throws ConfigError for a model without a history
 * @example
 * await eraseHistory(customers, [customer.id])
 */
export async function eraseHistory(model: Model, ids: readonly unknown[]): Promise<void> {
  const { table } = requireHistory('eraseHistory', modelInfo(model))
  const nothing = { before: null, after: null, reason: null, job: null, rows: null }
  await transaction(async () => {
    await currentDb()
      .update(table)
      .set(nothing)
      .where(inArray(table.record, ids.map(historyKey)))
  })
}
