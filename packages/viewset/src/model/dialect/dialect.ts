import type { Column, SQL, Table } from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import type { PgDialect } from 'drizzle-orm/pg-core'
import type { KindName, OwnType, ValueInfo } from '../../kinds/kind.ts'
import type { DrizzleTableConfig } from '../drizzle.ts'
import type { DatabaseFault } from './fault.ts'
import type { WriteSpelling } from './write-text.ts'

/** The properties of a column that a dialect needs to write and read its values. */
export interface StoredColumn extends ValueInfo {
  /** The name in the database. */
  readonly name: string
  /** The SQL type for a cast. */
  readonly sqlType: string
  /** The type in records, if a plain Drizzle column is in its own mode. */
  readonly ownType: OwnType | undefined
  readonly column: Column
}

/** The name of a table in the database. */
export interface NamedTable {
  readonly name: string
  readonly schema: string | undefined
  readonly primaryKey: { readonly name: string } | undefined
}

/** A column of rows that a statement carries as parameters. */
export type RowSetColumn = Pick<StoredColumn, 'name' | 'kind' | 'sqlType' | 'collation' | 'foldsSigma'>

/** A text column, as far as it decides how letter case is folded. */
export type FoldedColumn = Pick<ValueInfo, 'collation' | 'foldsSigma'>

/** The kind of an expression's value. It needs no column to be read. */
export interface ExpressionValue extends ValueInfo {
  readonly kind: Exclude<KindName, 'other'>
  readonly column?: undefined
  readonly ownType?: undefined
}

/** A value to read: of a column or of an expression. */
export type StoredValue = StoredColumn | ExpressionValue

/**
 * Reads a column's driver values, which are not null. A method's type, because only that lets each decoder declare its
 * driver's type: text, a number, bytes.
 */
export type Decoder = { read(raw: unknown): unknown }['read']

/** Like {@link Decoder}, but to JSON text. */
export type JsonWriter = { write(raw: unknown): string }['write']

/** A part of a date, as a number. `iso_week_day` is 1 for Monday and 7 for Sunday. */
export type DatePart = 'quarter' | 'month' | 'day' | 'iso_week_day'

/** How a text is compared: its place, and whether letter case counts. */
export interface TextMatch {
  readonly at: 'start' | 'end' | 'anywhere'
  readonly ignoreCase: boolean
}

/** How to estimate the number of rows of a statement. */
export interface RowEstimate {
  /** Turns a `select` into a statement that estimates its rows. */
  explain(select: string): string
  /** Reads the estimate from the first value that the statement returns. */
  read(value: unknown): number
}

/** A table with a search index. */
export interface SearchedTable {
  readonly name: string
  readonly primaryKey: StoredColumn
  readonly searchIndex: readonly StoredColumn[]
}

/** SQL of a search index that the database does not use by itself. */
export interface SearchIndexSpelling {
  /** Statements that create it anew, with triggers for later writes of any program. */
  create(table: SearchedTable): readonly string[]
  /** The names of tables that {@link create} drops and creates. */
  tableNames(table: SearchedTable): readonly string[]
  /** A `select` of 1 if another object has one of those names. */
  isTaken(table: SearchedTable): string
  /** A `select` of 1 if it exists as {@link create} makes it. */
  isThere(table: SearchedTable): string
  /** The search expression that finds all rows with a text; `undefined` if the index cannot find it. */
  lookUp(text: string): string | undefined
  /** A `select` of the number of found rows, at most `limit` + 1. Takes one value. */
  count(table: SearchedTable, limit: number): string
  /** Whether the index finds a row. */
  isMatch(table: SearchedTable, lookUp: string): SQL
}

/** The reason of a row lock. An update does not block rows that refer to the row; a delete does. */
export type RowLock = 'update' | 'delete'

