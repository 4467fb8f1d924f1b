import type { BuildColumns, BuildExtraConfigColumns, HasDefault, IsPrimaryKey, NotNull, SQL, Table } from 'drizzle-orm'
import type {
  PgColumnBuilderBase,
  PgCustomColumnBuilder,
  PgTable,
  PgTableExtraConfigValue,
  PgTableWithColumns,
} from 'drizzle-orm/pg-core'
import type { SQLiteTableExtraConfigValue } from 'drizzle-orm/sqlite-core'
import type * as z from 'zod'
import type { Text } from '../core/messages/message.ts'
import type { JsonSchema } from '../kinds/json-schema.ts'
import type { Cell } from '../tabular/table.ts'
import type { HistoryOptions } from './history.ts'
import type { MixinColumns } from './mixins.ts'
import type { ConstraintColumn, NamedConstraint } from './named-constraint.ts'
import type { HistoryTables } from './tables/history-tables.ts'
import type { IdempotencyTables } from './tables/idempotency-tables.ts'
import type { ImportMappingTables } from './tables/import-mapping-tables.ts'
import type { JobTables } from './tables/job-tables.ts'

/**
 * A column under construction. `T` is the type in a record. Methods are Drizzle's: `notNull()`, `default()`, `unique()`
 * ... `R` is the table of a foreign key, for {@link FieldPath}.
 */
export type KitColumn<T, R = undefined> = PgCustomColumnBuilder<{
  name: ''
  dataType: 'custom'
  columnType: 'PgCustomColumn'
  data: T
  driverParam: unknown
  enumValues: undefined
}> & { readonly _: { readonly references: R } }

/** An integer column. As the primary key it numbers itself, so a value is optional. */
export type KitInteger = { primaryKey(): IsPrimaryKey<HasDefault<NotNull<KitColumn<number>>>> } & KitColumn<number>

/** A table made by a {@link ColumnKit}. */
export type KitTable<N extends string, C extends Record<string, PgColumnBuilderBase>> = PgTableWithColumns<{
  name: N
  schema: undefined
  columns: BuildColumns<N, C, 'pg'>
  dialect: 'pg'
}>

/** The type of a table's primary key value. */
export type PrimaryKeyOf<M extends Table> = {
  [K in keyof M['_']['columns']]: M['_']['columns'][K]['_']['isPrimaryKey'] extends true
    ? M['_']['columns'][K]['_']['data']
    : never
}[keyof M['_']['columns']]

export const COLLATIONS = ['codepoint'] as const
/** How text is compared and ordered. */
export type Collation = (typeof COLLATIONS)[number]

/** Options of a text column. */
export interface TextOptions {
  /**
   * `'codepoint'` orders and compares by character numbers, on each database. Default: the same on SQLite, and the
   * database's language on PostgreSQL.
   */
  readonly collation?: Collation
  /** Whether leading and trailing blanks are removed from texts of clients and files. Default true. */
  readonly trim?: boolean
  /** Whether a client may send the empty text. Default: only if it is the column's default. */
  readonly allowBlank?: boolean
}

/** A constraint or an index, for the third argument of {@link ColumnKit.table}. */
export interface TableConstraint {
  readonly type: 'primaryKey' | 'unique' | 'uniqueIgnoringCase' | 'index' | 'search'
  readonly columns: readonly ConstraintColumn[]
  /** The compared rows. Default: all. */
  readonly where?: SQL | undefined
}

/** Options of {@link ColumnKit.constraint}. */
export interface NamedConstraintOptions {
  /** The field that the error belongs to. Default: none. */
  readonly column?: ConstraintColumn
  readonly message: Text
}

/**
 * The results allowed in the third argument of {@link ColumnKit.table}: the kit's constraints and those of Drizzle's
 * builders.
 */
export type TableExtra = TableConstraint | NamedConstraint | PgTableExtraConfigValue | SQLiteTableExtraConfigValue

