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
import type { JsonSchema } from '../kinds/json-schema.ts'
import type { Cell } from '../tabular/table.ts'
import type { JobTables } from './job-tables.ts'
import type { MixinColumns } from './mixins.ts'

/**
 * A column under construction; `T` is what a record holds (DESIGN, rule 12). Methods are Drizzle's: `notNull()`,
 * `default()`, `unique()` ... `R` is the table that a foreign key refers to; Drizzle carries it along, for {@link FieldPath}.
 */
export type KitColumn<T, R = undefined> = PgCustomColumnBuilder<{
  name: ''
  dataType: 'custom'
  columnType: 'PgCustomColumn'
  data: T
  driverParam: unknown
  enumValues: undefined
}> & { readonly _: { readonly references: R } }

/** A column of integers. As the primary key it numbers itself, so no value need be given. */
export type KitInteger = { primaryKey(): IsPrimaryKey<HasDefault<NotNull<KitColumn<number>>>> } & KitColumn<number>

/** A table that a {@link ColumnKit} has made. */
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

/** Orders of text that both databases know. */
export const COLLATIONS = ['codepoint'] as const
/** How text is compared and ordered. */
export type Collation = (typeof COLLATIONS)[number]

/** How a text is kept. */
export interface TextOptions {
  /**
   * `'codepoint'` orders and compares by the numbers of the characters, on each database. Default: SQLite does that,
   * PostgreSQL goes by the language of the database.
   */
  readonly collation?: Collation
  /** Whether blanks around a text that a client sends, or a file has, are removed. Default true. */
  readonly trim?: boolean
  /** Whether a client may send the empty text. Default: only if it is the column's default. */
  readonly allowBlank?: boolean
}

/** A unique constraint or an index over columns, as the third argument of {@link ColumnKit.table} returns it. */
export interface TableConstraint {
  readonly type: 'unique' | 'uniqueIgnoringCase' | 'index' | 'search'
  readonly columns: readonly ConstraintColumn[]
  /** The rows that are compared; by default all. */
  readonly where?: SQL | undefined
}

/** What the third argument of {@link ColumnKit.table} may return: the kit's constraints, and those of Drizzle's builders. */
export type TableExtra = TableConstraint | PgTableExtraConfigValue | SQLiteTableExtraConfigValue

/** What is unique only among some rows. */
export interface UniqueOptions {
  /** A condition on the columns of the row, without subqueries: `eq(t.isActive, true)`. */
  readonly where?: SQL | undefined
}

/** A column as a constraint or an index takes it. */
export type ConstraintColumn = { readonly name: string }

/** What happens to a row when the one that it refers to is deleted. */
export type ReferenceAction = 'cascade' | 'restrict' | 'set null' | 'set default' | 'no action'

/** How a foreign key is kept. */
export interface ForeignKeyOptions {
  readonly onDelete?: ReferenceAction
  /**
   * Whether it has an index, which a delete of the other record, joins and filters need. Default `true`; not made if a
   * unique constraint or an index of the table begins with the column.
   */
  readonly index?: boolean
}