/**
 * The SQL and value forms of one database: all differences between databases are members of this interface. A `Driver`
 * runs the statements. Names are quoted as in the SQL standard, `"name"`; a driver of a database with other quotes must
 * set them (MySQL: `sql_mode = ANSI_QUOTES`).
 */
export interface Dialect {
  /** Identifies the dialect of tables and databases. */
  readonly name: string
  /** The database's name in messages. */
  readonly title: string
  /** Drizzle's `getTableConfig` for tables of this dialect; `undefined` for others. */
  tableConfig(table: Table): DrizzleTableConfig | undefined
  /** Renders a user's SQL to text and values. Its placeholders start after `offset` earlier ones. */
  render(expression: SQL, offset: number): RenderedSql
  /** The placeholder of the n-th value of a statement, from 1. */
  placeholder(position: number): string
  /** A placeholder in a position without a type. */
  typedPlaceholder(column: RowSetColumn, position: number): string
  /** Folds the case of all letters of a text, for comparisons that a unique index of its column can serve. */
  foldCase(column: FoldedColumn, text: string): string
  /**
   * The same in unique indexes that ignore case. It may fold only ASCII if the database has one writer at a time: rows
   * found by such an index are not locked.
   */
  foldInIndex(column: FoldedColumn, text: string): string
  readonly indexesFoldOnlyAscii: boolean
  /** Whether an expression is a text, in any case. */
  equalsInAnyCase(column: FoldedColumn, expression: SQL, text: string): SQL
  /** The later of two times that are not null. */
  latest(time: string, other: string): string
  /** A time, or the microsecond after `stored` if that is later. Neither is null. */
  laterThan(stored: string, time: string): string
  /** The keys of a JSON object as rows, for FROM: the column `key` of the table `entry`. */
  jsonKeys(expression: SQL): SQL
  /** The value of a key of a JSON object as text. */
  jsonText(expression: SQL, key: string): SQL
  /** The keys of two JSON objects in one object; null if one of them is null. */
  joinedJson(object: string, other: string): string
  /** The first statement of a serializable transaction; `null` if every transaction is serializable. */
  readonly beginSerializable: string | null
  /**
   * A statement that takes a lock until the transaction ends, and returns no row if another transaction has it. Its
   * parameter is a signed 64-bit integer as text. `null` if the database has one writer at a time.
   */
  readonly tryLock: string | null
  /** Follows a text column to change its case for all letters, with each collation. */
  letterCase(column: FoldedColumn): string
  /** A text that is compared character by character, in any collation of its column. */
  byCharacters(text: string): string
  /** An ORDER BY term with NULLs last ascending and first descending. */
  orderBy(expression: string, descending: boolean, nullable: boolean): string
  /** Whether an expression equals one of some encoded values, as a single parameter. */
  isOneOf(expression: SQL, info: StoredValue, values: readonly unknown[]): SQL
  /** Whether an expression contains `text` literally. */
  matchesText(expression: SQL, text: string, match: TextMatch): SQL
  /** The statement that makes the search index's extension available; `null` if it needs none. */
  readonly searchExtension: string | null
  /** `null` if the database uses the index by itself for {@link matchesText}. */
  readonly searchIndex: SearchIndexSpelling | null
  /** Whether a list contains all of these items, or one of them. */
  matchesItems(how: 'contains' | 'overlaps', expression: SQL, info: StoredValue, items: readonly unknown[]): SQL
  /** Whether a JSON value is an object with a key. */
  hasJsonKey(expression: SQL, key: string): SQL
  /** A part of a date, or of a timestamp in `timeZone`. */
  datePart(part: DatePart, expression: SQL, info: StoredValue, timeZone: string): SQL
  /**
   * A `select` of the number of matching rows if that is at most `limit`, or else of a larger number. Its cost does not
   * grow with the table. `where` is empty or begins with a blank.
   */
  countTo(table: Pick<NamedTable, 'schema' | 'name'>, where: string, limit: number): string
  /** `null` if the database has no statistics. */
  readonly estimate: RowEstimate | null

