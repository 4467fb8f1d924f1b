import { Conflict, type FieldErrors } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { Dialect } from '../../model/dialect/dialect.ts'
import { quoteName } from '../../model/drizzle.ts'
import type { TableInfo } from '../../model/model-info.ts'
import type { Result, Statement } from '../connection/driver.ts'
import { tableName, whereClause } from '../select.ts'

const WANTED = quoteName('_wanted')

interface AskedDatabase {
  readonly dialect: Pick<Dialect, 'restrictingKeys'>
  run(statement: Statement, values: readonly unknown[]): Promise<Result>
}

/** The rows that a statement should have deleted. */
export interface UndeletedRows {
  readonly model: TableInfo
  readonly where: () => string | undefined
  readonly values: readonly unknown[]
}

/**
 * A delete that foreign keys prevent. A failed PostgreSQL transaction runs no further statement, so the referring
 * tables are looked up after the transaction or savepoint is undone.
 */
export class RestrictedDelete extends Conflict {
  readonly #database: AskedDatabase
  readonly #rows: UndeletedRows

  constructor(errors: FieldErrors, database: AskedDatabase, rows: UndeletedRows, cause: unknown) {
    super(errors, undefined, cause)
    this.#database = database
    this.#rows = rows
  }

  /**
   * The same error with the names of the referring tables. Without counts, because the user may not see all of these
   * records.
   */
  async explained(): Promise<Conflict> {
    // The error itself matters more than its explanation.
    const tables = await referringTables(this.#database, this.#rows).catch(() => [])
    if (tables.length === 0) return this
    const sentence = message('restricted.by', { resources: tables })
    const errors = Object.fromEntries(Object.keys(this.fieldErrors ?? {}).map(field => [field, [sentence]]))
    return new Conflict(errors, undefined, this.cause)
  }
}

export async function explainedBehind(thrown: unknown): Promise<unknown> {
  return thrown instanceof RestrictedDelete ? thrown.explained() : thrown
}

async function referringTables(
  database: AskedDatabase,
  { model, where, values }: UndeletedRows,
): Promise<readonly string[]> {
  const { rows: keys } = await database.run({ text: database.dialect.restrictingKeys(model) }, [])
  const names = new Set<string>()
  for (const [table, name, column, target] of keys.map(key => key.map(String) as [string, string, string, string])) {
    const key = quoteName(model.primaryKey?.name ?? target)
    const wanted = `select ${quoteName(target)} as target, ${key} as own from ${tableName(model)}${whereClause(where())}`
    const refers = `${quoteName(column)} in (select target from ${WANTED})`
    // Rows deleted together may refer to each other.
    const remains = name === model.name ? ` and ${key} not in (select own from ${WANTED})` : ''
    const text = `with ${WANTED} as (${wanted}) select 1 from ${table} where ${refers}${remains} limit 1`
    if ((await database.run({ text }, values)).rows.length > 0) names.add(name)
  }
  return [...names]
}
