import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { RowLock } from '../model/dialect/dialect.ts'
import { keepsHistory } from '../model/history.ts'
import type { Model } from '../model/kit.ts'
import { type ColumnInfo, type ModelInfo, modelInfo } from '../model/model-info.ts'
import { isNesting } from '../model/nestings.ts'
import { checkDialect, type Database } from './connection/database.ts'
import type { PrepareBatch, RawRow } from './connection/driver.ts'
import { movedRows, readsAsAll } from './connection/session.ts'
import { findMatches, type Match } from './find-matches.ts'
import { keyProjection, type Projection } from './projection.ts'
import { renderProjection } from './render-projection.ts'
import { encodedKey, keyPlace, keyText, requireKeys, storedKeyTexts } from './row-order.ts'
import { columnName, compileSelect, type RowWindow, tableName, tupleOf, whereClause } from './select.ts'
import {
  type KeysetSlice,
  type Ordering,
  orderKey,
  selectRows,
  sliceStatements,
  withTotalOrder,
} from './select-rows.ts'
import { withBigints } from './sql-parts.ts'
import type { Bound } from './sql-value.ts'
import { executeWrite } from './write/execute-write.ts'
import { lockParents } from './write/lock-parents.ts'
import { noteLocked } from './write/record-history.ts'

/**
 * An unread set of a model's rows, with conditions and an ordering. Every action of a resource reads and writes through
 * the queryset of `getQueryset`. Immutable, like Django's QuerySet.
 *
 * @example
 * const active = queryset.filter(eq(articles.isActive, true))
 */
export class QuerySet {
  readonly database: Database
  readonly model: ModelInfo
  readonly ordering: readonly Ordering[]
  readonly #condition: SQL | undefined

  /** @internal Use {@link QuerySet.of}. */
  constructor(database: Database, model: ModelInfo, condition?: SQL, ordering: readonly Ordering[] = []) {
    this.database = database
    this.model = model
    this.ordering = ordering
    this.#condition = condition
  }

  /**
   * All rows of a model, ordered by primary key.
   *
   * @example
   * const active = QuerySet.of(database, articles).filter(eq(articles.isActive, true))
   */
  static of(database: Database, model: Model): QuerySet {
    const info = modelInfo(model)
    checkDialect(database, info)
    return new QuerySet(database, info).inTotalOrder()
  }