  /**
   * A `select` that turns the values bound from `position` on, made by {@link rowSet}, into rows with these columns.
   * The number of values does not depend on the number of rows, so no statement exceeds the driver's parameter limit.
   * With `toJoin`, the database can also look rows up by their values.
   */
  selectRowSet(columns: readonly RowSetColumn[], position: number, toJoin?: boolean): string
  /**
   * Rows of encoded values as the parameters that {@link selectRowSet} reads. Their number depends on the columns only.
   */
  rowSet(columns: readonly RowSetColumn[], rows: readonly (readonly unknown[])[]): readonly unknown[]

  /** The statements that write. */
  readonly writes: WriteSpelling
  /** The end of a `select` that locks rows of a table until the transaction ends. */
  lockRows(lock: RowLock, table: string): string
  lockTable(table: string): string | null
  /**
   * Lists the foreign keys that prevent deleting rows of a table: the referring table in SQL and in messages, its
   * column, and the referenced column.
   */
  restrictingKeys(table: NamedTable): string
  /** The same for all foreign keys to a table, also those that delete or clear their rows. */
  referringKeys(table: NamedTable): string
  /** Whether the database may give the number of a deleted row again, for a primary key of one column. */
  reusesNumbers?(key: Column): boolean
  /** Selects a name that no other database has, also of a table in another schema; '' in memory. Its value is the table as SQL. */
  readonly nameOfDatabase: string
  /** The next number for a column that numbers itself. */
  nextNumber(table: string, column: string): string
  /**
   * A statement after which the numbers of a column follow a number. Its values are the table as SQL, the column and the
   * number. Absent if the database does this by itself.
   */
  readonly passNumber?: string

  /** Converts a record's value to the driver's. */
  encode(info: StoredColumn, value: unknown): unknown
  /**
   * Converts a kind's own value (an ISO string, a decimal's text, a bigint) to the driver's. A plain Drizzle column's
   * records may have another type.
   */
  encodeKind(info: StoredValue, value: unknown): unknown
  /** Converts the driver's value (not null) to a record's. */
  decoder(info: StoredValue): Decoder
  /** Converts the driver's value (not null) to the kind's own value, as JSON shows it. */
  kindDecoder(info: StoredValue): Decoder
  /** Converts the driver's value (not null) to JSON text directly. */
  jsonWriter(info: StoredValue): JsonWriter
  /** The meaning of a driver's error; `undefined` for an error in Viewset or the application. */
  fault(error: unknown): DatabaseFault | undefined
  /** Whether the database rejects a valid statement because it cannot do it, so that another one may work. */
  isUnsupported?(error: unknown): boolean
  /** The missing table, if that is the error. */
  missingTable(error: unknown): string | undefined
  /**
   * A statement that returns the positions of the missing tables in a JSON array of `{"schema": null, "name": "x"}`.
   */
  readonly findMissingTables: string
}

/**
 * Checks that drivers store a value unchanged.
 *
 * @throws TypeError for an object or an array: one driver rejects it, another one stores it as text.
 */
export function plainValue({ column, kind }: StoredValue, value: unknown): unknown {
  if (column && typeof value === 'object' && value !== null && isOfJson(value)) {
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

export function countSome(table: string, where: string, limit: number): string {
  return `select count(*) from (select 1 from ${table}${where} limit ${limit + 1}) as counted`
}

/** SQL text with placeholders, and their values in the driver's form. */
export interface RenderedSql {
  readonly text: string
  readonly values: readonly unknown[]
}

type DrizzleDialect = Pick<PgDialect, 'escapeName' | 'escapeString'>

/** Drizzle's cache would mix up two tables of the same name in two databases. */
class OwnNames extends CasingCache {
  override getColumnCasing(column: Column): string {
    return column.name
  }
}
const OWN_NAMES = new OwnNames()

/**
 * Makes the `render` of a dialect. `placeholder` writes the n-th value of a statement, from 1.
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
