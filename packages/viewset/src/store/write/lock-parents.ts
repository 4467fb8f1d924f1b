import type { ModelInfo, TableInfo } from '../../model/model-info.ts'
import { type Nesting, nestingsOf } from '../../model/nestings.ts'
import type { Database } from '../connection/database.ts'
import { movedRows } from '../connection/session.ts'
import { columnName, tableName, whereClause } from '../select.ts'
import { Bound } from '../sql-value.ts'

/** A condition on rows of a table. */
type Condition = (bound: Bound) => string

/**
 * Locks the parents of the rows that meet a condition, before these rows are locked or written. A request that writes a
 * parent with its list locks them in the same order, so the two wait for each other and cannot deadlock.
 */
export function lockParents(database: Database, model: ModelInfo, condition: Condition): Promise<void> {
  return lockAbove(database, model, condition, { below: [model] })
}

export interface LockOptions {
  /** The tables whose parents are locked. A tree of records has no end, so a table is not locked again above itself. */
  readonly below?: readonly ModelInfo[]
  /** Whether rows are locked even if the transaction has locked others of the table. */
  readonly again?: boolean
}

/** Locks rows in the order of their keys, and before them their parents. Usually once in a transaction for each table. */
export async function lockInOrder(
  database: Database,
  model: ModelInfo,
  condition: Condition,
  { below = [], again = false }: LockOptions = {},
): Promise<void> {
  const lock = database.dialect.lockRows('update', model.name)
  const moved = movedRows(database)
  if (lock === '' || !moved || (!again && moved.isLocked(model.table))) return
  await lockAbove(database, model, condition, { below: [...below, model], again })
  const bound = new Bound(database.dialect)
  const order = model.key.map(part => columnName(model, part)).join(', ')
  const text = `select 1 from ${tableName(model)} where ${condition(bound)} order by ${order}${lock}`
  const statement = database.statement(text, () => text)
  await database.run(statement, bound.values)
  moved.noteLocked(model.table)
}

async function lockAbove(
  database: Database,
  model: ModelInfo,
  condition: Condition,
  options: LockOptions,
): Promise<void> {
  for (const nesting of nestingsOf(model.table)) {
    if (options.below?.includes(nesting.parent)) continue
    await lockInOrder(database, nesting.parent, bound => isParentOf(nesting, model, condition(bound)), options)
  }
}

export function isParentOf({ parent, column, ownerKey }: Nesting, child: TableInfo, where?: string): string {
  const owners = `select ${columnName(child, column)} from ${tableName(child)}${whereClause(where)}`
  return `${columnName(parent, ownerKey)} in (${owners})`
}