  /** The rows that also meet `condition`; `undefined` means no condition. */
  filter(condition: SQL | undefined): QuerySet {
    if (condition === undefined) return this
    // AND binds tighter than an OR in the condition.
    return new QuerySet(this.database, this.model, and(this.#condition, sql`(${condition})`), this.ordering)
  }

  /** The same rows in another order. */
  orderBy(ordering: readonly Ordering[]): QuerySet {
    return new QuerySet(this.database, this.model, this.#condition, ordering)
  }

  /** The same rows in a total order: the primary key is the last term. */
  inTotalOrder(): QuerySet {
    const ordering = withTotalOrder(this.model, this.ordering)
    return ordering === this.ordering ? this : this.orderBy(ordering)
  }

  /** Whether it contains all rows of the model. */
  get isUnconditional(): boolean {
    return this.#condition === undefined
  }

  /** The number of rows. Outside of transactions, they are counted again only after a commit. */
  count(): Promise<number> {
    return this.#count('count', where => `select count(*) from ${tableName(this.model)}${where}`)
  }

  /** The number of rows if that is at most `limit`, or else an estimate above `limit`. */
  async countTo(limit: number): Promise<number> {
    const { dialect } = this.database
    const counted = await this.#count(`count ${limit}`, where => dialect.countTo(this.model, where, limit))
    return counted > limit ? Math.max(counted, (await this.estimate()) ?? 0) : counted
  }

  /** The planner's estimate of the number of rows; `null` if the database has none. */
  async estimate(): Promise<number | null> {
    const { estimate } = this.database.dialect
    if (!estimate) return null
    const select = `select 1 from ${tableName(this.model)}`
    return estimate.read(await this.#ask('estimate', where => estimate.explain(select + where)))
  }

  async #count(what: string, compile: (where: string) => string): Promise<number> {
    const { database, model } = this
    const read = async () => Number(await this.#ask(what, compile))
    if (!database.keptCounts || !readsAsAll(database)) return read()
    return database.keptCounts.count({
      name: `${what} ${model.id}`,
      table: tableName(model),
      condition: offset => this.condition(offset),
      select: condition => compile(whereClause(condition)),
      read,
    })
  }

  async #ask(what: string, compile: (where: string) => string): Promise<unknown> {
    const { text, values } = this.condition()
    const { database, model } = this
    const statement = database.statement(`${what} ${model.id} ${text ?? ''}`, () => compile(whereClause(text)))
    return (await database.run(statement, values)).rows[0]?.[0]
  }

  /** @internal Equal for sets of the same rows in any order: the model, the conditions and their values. */
  get key(): string {
    const { text, values } = this.condition()
    return `${tableName(this.model)} ${text ?? ''} ${JSON.stringify(values, withBigints)}`
  }

  /** @internal Equal for sets of a model in the same order, with any rows. */
  get orderKey(): string {
    return orderKey(this)
  }

  /** @internal Reads the rows, or a part of them, in the set's order. */
  async rows(projection: Projection, window?: RowWindow): Promise<readonly RawRow[]> {
    const { statement, values } = selectRows(this, projection, window)
    return (await this.database.run(statement, values)).rows
  }

  /** @internal Reads a slice of the rows, the nearest to its position first. Each row ends with its position. */
  async slice(projection: Projection, slice: KeysetSlice): Promise<readonly RawRow[]> {
    const rows: RawRow[] = []
    for (const piece of sliceStatements(this, projection, slice)) {
      const { statement, values } = piece(slice.limit - rows.length)
      rows.push(...(await this.database.run(statement, values)).rows)
      if (rows.length === slice.limit) break
    }
    return rows
  }

  /** @internal Reads the rows in batches, as fast as the reader takes them. Memory does not grow with their number. */
  stream(projection: Projection, batch: number, prepare?: PrepareBatch): AsyncIterable<readonly RawRow[]> {
    const { statement, values } = selectRows(this, projection)
    return this.database.stream(statement, values, batch, prepare)
  }

  /**
   * @internal Reads the row whose `column` is `value`, if it is in the set. With `lock`, it stays as it is until the
   * transaction ends, but for what the transaction itself writes.
   */
  async find(projection: Projection, column: ColumnInfo, value: unknown, lock?: RowLock): Promise<RawRow | undefined> {
    const { dialect } = this.database
    const rendered = renderProjection(this.database, projection)
    const scope = this.condition(rendered.values.length)
    const at = rendered.values.length + scope.values.length + 1
    const shape = `find ${projection.id} ${lock ?? ''} ${column.name} ${scope.text ?? ''} ${rendered.tables.join()}`
    const statement = this.database.statement(shape, () => {
      const matches = `${columnName(this.model, column)} = ${dialect.placeholder(at)}`
      const where = scope.text === undefined ? matches : `${scope.text} and ${matches}`
      const select = compileSelect(dialect, { projection, where, order: [], limitAt: undefined, rendered })
      return select + (lock ? dialect.lockRows(lock, this.model.name) : '')
    })
    const encoded = dialect.encode(column, value)
    if (lock) await this.#lockAround([column], [[encoded]])
    const values = [...rendered.values, ...scope.values, encoded]
    const { rows } = await this.database.run(statement, values)
    if (lock && keepsHistory()) noteLocked(rows)
    return rows[0]
  }

  /**
   * @internal Reads the rows of the set that have these primary keys, with one statement and in no particular order.
   * With `lock`, no other transaction writes them before this one ends. They are locked in the order of their keys: two
   * requests for the same rows then wait for each other and cannot deadlock.
   */
  withKeys(projection: Projection, keys: readonly unknown[], lock?: RowLock): Promise<readonly RawRow[]> {
    const { dialect } = this.database
    requireKeys(this.model)
    return this.#among(
      this.model.key,
      keys.map(key => encodedKey(dialect, this.model, key)),
      projection,
      lock,
    )
  }

  /** @internal Like {@link withKeys}, for the rows with these values in a column. */
  async having(
    column: ColumnInfo,
    values: readonly unknown[],
    projection: Projection,
    lock?: RowLock,
  ): Promise<readonly RawRow[]> {
    const { dialect } = this.database
    const encoded = values.map(value => [dialect.encode(column, value)])
    return this.#among([column], encoded, projection, lock)
  }

  /** The rows of the set whose values in `columns` are one of the tuples. */
  async #among(
    columns: readonly ColumnInfo[],
    tuples: readonly (readonly unknown[])[],
    projection: Projection,
    lock: RowLock | undefined,
  ): Promise<readonly RawRow[]> {
    if (tuples.length === 0) return []
    const { dialect } = this.database
    const { model } = this
    const rendered = renderProjection(this.database, projection)
    const keysAt = rendered.values.length + 1
    const wanted = dialect.rowSet(columns, tuples)
    const scope = this.condition(rendered.values.length + wanted.length)
    const names = columns.map(({ name }) => name).join()
    const shape = `having ${names} ${projection.id} ${lock ?? ''} ${scope.text ?? ''} ${rendered.tables.join()}`
    const statement = this.database.statement(shape, () => {
      const isWanted = `${tupleOf(model, columns)} in (${dialect.selectRowSet(columns, keysAt)})`
      const where = scope.text === undefined ? isWanted : `${isWanted} and ${scope.text}`
      const order = lock ? model.key.map(expression => ({ expression, descending: false })) : []
      const select = compileSelect(dialect, { projection, where, order, limitAt: undefined, rendered })
      return select + (lock ? dialect.lockRows(lock, model.name) : '')
    })
    if (lock) await this.#lockAround(columns, tuples)
    const { rows } = await this.database.run(statement, [...rendered.values, ...wanted, ...scope.values])
    if (lock && keepsHistory()) noteLocked(rows)
    return rows
  }

  /** Locks the parents of rows that are about to be locked, and notes that the rows are. */
  async #lockAround(columns: readonly ColumnInfo[], tuples: readonly (readonly unknown[])[]): Promise<void> {
    const { database, model } = this
    await lockParents(database, model, bound => `${tupleOf(model, columns)} in (${bound.rows(columns, tuples)})`)
    if (isNesting(model.table)) movedRows(database)?.noteLocked(model.table)
  }

