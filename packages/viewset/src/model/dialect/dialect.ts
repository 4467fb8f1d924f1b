import type { Column, SQL, Table } from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import type { PgDialect } from 'drizzle-orm/pg-core'
import type { KindName, OwnType, ValueInfo } from '../../kinds/kind.ts'
import type { DrizzleTableConfig } from '../drizzle.ts'
import type { DatabaseFault } from './fault.ts'
import type { WriteSpelling } from './write-text.ts'

/** What a dialect needs to know of a column to write its values and to read them. */
export interface StoredColumn extends ValueInfo {
  /** The name in the database. */
  readonly name: string
  /** The type in SQL, as a value can be cast to it. */
  readonly sqlType: string
  /** What a record holds, where a plain Drizzle column is in a mode of its own. */
  readonly ownType: OwnType | undefined
  readonly column: Column
}

/** A table, as a dialect finds it in the database. */
export interface NamedTable {
  readonly name: string
  readonly schema: string | undefined
  readonly primaryKey: { readonly name: string } | undefined
}

/** A column of rows that travel with a statement. */
export type RowSetColumn = Pick<StoredColumn, 'name' | 'kind' | 'sqlType' | 'collation'>

/** What an expression gives: one of the kinds that need no column to be read. */
export interface ExpressionValue extends ValueInfo {
  readonly kind: Exclude<KindName, 'other'>
  readonly column?: undefined
  readonly ownType?: undefined
}

/** What the driver's values are read by. */
export type StoredValue = StoredColumn | ExpressionValue

/**
 * Reads the driver's values (not null) of one column. The type of a method, since only such a one lets each decoder say
 * what its driver delivers: text, a number, bytes.
 */
export type Decoder = { read(raw: unknown): unknown }['read']

/** Like {@link Decoder}, to JSON text. */
export type JsonWriter = { write(raw: unknown): string }['write']

/** How a text is looked for in another. */
export interface TextMatch {
  readonly at: 'start' | 'anywhere'
  readonly ignoreCase: boolean
}

/** How a database tells about how many rows a statement would count. */
export interface RowEstimate {
  /** Turns a `select` into the statement that estimates its rows. */
  explain(select: string): string
  /** The estimate in the first value that the statement returns. */
  read(value: unknown): number
}

/** A table with an index for search. */
export interface SearchedTable {
  readonly name: string
  readonly primaryKey: StoredColumn
  readonly searchIndex: readonly StoredColumn[]
}

/** How an index for search is made and asked that a database does not use by itself. */
export interface SearchIndexSpelling {
  /** The statements that make it anew, whatever is there, and let it know of whatever anybody writes from then on. */
  create(table: SearchedTable): readonly string[]
  /** The names that {@link create} takes for tables of its own: what has one of them is dropped. */
  tableNames(table: SearchedTable): readonly string[]
  /** A `select` of 1 where one of those names is of something else. */
  isTaken(table: SearchedTable): string
  /** A `select` of 1 where it is there as {@link create} makes it. */
  isThere(table: SearchedTable): string
  /** What it is asked for, to find all rows with a text; `undefined` where it cannot find that. */
  lookUp(text: string): string | undefined
  /** A `select` of how many rows it finds, of which it counts no more than `limit` and one. Takes one value. */
  count(table: SearchedTable, limit: number): string
  /** Whether it finds a row. */
  isMatch(table: SearchedTable, lookUp: string): SQL
}

/** What rows are locked for: an update leaves those alone that only refer to a row, a deletion does not. */
export type RowLock = 'update' | 'delete'

/**
 * How one database spells and holds things: everything that differs between databases is a member here. It runs nothing,
 * which is what a `Driver` does. Names are quoted as the SQL standard says, `"name"`; a database that quotes otherwise has
 * to be told by its driver (MySQL: `sql_mode = ANSI_QUOTES`).
 */
export interface Dialect {
  /** Tells dialects apart: a table of one is no table for a database of another. */
  readonly name: string
  /** What people call the database. */
  readonly title: string
  /** What Drizzle's `getTableConfig` says of a table of this dialect; `undefined` for any other. */
  tableConfig(table: Table): DrizzleTableConfig | undefined
  /** SQL of the user's own as text, with its values; its placeholders stand behind `offset` earlier ones. */
  render(expression: SQL, offset: number): RenderedSql
  /** The placeholder of the n-th value of a statement, from 1. */
  placeholder(position: number): string
  /** A placeholder where nothing else tells the database what type the value has. */
  typedPlaceholder(column: RowSetColumn, position: number): string
  /** The function that makes texts equal which differ only in case, for all of Unicode. */
  readonly caseFold: string
  /**
   * The function in unique indexes that ignore case. It may know only the letters of ASCII if the database has one writer at
   * a time: rows that are found by such an index are not locked.
   */
  readonly asciiCaseFold: string
  /** The later of two times, neither of which is null. */
  latest(time: string, other: string): string
  /** What stands behind a text column where letters are to have their other case, whatever the column is ordered by. */
  letterCase(column: RowSetColumn): string
  /** An ORDER BY term with NULLs last ascending and first descending (CONTRACT, "Reading"). */
  orderBy(expression: string, descending: boolean, nullable: boolean): string
  /** Whether an expression is one of some encoded values of a column: one parameter, however many values there are. */
  isOneOf(expression: SQL, info: StoredColumn, values: readonly unknown[]): SQL
  /** Whether an expression contains `text`, in which no character means anything but itself. */
  matchesText(expression: SQL, text: string, match: TextMatch): SQL
  /** What makes the extension that indexes for search take, before the tables; `null` where they take none. */
  readonly searchExtension: string | null
  /** `null` where the database uses such an index by itself, for the condition of {@link matchesText}. */
  readonly searchIndex: SearchIndexSpelling | null
  /** The number of the month or of the day in a date, or in a timestamp as clocks in `timeZone` show it. */
  datePart(part: 'month' | 'day', expression: SQL, info: StoredColumn, timeZone: string): SQL
  /**
   * A `select` of how many rows of a table meet a condition, if that is at most `limit`; else of a number above `limit`,
   * at a cost that does not grow with the table. `where` is empty or begins with a blank.
   */
  countTo(table: Pick<NamedTable, 'schema' | 'name'>, where: string, limit: number): string
  /** `null` for a database that keeps no figures to estimate with. */
  readonly estimate: RowEstimate | null