/** Options of a unique constraint or an index. */
export interface UniqueOptions {
  /** A condition on the columns of the row, without subqueries: `eq(t.isActive, true)`. */
  readonly where?: SQL | undefined
}

/** The action on a row when the row that it refers to is deleted. */
export type ReferenceAction = 'cascade' | 'restrict' | 'set null' | 'set default' | 'no action'

/** Options of a foreign key. */
export interface ForeignKeyOptions {
  readonly onDelete?: ReferenceAction
  /**
   * `'cascade'`: a soft delete of the other record also deletes this one softly, and its restore brings back what was
   * deleted with it. Both models need `SoftDeleteMixin()`. Default: nothing happens.
   */
  readonly onSoftDelete?: 'cascade'
  /**
   * Whether the column gets an index, which joins, filters and deletes of the other record need. Default `true`.
   * Skipped if a unique constraint or another index begins with the column.
   */
  readonly index?: boolean
}

/**
 * The column types of a portable model. `viewset/pg` and `viewset/sqlite` each have a kit, so that `const models = (c:
 * ColumnKit) => ({ ... })` gives the same models and the same TypeScript types on each database.
 *
 * Columns are named after their key in snake_case. The types are Drizzle's PostgreSQL types on both databases, although
 * the builder classes differ at run time.
 *
 * @example
 * export const models = (c: ColumnKit) => {
 *   const authors = c.table('authors', { ...c.BaseModelMixin(), name: c.text(200).notNull() })
 *   const articles = c.table('articles', { ...c.BaseModelMixin(), author: c.foreignKey(authors).notNull() })
 *   return { authors, articles }
 * }
 */
export interface ColumnKit extends MixinColumns {
  /** `'pg'`, `'sqlite'`, or the name of a further dialect. */
  readonly dialect: string
  table<N extends string, C extends Record<string, PgColumnBuilderBase>>(
    name: N,
    columns: C,
    constraints?: (columns: BuildExtraConfigColumns<N, C, 'pg'>) => readonly TableExtra[],
  ): KitTable<N, C>

  /** Text of at most `length` characters; without `length`, of any length. */
  text(length?: number, options?: TextOptions): KitColumn<string>
  text(options: TextOptions): KitColumn<string>
  /** 32-bit signed integer. As the primary key, it numbers itself if no value is given. */
  integer(): KitInteger
  /** 64-bit signed integer, a `bigint` in code. */
  bigint(): KitColumn<bigint>
  /** Exact number, a string in code that keeps its scale (`"29.90"`). SQLite holds up to 15 digits. */
  decimal(precision: number, scale: number): KitColumn<string>
  boolean(): KitColumn<boolean>
  /** Point in time with microseconds; an ISO string in UTC in code (`2026-01-15T10:30:00.123456Z`). */
  timestamp(): KitColumn<string>
  /** Calendar date, `YYYY-MM-DD` in code. */
  date(): KitColumn<string>
  uuid(): KitColumn<string>
  /** Any JSON value. Set its type with `.$type<T>()`. */
  json(): KitColumn<unknown>
  /** One of `values`, enforced by a check constraint. */
  enumeration<const V extends string>(values: readonly [V, ...V[]]): KitColumn<V>
  /** 64-bit floating-point number: right for measurements, not for money. */
  float(): KitColumn<number>
  /** Time of day without a zone, `10:30:00` in code, with up to six digits of a fraction. */
  time(): KitColumn<string>
  /** A list of values without null: `c.array(c.text(50))`. SQLite stores it as JSON. */
  array<T extends string | number | boolean>(of: KitColumn<T>): KitColumn<T[]>
  /** At most `length` bytes (default 1 MiB). Base64 in JSON and in files. */
  binary(length?: number): KitColumn<Uint8Array>
  /** A value of a custom kind, made by `defineKind`. */
  kind<T>(kind: OwnKind<T>): KitColumn<T>
  /**
   * The primary key of a row of `target`. Declare it under its relation's name: the key `country` makes the column
   * `country_id`. `'self'` refers to the table being defined, whose primary key is then a uuid. The column has an
   * index.
   */
  foreignKey<M extends PgTable>(target: M, options?: ForeignKeyOptions): KitColumn<PrimaryKeyOf<M>, M>
  foreignKey(target: 'self', options?: ForeignKeyOptions): KitColumn<string, 'self'>

