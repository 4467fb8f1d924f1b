import { Conflict, errorsByField, errorsUnder, type FieldErrors, NON_FIELD_ERRORS } from '../../core/errors.ts'
import { type Message, message } from '../../core/messages/message.ts'
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

/** Paths in a request, by the texts of keys. */
type Places = ReadonlyMap<string, string>

/**
 * A delete that foreign keys prevent. A failed PostgreSQL transaction runs no further statement, so the referring
 * tables are looked up after the transaction or savepoint is undone.
 */
export class RestrictedDelete extends Conflict {
  readonly #database: AskedDatabase
  readonly #rows: UndeletedRows
  readonly #places: Places | undefined

  constructor(errors: FieldErrors, database: AskedDatabase, rows: UndeletedRows, cause: unknown, places?: Places) {
    super(errors, undefined, { cause })
    this.#database = database
    this.#rows = rows
    this.#places = places
  }

  /** The same error of records that lists of the request leave out. `places` has the path of each record's list. */
  leftOutOf(places: Places): RestrictedDelete {
    const [path = NON_FIELD_ERRORS, ...others] = new Set(places.values())
    // Only the explanation says which list it is.
    const field = others.length === 0 ? path : NON_FIELD_ERRORS
    const errors = { [field]: Object.values(this.fieldErrors ?? {}).flat() }
    return new RestrictedDelete(errors, this.#database, this.#rows, this.cause, places)
  }

  override under(path: string): RestrictedDelete {
    const places = this.#places && new Map([...this.#places].map(([key, place]) => [key, `${path}.${place}`]))
    const errors = errorsUnder(path, this.fieldErrors ?? {})
    return new RestrictedDelete(errors, this.#database, this.#rows, this.cause, places)
  }

  /**
   * The same error with the names of the referring tables, and with the keys of the records that cannot be deleted.
   * The user may not see the referring records, so they are not counted.
   */
  async explained(): Promise<Conflict> {
    // The error itself matters more than its explanation.
    const { tables, keys, isSeveral } = await references(this.#database, this.#rows).catch(() => NONE)
    if (tables.length === 0) return this
    const places = this.#places
    if (places) {
      const byPlace = Map.groupBy(keys, key => places.get(key) ?? NON_FIELD_ERRORS)
      const errors = [...byPlace].map(([place, some]) => [place, [sentenceOf(tables, some)]] as const)
      return new Conflict(errorsByField(errors), undefined, { cause: this.cause })
    }
    const sentence = isSeveral ? sentenceOf(tables, keys) : message('restricted.by', { resources: tables })
    const errors = Object.fromEntries(Object.keys(this.fieldErrors ?? {}).map(field => [field, [sentence]]))
    return new Conflict(errors, undefined, { cause: this.cause })
  }
}

function sentenceOf(resources: readonly string[], keys: readonly string[]): Message {
  const more = Math.max(0, keys.length - MOST_KEYS)
  return message('restricted.records', { resources, keys: keys.slice(0, MOST_KEYS), more })
}

/** Deletes records that lists of a request leave out. `places` has the path of each record's list, by its key. */
export async function deleteLeftOut<T>(places: Places, remove: () => Promise<T>): Promise<T> {
  try {
    return await remove()
  } catch (error) {
    throw error instanceof RestrictedDelete ? error.leftOutOf(places) : error
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