  /**
   * A `select` that turns the values bound from `position` on, made by {@link rowSet}, into rows with these columns in
   * their order. As many values however many rows there are: no statement meets the driver's limit of parameters. With
   * `toJoin`, the database can look the rows up by their values as well as scan them.
   */
  selectRowSet(columns: readonly RowSetColumn[], position: number, toJoin?: boolean): string
  /** Rows of encoded values as the values that {@link selectRowSet} reads; how many there are, the columns decide. */
  rowSet(columns: readonly RowSetColumn[], rows: readonly (readonly unknown[])[]): readonly unknown[]

  /** The statements that write. */
  readonly writes: WriteSpelling
  /** The end of a `select` that keeps its rows of a table from other writers until the transaction ends. */
  lockRows(lock: RowLock, table: string): string
  /** The statement that lets nobody else write a table until the transaction ends; `null` where nobody else can anyway. */
  lockTable(table: string): string | null
  /**
   * A statement that lists the foreign keys to a table which keep its rows from being deleted: the table that has it,
   * as SQL names it and as people do, its column, and the column that it refers to.
   */
  restrictingKeys(table: NamedTable): string
  /** What a new row gets in a column whose default has no expression of its own: the next number. */
  nextNumber(table: string, column: string): string

  /** From a record's value to the driver's. */
  encode(info: StoredColumn, value: unknown): unknown
  /**
   * From a value as the column's kind has it (an ISO string, a decimal's text, a bigint), which a plain Drizzle column's
   * records may hold in another type, to the driver's.
   */
  encodeKind(info: StoredColumn, value: unknown): unknown
  /** From the driver's value (not null) to a record's. */
  decoder(info: StoredValue): Decoder
  /** From the driver's value (not null) to its kind's own, as the wire shows it, whatever records hold. */
  kindDecoder(info: StoredValue): Decoder
  /** From the driver's value (not null) to JSON text, without a detour over the record's value. */
  jsonWriter(info: StoredValue): JsonWriter
  /** What a driver's error means; `undefined` for one that is nobody's fault but ours. */
  fault(error: unknown): DatabaseFault | undefined
  /** Whether an error says that the database knows what it is asked and cannot do it: there may be another way. */
  isUnsupported?(error: unknown): boolean
  /** The table that a statement did not find, where that is what an error says. */
  missingTable(error: unknown): string | undefined
  /** A statement that tells which of some tables, a JSON array of `{"schema": null, "name": "x"}`, are missing: by their position. */
  readonly findMissingTables: string
}

/**
 * A value that drivers store as it is.
 *
 * @throws TypeError for an object or an array: one driver refuses it, another one stores some text that it makes of it
 */
export function plainValue({ column, kind }: StoredColumn, value: unknown): unknown {
  if (typeof value === 'object' && value !== null && isOfJson(value)) {
    const what = Array.isArray(value) ? 'an array' : 'an object'
    const advice = kind === 'text' ? 'Store JSON.stringify(value), or make it a JSON column.' : 'Pass a single value.'
    throw new TypeError(
      `"${column.name}": ${what} cannot be stored in a column of type ${column.getSQLType()}. ${advice}`,
    )
  }
  return value
}

function isOfJson(value: object): boolean {
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
}

/** A `select` of how many rows there are, of which it looks at no more than `limit` and one. */
export function countSome(table: string, where: string, limit: number): string {
  return `select count(*) from (select 1 from ${table}${where} limit ${limit + 1}) as counted`
}

/** A piece of SQL as text with placeholders, and the values for them in the driver's form. */
export interface RenderedSql {
  readonly text: string
  readonly values: readonly unknown[]
}

/** What rendering takes of a dialect of Drizzle's. */
type DrizzleDialect = Pick<PgDialect, 'escapeName' | 'escapeString'>

/** Columns carry their names. Drizzle's own cache keeps the first of two tables of one name, as of two databases. */
class OwnNames extends CasingCache {
  override getColumnCasing(column: Column): string {
    return column.name
  }
}
const OWN_NAMES = new OwnNames()

/**
 * Makes the `render` of a dialect: `placeholder` is how it writes the n-th value of a statement, from 1.
 *
 * @example
 * const render = sqlRenderer(new MySqlDialect(), () => '?')
 */
export function sqlRenderer(dialect: DrizzleDialect, placeholder: (position: number) => string) {
  return (expression: SQL, offset: number): RenderedSql => {
    const query = expression.toQuery({
      casing: OWN_NAMES,
      escapeName: dialect.escapeName,
      escapeParam: index => placeholder(index + 1),
      escapeString: dialect.escapeString,
      paramStartIndex: { value: offset },
    })
    return { text: query.sql, values: query.params }
  }
}
