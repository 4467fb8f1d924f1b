import { inArray, type SQL } from 'drizzle-orm'
import { childHistoriesOf, type History } from '../../model/history.ts'
import type { Model } from '../../model/kit.ts'
import { modelInfo } from '../../model/model-info.ts'
import { currentDb, transaction } from '../../store/connection/transaction.ts'
import { historyKey } from '../../store/write/record-history.ts'
import { requireHistory } from './entries.ts'

const NOTHING = { before: null, after: null, reason: null, job: null, rows: null }

/**
 * Empties the entries of some records and of their children, if the law asks for it: their values, their reason and
 * their job. That there was a change stays, with its time and its user. What is erased cannot be reverted or undone.
 *
 * @param ids the identifiers of the records, which may be deleted
 * @throws ConfigError for a model without a history
 * @example
 * await eraseHistory(customers, [customer.id])
 */
export async function eraseHistory(model: Model, ids: readonly unknown[]): Promise<void> {
  const history = requireHistory('eraseHistory', modelInfo(model))
  await transaction(() => erase(history, ids.map(historyKey), 'record', new Set()))
}

async function erase(
  { model, table }: History,
  keys: readonly string[],
  by: 'record' | 'parent',
  seen: ReadonlySet<string>,
): Promise<void> {
  if (keys.length === 0) return
  const which: SQL = inArray(table[by], [...keys])
  const found = by === 'record' ? keys : await recordsIn(table, which)
  await currentDb().update(table).set(NOTHING).where(which)
  // A tree of records of one model has an end, but a wrong history may have a circle.
  const fresh = found.filter(key => !seen.has(`${model.name} ${key}`))
  const known = new Set([...seen, ...fresh.map(key => `${model.name} ${key}`)])
  for (const child of childHistoriesOf(model.table)) await erase(child, fresh, 'parent', known)
}

async function recordsIn(table: History['table'], which: SQL): Promise<readonly string[]> {
  const rows = await currentDb().selectDistinct({ record: table.record }).from(table).where(which)
  return rows.map(({ record }) => record)
}