  /** @internal The indexes of `keys` without a row in the set. */
  async missing(keys: readonly unknown[]): Promise<readonly number[]> {
    const own = keyProjection(this.model)
    const rows = await this.withKeys(own, keys)
    const found = new Set(storedKeyTexts(this.database, this.model, rows, keyPlace(this.model, own.columns)))
    return keys.flatMap((key, index) => (found.has(keyText(this.model, key)) ? [] : [index]))
  }

  /** The rows with this composite key, whose parts are a tuple. */
  withParts(parts: readonly unknown[]): QuerySet {
    return this.filter(and(...this.model.key.map(({ column }, at) => eq(column, parts[at]))))
  }

  /**
   * @internal Finds rows of the set by their values in `columns`, for any number of tuples with one statement. `position`
   * is the tuple's place among `tuples`; a tuple can be found more than once, or not at all. `returned` is the column to
   * return, by default the primary key. With `lock`, the rows that are found stay as they are until the transaction ends.
   */
  matches(
    columns: readonly ColumnInfo[],
    tuples: readonly (readonly unknown[])[],
    ignoreCase = false,
    returned?: ColumnInfo,
    lock?: RowLock,
  ): Promise<readonly Match[]> {
    const shown = returned ? [returned] : keyProjection(this.model).columns
    return findMatches(this, tuples, { columns, ignoreCase, returned: shown, lock })
  }

  /** @internal The positions of the tuples for which a row of the set has these values in all columns. */
  async equalTo(
    columns: readonly ColumnInfo[],
    compared: readonly ColumnInfo[],
    tuples: readonly (readonly unknown[])[],
  ): Promise<readonly number[]> {
    const options = { columns, compared, ignoreCase: false, returned: [this.model.primaryKey], lock: undefined }
    return (await findMatches(this, tuples, options)).map(({ position }) => position)
  }

  /** Deletes the rows with one statement and returns their number. */
  async delete(): Promise<number> {
    const where = (bound: Bound) => this.#condition && bound.sql(sql`(${this.#condition})`)
    return (await executeWrite(this.database, { kind: 'delete', model: this.model, where })).changes
  }

  /** @internal The set's condition as SQL. Its first placeholder is number `offset` + 1. */
  condition(offset = 0): { readonly text: string | undefined; readonly values: readonly unknown[] } {
    if (this.#condition === undefined) return { text: undefined, values: [] }
    // Parentheses for a condition with OR.
    return this.database.dialect.render(sql`(${this.#condition})`, offset)
  }
}
