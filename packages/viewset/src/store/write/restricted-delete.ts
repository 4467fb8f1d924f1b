import { Conflict, type FieldErrors } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { Dialect } from '../../model/dialect/dialect.ts'
import { quoteName } from '../../model/drizzle.ts'
import type { TableInfo } from '../../model/model-info.ts'
import type { Result, Statement } from '../connection/driver.ts'
import { tableName, whereClause } from '../select.ts'

const WANTED = quoteName('_wanted')

interface AskedDatabase {
  readonly dialect: Pick<Dialect, 'restrictingKeys' | 'kindDecoder'>
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
    super(errors, undefined, { cause })
    this.#database = database
    this.#rows = rows
  }

  /**
   * The same error with the names of the referring tables, and with the keys of the records that cannot be deleted.
   * The user may not see the referring records, so they are not counted.
   */
  async explained(): Promise<Conflict> {
    // The error itself matters more than its explanation.
    const { tables, keys, isSeveral } = await references(this.#database, this.#rows).catch(() => NONE)
    if (tables.length === 0) return this
    const more = Math.max(0, keys.length - MOST_KEYS)
    const sentence = isSeveral
      ? message('restricted.records', { resources: tables, keys: keys.slice(0, MOST_KEYS), more })
      : message('restricted.by', { resources: tables })
    const errors = Object.fromEntries(Object.keys(this.fieldErrors ?? {}).map(field => [field, [sentence]]))
    return new Conflict(errors, undefined, { cause: this.cause })
  }
}

export async function explainedBehind(thrown: unknown): Promise<unknown> {
  return thrown instanceof RestrictedDelete ? thrown.explained() : thrown
}

interface References {
  readonly tables: readonly string[]
  /** Keys of the records that other records refer to. */
  readonly keys: readonly string[]
  /** Whether the statement deletes several records. */
  readonly isSeveral: boolean
}

const NONE: References = { tables: [], keys: [], isSeveral: false }
const MOST_KEYS = 10
const MOST_COUNTED = 1_000

async function references(database: AskedDatabase, { model, where, values }: UndeletedRows): Promise<References> {
  const { rows: restricting } = await database.run({ text: database.dialect.restrictingKeys(model) }, [])
  const [names, keys] = [new Set<string>(), new Set<string>()]
  let isSeveral = false
  for (const [table, name, column, target] of restricting.map(
    key => key.map(String) as [string, string, string, string],
  )) {
    const key = quoteName(model.primaryKey?.name ?? target)
    const wanted = `select ${quoteName(target)} as target, ${key} as own from ${tableName(model)}${whereClause(where())}`
    // Rows deleted together may refer to each other.
    const remains = name === model.name ? ` and r.${key} not in (select own from ${WANTED})` : ''
    const referring = `select 1 from ${table} r where r.${quoteName(column)} = w.target${remains}`
    const count = `(select count(*) from ${WANTED})`
    const text = `with ${WANTED} as (${wanted}) select w.own, ${count} from ${WANTED} w where exists (${referring}) order by 1 limit ${MOST_COUNTED}`
    const { rows } = await database.run({ text }, values)
    for (const [own, all] of rows) {
      names.add(name)
      keys.add(String(model.primaryKey ? database.dialect.kindDecoder(model.primaryKey)(own) : own))
      isSeveral ||= Number(all) > 1
    }
  }
  return { tables: [...names], keys: [...keys], isSeveral }
}