/**
 * The column types a portable model is written with. `viewset/pg` and `viewset/sqlite` each have one, so that
 * `const models = (c: ColumnKit) => ({ ... })` gives the same models, and the same TypeScript types, on each database.
 *
 * Columns are named after their key in snake_case. The types are Drizzle's PostgreSQL types on both databases: what
 * differs at run time (the builder classes) is the business of the store, not of a model's user.
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
  /** 32-bit signed integer. As the primary key, it numbers itself where no value is given. */
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
  /** Any JSON value; give its type by `.$type<T>()`. */
  json(): KitColumn<unknown>
  /** One of `values`, kept by a check constraint. */
  enumeration<const V extends string>(values: readonly [V, ...V[]]): KitColumn<V>
  /** 64-bit floating-point number: right for measurements, not for money. */
  float(): KitColumn<number>
  /** Time of day without a zone, `10:30:00` in code, with up to six digits behind the point where there is a fraction. */
  time(): KitColumn<string>
  /** A list of what `of` holds, none of it null: `c.array(c.text(50))`. SQLite keeps it as JSON. */
  array<T extends string | number | boolean>(of: KitColumn<T>): KitColumn<T[]>
  /** At most `length` bytes (1 MiB unless told); base64 in JSON and in files. */
  binary(length?: number): KitColumn<Uint8Array>
  /** A value of a kind of your own, made by `defineKind`. */
  kind<T>(kind: OwnKind<T>): KitColumn<T>
  /**
   * The primary key of a row of `target`. Declared by its relation's name: the key `country` makes the column
   * `country_id`. `'self'` refers to the table being defined, whose primary key is then a uuid. It has an index.
   */
  foreignKey<M extends PgTable>(target: M, options?: ForeignKeyOptions): KitColumn<PrimaryKeyOf<M>, M>
  foreignKey(target: 'self', options?: ForeignKeyOptions): KitColumn<string, 'self'>

  /**
   * The tables of jobs, for work in the background: spread among the models, so that migrations make them.
   *
   * @example
   * export const models = (c: ColumnKit) => ({ articles: c.table('articles', { ... }), ...c.JobTables() })
   */
  JobTables(): JobTables

  unique(...columns: readonly [ConstraintColumn, ...ConstraintColumn[]]): TableConstraint
  /**
   * Unique among the rows that meet a condition.
   *
   * @example
   * c.table('users', { ...c.SoftDeleteMixin(), email: c.text() }, t => [c.unique([t.email], { where: eq(t.isActive, true) })])
   */
  unique(columns: readonly [ConstraintColumn, ...ConstraintColumn[]], options?: UniqueOptions): TableConstraint
  /** Unique however it is written: `Ann@example.org` and `ann@EXAMPLE.org` are one. */
  uniqueIgnoringCase(column: ConstraintColumn): TableConstraint
  index(...columns: readonly [ConstraintColumn, ...ConstraintColumn[]]): TableConstraint
  /**
   * An index over columns of text, by which search finds what contains a word. On PostgreSQL it is one of the extension
   * `pg_trgm`; on SQLite it is an FTS5 table, which `viewset search-index` makes.
   *
   * @example
   * c.table('articles', { title: c.text(200), body: c.text() }, t => [c.searchIndex(t.title, t.body)])
   */
  searchIndex(...columns: readonly [ConstraintColumn, ...ConstraintColumn[]]): TableConstraint
}

/** What a kind of your own is; what it does not say is as in the kind that it is kept as. */
export interface KindOptions<T> {
  /**
   * The column that keeps the values: `c => c.decimal(12, 2)`. What its rows hold is what records hold; for JSON, say
   * what that is by `defineKind<Point>(...)`.
   */
  readonly column: (c: ColumnKit) => KitColumn<T> | KitColumn<unknown>
  /**
   * What a value has to be, given the schema of the column: refine it, or pipe it into one of your own. Its output is
   * what the column takes. JSON and imported cells go through it, and so do values of a query string that it accepts.
   */
  readonly schema?: (column: z.ZodType<T>) => z.ZodType
  /** What the JSON Schema of the column lacks, such as `{ format: 'phone' }`. */
  readonly jsonSchema?: JsonSchema
  /** What the cell of a file says, as JSON would have it: text, a number or `true`; never an empty cell. */
  readonly readCell?: (cell: string | number | boolean) => unknown
  /** What must be in a query string, behind "Enter ": `'an amount, such as 12.50'`. */
  readonly expected?: string
  /** What a person who fills an import template in is told: a sentence. */
  readonly note?: string
  /** Cells of an import template, the best one first; each must be a value that the schema accepts. */
  readonly examples?: readonly Cell[]
}

/** A kind of value that an application defines; made by `defineKind`, used by `c.kind(...)`. */
export interface OwnKind<T = unknown> extends KindOptions<T> {
  readonly name: string
}

/** A table of any kind: made by a {@link ColumnKit} or by Drizzle itself, for either database. */
export type Model = Table

/** A row of a model as code sees it. */
export type ModelRow<M extends Model> = M['$inferSelect']

/** The names of a model's own fields. */
export type FieldName<M extends Model> = Extract<keyof ModelRow<M>, string>

/**
 * A field of a model, or one that foreign keys lead to: `country__continent__name`. Three levels are spelled out; what
 * is deeper, and where a table does not tell its type what it refers to (Drizzle's own), is checked at start.
 */
export type FieldPath<M extends Model, Depth extends readonly 0[] = []> =
  | FieldName<M>
  | { [K in FieldName<M>]: PathThrough<K, Referred<M, K>, Depth> }[FieldName<M>]

/** What a column refers to: a table, `undefined`, or `unknown` where its type does not tell. */
export type Referred<M extends Model, K extends string> = M['_']['columns'][K]['_'] extends {
  readonly references: infer R
}
  ? [R] extends ['self']
    ? M
    : R
  : unknown

type PathThrough<K extends string, R, Depth extends readonly 0[]> = [R] extends [undefined]
  ? never
  : Depth['length'] extends 2
    ? `${K}__${string}`
    : [R] extends [Model]
      ? `${K}__${FieldPath<R, [...Depth, 0]>}`
      : `${K}__${string}`

/** A model with the soft-delete fields, be it by SoftDeleteMixin or by hand. */
export type SoftDeletable = Model & { readonly isActive: unknown; readonly deletedAt: unknown }
