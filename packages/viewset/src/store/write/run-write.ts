import { quoteName } from '../../model/drizzle.ts'
import { type ColumnInfo, type ModelInfo, type TableInfo, tableInfo } from '../../model/model-info.ts'
import type { Database } from '../connection/database.ts'
import type { Result, Statement } from '../connection/driver.ts'
import { isInTransaction, readsOf } from '../connection/session.ts'
import { apiErrorOf, forgottenValue } from '../faults.ts'
import { valueSet } from '../row-set.ts'
import { columnName, tableName } from '../select.ts'
import { RestrictedDelete } from './restricted-delete.ts'
import type { Automatic, Values } from './write.ts'

/** Decides which message a refused statement gets. */
interface Written {
  readonly rows?: readonly Values[]
  /** Default: the automatic values of new rows. */
  readonly automatic?: Automatic
  readonly deleting?: () => string | undefined
}

/** Runs a write of `rows` and converts database errors to {@link ApiError}s with the model's fields. */
export async function runWrite(
  database: Database,
  model: TableInfo,
  statement: Statement,
  values: readonly unknown[],
  { deleting, rows = [], automatic = 'createValue' }: Written = {},
): Promise<Result> {
  try {
    readsOf(database)?.leave()
    return await database.run(statement, values)
  } catch (error) {
    const fault = database.dialect.fault(error)
    // The transaction needs the original error for a retry.
    if (!fault || fault.kind === 'retry') throw error
    const forgotten = automatic === 'createValue' ? forgottenValue(fault, model, rows, error) : undefined
    if (forgotten) throw forgotten
    // SQLite has one error for a missing parent and a referenced row. The statement shows which it is.
    const kind = deleting && fault.kind === 'foreignKey' ? 'restricted' : fault.kind
    if (kind === 'restricted' && deleting) {
      const { errors = {} } = apiErrorOf({ ...fault, kind }, model, error, rows)
      const refused = new RestrictedDelete(errors, database, { model, values, where: deleting }, error)
      throw isInTransaction(database) ? refused : await refused.explained()
    }
    if (kind !== 'foreignKey' || fault.columns) throw apiErrorOf({ ...fault, kind }, model, error, rows)
    // In a failed transaction, the lookup is impossible.
    const missing = await missingParent(database, model, rows, automatic).catch(() => undefined)
    throw apiErrorOf({ ...fault, ...(missing && { columns: [missing.name] }) }, model, error, rows)
  }
}

const WANTED = quoteName('_wanted')

/**
 * The first foreign key with a missing target, for a database that does not name it. `automatic` says which values the
 * write set automatically.
 */
async function missingParent(
  database: Database,
  table: TableInfo,
  rows: readonly Values[],
  automatic: Automatic,
): Promise<ColumnInfo | undefined> {
  for (const column of table.columns) {
    const keys = new Set(rows.map(row => (row[column.key] === undefined ? column[automatic]?.() : row[column.key])))
    if (await leadsNowhere(database, table, column, [...keys].filter(isKey))) return column
  }
  return undefined
}

async function leadsNowhere(
  database: Database,
  table: TableInfo,
  column: ColumnInfo,
  keys: readonly unknown[],
): Promise<boolean> {
  const { references } = column
  // References between rows of the statement cannot be checked, because nothing was stored.
  if (!references || references.target === table.table || keys.length === 0) return false
  const { dialect } = database
  const parent = tableInfo(references.target)
  const statement = database.statement(`missing ${table.id} ${column.name}`, () => {
    const equal = `${columnName(parent, references.column)} = ${WANTED}.${quoteName(column.name)}`
    const found = `exists (select 1 from ${tableName(parent)} where ${equal})`
    return `select 1 from (${dialect.selectRowSet([column], 1)}) as ${WANTED} where not ${found} limit 1`
  })
  return (await database.run(statement, valueSet(dialect, column, keys))).rows.length > 0
}

function isKey(value: unknown): boolean {
  return value !== null && value !== undefined && typeof value !== 'object'
}

export async function lockTable(database: Database, model: ModelInfo): Promise<void> {
  const text = database.dialect.lockTable(tableName(model))
  if (text !== null) await runWrite(database, model, { text }, [])
}