  /**
   * The tables of background jobs. Spread them among the models, so that migrations create them.
   *
   * @example
   * export const models = (c: ColumnKit) => ({ articles: c.table('articles', { ... }), ...c.JobTables() })
   */
  JobTables(): JobTables

  /**
   * The table of answers to requests with an `Idempotency-Key`, for the option `idempotency` of the API.
   *
   * @example
   * export const models = (c: ColumnKit) => ({ orders: c.table('orders', { ... }), ...c.IdempotencyTable() })
   */
  IdempotencyTable(): IdempotencyTables

  /**
   * The table of the mappings that users save for their imports, for the option `importMappings` of the API.
   *
   * @example
   * export const models = (c: ColumnKit) => ({ orders: c.table('orders', { ... }), ...c.ImportMappingTable() })
   */
  ImportMappingTable(): ImportMappingTables

  /**
   * The table of a model's history: an entry for each change of a record by any write. Spread it among the
   * models, so that migrations create it.
   *
   * An entry has 350 to 650 bytes. A replace writes two for each row: with 171,075 rows, about 206 MB.
   *
   * @example
   * const articles = c.table('articles', { ...c.BaseModelMixin(), title: c.text(200).notNull() })
   * return { articles, ...c.HistoryTable(articles) }
   */
  HistoryTable<M extends Model>(
    model: M,
    options?: HistoryOptions<FieldName<M>, ForeignKeyName<M>>,
  ): HistoryTables<M['_']['name']>

  /**
   * A primary key of several columns. Paths name a record by its parts: `/stock/7,blue/`.
   *
   * @example
   * c.table('stock', { warehouse: c.integer().notNull(), colour: c.text(10).notNull() }, t => [c.primaryKey(t.warehouse, t.colour)])
   */
  primaryKey(...columns: readonly [ConstraintColumn, ConstraintColumn, ...ConstraintColumn[]]): TableConstraint
  unique(...columns: readonly [ConstraintColumn, ...ConstraintColumn[]]): TableConstraint
  /**
   * Unique among the rows that meet a condition.
   *
   * @example
   * c.table('users', { ...c.SoftDeleteMixin(), email: c.text() }, t => [c.unique([t.email], { where: eq(t.isActive, true) })])
   */
  unique(columns: readonly [ConstraintColumn, ...ConstraintColumn[]], options?: UniqueOptions): TableConstraint
  /** Unique in any letter case: `Ann@example.org` and `ann@EXAMPLE.org` are equal. */
  uniqueIgnoringCase(column: ConstraintColumn): TableConstraint
  index(...columns: readonly [ConstraintColumn, ...ConstraintColumn[]]): TableConstraint
  /**
   * An index of the rows that meet a condition.
   *
   * @example
   * c.table('jobs', { state: c.text().notNull(), at: c.timestamp() }, t => [c.index([t.at], { where: eq(t.state, 'open') })])
   */
  index(columns: readonly [ConstraintColumn, ...ConstraintColumn[]], options?: UniqueOptions): TableConstraint
  /**
   * An index over text columns that speeds up search for a part of a text. On PostgreSQL it uses the extension
   * `pg_trgm`; on SQLite it is an FTS5 table, which `viewset search-index` makes.
   *
   * @example
   * c.table('articles', { title: c.text(200), body: c.text() }, t => [c.searchIndex(t.title, t.body)])
   */
  searchIndex(...columns: readonly [ConstraintColumn, ...ConstraintColumn[]]): TableConstraint

