import type { ModelInfo, TableInfo } from '../../model/model-info.ts'
import { childrenOf, type Nesting, nestingsOf } from '../../model/nestings.ts'
import type { Database } from '../connection/database.ts'
import { movedRows } from '../connection/session.ts'
import { columnName, tableName, whereClause } from '../select.ts'
import { Bound } from '../sql-value.ts'

// A write of a child locks its parents. All requests lock tables in one order, and rows of a table in the order of their
// keys. So two requests wait for each other and cannot deadlock.

/** A condition on rows of a table. */
type Condition = (bound: Bound) => string

/** Rows to lock. */
export interface Lockable {
  readonly model: ModelInfo
  readonly condition: Condition
  /** Whether they are locked even if the transaction has locked others of the table. */
  readonly again?: boolean
}

/**
 * Locks what has to be locked before some rows: their parents, and other parents of their children whose tables come
 * earlier.
 */
export async function lockParents(database: Database, model: ModelInfo, condition: Condition): Promise<void> {
  if (!locksRows(database, model)) return
  await lockAll(database, [...ancestors({ model, condition }), ...aroundChildren({ model, condition }, model)])
}

/** Locks rows and their parents. */
export async function lockWithParents(database: Database, rows: readonly Lockable[]): Promise<void> {
  if (rows.some(({ model }) => locksRows(database, model))) {
    await lockAll(
      database,
      rows.flatMap(each => [each, ...ancestors(each)]),
    )
  }
}

export function isParentOf({ parent, column, ownerKey }: Nesting, child: TableInfo, where?: string): string {
  const owners = `select ${columnName(child, column)} from ${tableName(child)}${whereClause(where)}`
  return `${columnName(parent, ownerKey)} in (${owners})`
}

function locksRows({ dialect }: Database, { name }: ModelInfo): boolean {
  return dialect.lockRows('update', name) !== ''
}

/** The parents of rows, and theirs. A tree of records has no end, so no table is listed above itself. */
function ancestors({ model, condition, again = false }: Lockable, below: readonly ModelInfo[] = [model]): Lockable[] {
  return nestingsOf(model.table).flatMap(nesting => {
    const { parent } = nesting
    if (below.includes(parent)) return []
    const above = { model: parent, condition: (bound: Bound) => isParentOf(nesting, model, condition(bound)), again }
    return [above, ...ancestors(above, [...below, parent])]
  })
}

/** Other parents of the children of rows, at any depth, whose tables come before that of the rows. */
function aroundChildren(
  { model, condition }: Lockable,
  root: ModelInfo,
  seen: readonly ModelInfo[] = [root],
): Lockable[] {
  return childrenOf(model.table).flatMap(({ child, column, ownerKey }) => {
    if (seen.includes(child)) return []
    const children = {
      model: child,
      condition: (bound: Bound) => {
        const owners = `select ${columnName(model, ownerKey)} from ${tableName(model)}${whereClause(condition(bound))}`
        return `${columnName(child, column)} in (${owners})`
      },
    }
    const within = [...seen, child]
    const others = ancestors(children, within).filter(other => rankOf(other.model) < rankOf(root))
    return [...others, ...aroundChildren(children, root, within)]
  })
}

/** The place of a table in the order of all locks, the same in all processes: parents come before their children. */
function rankOf({ table, schema = '', name }: ModelInfo): string {
  return `${String(depthOf(table)).padStart(4, '0')} ${schema}.${name}`
}

function depthOf(table: ModelInfo['table'], below: readonly ModelInfo['table'][] = []): number {
  if (below.includes(table)) return 0
  const above = nestingsOf(table).filter(({ parent }) => parent.table !== table)
  return Math.max(0, ...above.map(({ parent }) => 1 + depthOf(parent.table, [...below, table])))
}

async function lockAll(database: Database, rows: readonly Lockable[]): Promise<void> {
  const byTable = Map.groupBy(rows, ({ model }) => model)
  const tables = [...byTable].map(([model, found]) => ({ model, found, rank: rankOf(model) }))
  for (const { model, found } of tables.sort((a, b) => (a.rank < b.rank ? -1 : 1))) await lock(database, model, found)
}

/** Usually once in a transaction for each table. */
async function lock(database: Database, model: ModelInfo, found: readonly Lockable[]): Promise<void> {
  const moved = movedRows(database)
  if (!moved || (moved.isLocked(model.table) && !found.some(({ again }) => again))) return
  const bound = new Bound(database.dialect)
  const order = model.key.map(part => columnName(model, part)).join(', ')
  const where = found.map(({ condition }) => condition(bound)).join(' or ')
  const end = database.dialect.lockRows('update', model.name)
  const text = `select 1 from ${tableName(model)} where ${where} order by ${order}${end}`
  const statement = database.statement(text, () => text)
  await database.run(statement, bound.values)
  moved.noteLocked(model.table)
}
