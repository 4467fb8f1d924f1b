import type { Table } from 'drizzle-orm'
import { dependentsOf, type History } from '../../model/history.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import type { Database } from '../connection/database.ts'
import type { RawRow } from '../connection/driver.ts'
import { inTransaction } from '../connection/session.ts'
import { ownProjection } from '../projection.ts'
import { decodedKeys } from '../row-order.ts'
import { columnName, tableName, whereClause } from '../select.ts'
import { Bound } from '../sql-value.ts'
import { readByKeys, readByValues } from './guard.ts'
import { historyKey, recordHistory } from './record-history.ts'
import type { DeletePlan, DeleteWherePlan, WriteResult } from './write.ts'

/** Keys of deleted records that are asked at once for rows that refer to them. */
const BATCH = 5_000

/** Rows by the keys in their history. */
type Rows = Map<string, RawRow>

/**
 * Deletes rows, and records the history of the rows that the database deletes or changes with them by a foreign key.
 * These rows are read before the deletion and looked for after it.
 */
export function deleteWithDependents(
  database: Database,
  plan: DeletePlan | DeleteWherePlan,
  remove: () => Promise<WriteResult>,
): Promise<WriteResult> {
  return inTransaction(database, async () => {
    const { table } = plan.model
    const found = new Map<History, Rows>()
    await collect(database, table, await keysOf(database, plan), found)
    const result = await remove()
    for (const [history, rows] of found) {
      // These have their entries. SQLite does not return a row that a foreign key has deleted before its turn.
      if (history.model.table === table) for (const key of result.keys) rows.delete(historyKey(key))
      await recordLost(database, history, rows)
    }
    return result
  })
}

async function keysOf(database: Database, plan: DeletePlan | DeleteWherePlan): Promise<readonly unknown[]> {
  if ('rows' in plan) return plan.rows.map(({ key }) => key)
  const model = plan.model as ModelInfo
  const bound = new Bound(database.dialect)
  const where = whereClause(plan.where(bound))
  const text = `select ${columnName(model, model.primaryKey)} from ${tableName(model)}${where}`
  const statement = database.statement(text, () => text)
  return decodedKeys(database, model, (await database.run(statement, bound.values)).rows, 0)
}

/** The rows that refer to records, and those that refer to these, and so on. */
async function collect(
  database: Database,
  table: Table,
  keys: readonly unknown[],
  found: Map<History, Rows>,
): Promise<void> {
  for (const { history, column } of dependentsOf(table)) {
    const { model } = history
    const own = ownProjection(model)
    const known: Rows = found.get(history) ?? new Map()
    const added: unknown[] = []
    for (let from = 0; from < keys.length; from += BATCH) {
      const rows = await readByValues(database, own, column, keys.slice(from, from + BATCH), 'update')
      const ofRows = decodedKeys(database, model, rows, own.columns.indexOf(model.primaryKey))
      for (const [at, row] of rows.entries()) {
        const key = historyKey(ofRows[at])
        if (known.has(key)) continue
        known.set(key, row)
        added.push(ofRows[at])
      }
    }
    if (known.size > 0) found.set(history, known)
    if (added.length > 0) await collect(database, model.table, added, found)
  }
}

async function recordLost(database: Database, history: History, rows: Rows): Promise<void> {
  const { model } = history
  const own = ownProjection(model)
  const at = own.columns.indexOf(model.primaryKey)
  const before = [...rows.values()]
  const left = await readByKeys(database, own, decodedKeys(database, model, before, at))
  const stored = new Map(decodedKeys(database, model, left, at).map((key, index) => [historyKey(key), left[index]]))
  const deleted: RawRow[] = []
  const changed: { readonly before: RawRow; readonly after: RawRow }[] = []
  for (const [key, row] of rows) {
    const after = stored.get(key)
    if (after) changed.push({ before: row, after })
    else deleted.push(row)
  }
  await recordHistory(database, history, 'delete', { before: deleted, after: [] })
  const both = { before: changed.map(({ before }) => before), after: changed.map(({ after }) => after) }
  await recordHistory(database, history, 'update', both)
}