  /**
   * The field and the sentence of the 400 if the database refuses a row by a check, an exclusion constraint or a trigger.
   * It makes no constraint: a migration does, or Drizzle's `check`. A trigger names the constraint by its message: `raise
   * exception 'prices_period'` on PostgreSQL, `raise(abort, 'prices_period')` on SQLite.
   *
   * @example
   * c.table('prices', { starts: c.date().notNull(), ends: c.date() }, t => [
   *   c.constraint('prices_period', { column: t.starts, message: 'Overlaps another period.' }),
   * ])
   */
  constraint(name: string, options: NamedConstraintOptions): NamedConstraint
}

/** The options of a custom kind. Omitted ones come from the kind of its column. */
export interface KindOptions<T> {
  /**
   * The column that stores the values: `c => c.decimal(12, 2)`. Records hold the column's type. For JSON, give the type
   * by `defineKind<Point>(...)`.
   */
  readonly column: (c: ColumnKit) => KitColumn<T> | KitColumn<unknown>
  /**
   * The rule for values, given the column's schema: refine it, or pipe it into your own. Its output is the input of the
   * column. It checks JSON, imported cells and values of a query string.
   */
  readonly schema?: (column: z.ZodType<T>) => z.ZodType
  /** Additions to the column's JSON Schema, such as `{ format: 'phone' }`. */
  readonly jsonSchema?: JsonSchema
  /** Converts a cell of a file to a JSON value. Never called for an empty cell. */
  readonly readCell?: (cell: string | number | boolean) => unknown
  /** The expected text in a query string, after "Enter ": `'an amount, such as 12.50'`. */
  readonly expected?: string
  /** A sentence for a person who fills in an import template. */
  readonly note?: string
  /** Example cells for an import template, the best first. The schema must accept each. */
  readonly examples?: readonly Cell[]
}

/** A custom kind of value, made by `defineKind` and used by `c.kind(...)`. */
export interface OwnKind<T = unknown> extends KindOptions<T> {
  readonly name: string
}

/** A table of either database, made by a {@link ColumnKit} or by Drizzle. */
export type Model = Table

/** A row of a model in code. */
export type ModelRow<M extends Model> = M['$inferSelect']

/** The names of a model's own fields. */
export type FieldName<M extends Model> = Extract<keyof ModelRow<M>, string>

/**
 * A field of a model, or a path through foreign keys: `country__continent__name`. The type spells out three levels.
 * Deeper paths, and tables whose types do not name their references (Drizzle's own), are checked at start.
 */
export type FieldPath<M extends Model, Depth extends readonly 0[] = []> =
  | FieldName<M>
  | { [K in FieldName<M>]: PathThrough<K, Referred<M, K>, Depth> }[FieldName<M>]

/** The table that a column refers to; `undefined` for none, `unknown` if the type does not say. */
export type Referred<M extends Model, K extends string> = M['_']['columns'][K]['_'] extends {
  readonly references: infer R
}
  ? [R] extends ['self']
    ? M
    : R
  : unknown

/** The fields that may refer to another table: foreign keys, and all fields of a table whose types name none. */
export type ForeignKeyName<M extends Model> = {
  [K in FieldName<M>]: [Referred<M, K>] extends [undefined] ? never : K
}[FieldName<M>]

type PathThrough<K extends string, R, Depth extends readonly 0[]> = [R] extends [undefined]
  ? never
  : Depth['length'] extends 2
    ? `${K}__${string}`
    : [R] extends [Model]
      ? `${K}__${FieldPath<R, [...Depth, 0]>}`
      : `${K}__${string}`

/** A model with the soft-delete fields, made by SoftDeleteMixin or by hand. */
export type SoftDeletable = Model & { readonly isActive: unknown; readonly deletedAt: unknown }
