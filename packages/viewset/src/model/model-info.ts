import { type Column, is, SQL, type Table } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import { wireName } from '../core/wire-names.ts'
import { accepts, columnKind, ownType } from './column-kind.ts'
import type { Dialect, StoredColumn } from './dialect/dialect.ts'
import { dialectOf } from './dialect/dialects.ts'
import { type DrizzleTableConfig, readTable, sqlTypeOf } from './drizzle.ts'
import { searchColumns } from './drizzle-columns.ts'

/** What a foreign key refers to. */
export interface Reference {
  readonly target: Table
  /** The column of `target` that the foreign key holds; looked up when it is asked for, as tables refer to each other. */
  readonly column: ColumnInfo
}

/** One column of a model, as every layer above the store reads it. */
export interface ColumnInfo extends StoredColumn {
  /** The name in code: the key in the table's definition. */
  readonly key: string
  /** The name on the wire. */
  readonly wire: string
  readonly nullable: boolean
  /** Set without a client's help: by a default, by the database or by the audit fields. */
  readonly hasDefault: boolean
  /** Always made by the database, which refuses any other value: a generated column, an identity that is one always. */
  readonly generated: boolean
  readonly primaryKey: boolean
  readonly references: Reference | null
  /** Value for a new row, where the application makes it; SQL for one that the database works out. */
  readonly createValue: (() => unknown) | undefined
  /** Whether `createValue` is a plain value, the same for every row. */
  readonly hasPlainDefault: boolean
  /** Value for every update that does not set the column itself; SQL is about the row as it was. */
  readonly updateValue: (() => unknown) | undefined
}

/** Columns whose values, together, occur once. */
export interface Unique {
  readonly name: string | undefined
  readonly columns: readonly ColumnInfo[]
  /** Values that differ only in case count as one. */
  readonly ignoreCase: boolean
}

/** Columns whose values, together, occur once among the rows that meet a condition. */
export interface PartialUnique extends Unique {
  readonly where: SQL
  /** The columns that the condition names. */
  readonly whereColumns: readonly ColumnInfo[]
}

/** What Viewset knows of any table, read once. A join table needs no more than this. */
export interface TableInfo {
  /** Tells tables apart in the cache of statements: two may have one name, in two schemas or with other columns. */
  readonly id: number
  readonly table: Table
  readonly name: string
  readonly schema: string | undefined
  readonly dialect: Dialect
  readonly columns: readonly ColumnInfo[]
  /** The column that is the primary key; `undefined` where there is none, or where it takes several. */
  readonly primaryKey: ColumnInfo | undefined
  readonly byKey: ReadonlyMap<string, ColumnInfo>
  /** Groups of columns whose values occur once; the primary key is not among them. */
  readonly uniques: readonly Unique[]
  /** Groups of columns whose values occur once among some rows. */
  readonly partialUniques: readonly PartialUnique[]
  /** The columns of checks and unique indexes, also of what is no {@link Unique}, by the constraint's name. */
  readonly constraints: ReadonlyMap<string, readonly ColumnInfo[]>
  /** Unique indexes that are no {@link Unique}: over part of the rows, or over expressions that only the database knows. */
  readonly otherUniques: readonly Unique[]
  /** The columns that an index for search is declared over. */
  readonly searchIndex: readonly ColumnInfo[]
  /** Conditions that the database holds every row to. */
  readonly checks: readonly SQL[]
}

/** What Viewset knows of a model: a table whose rows are records. */
export interface ModelInfo extends TableInfo {
  readonly primaryKey: ColumnInfo
  readonly softDeletable: boolean
}

/** Fields that BaseModelMixin and TimeStampMixin fill by themselves. */
export const AUDIT_FIELDS: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'createdBy', 'updatedBy'])
/** Fields of SoftDeleteMixin. */
export const SOFT_DELETE_FIELDS: ReadonlySet<string> = new Set(['isActive', 'deletedAt'])

/** Methods of a record, which a field of the same name would hide. */
const RECORD_METHODS: ReadonlySet<string> = new Set(['getJson', 'save', 'delete', 'softDelete', 'restore'])

const knownTables = new WeakMap<Table, TableInfo>()
const known = new WeakMap<Table, ModelInfo>()
let models = 0

/** Describes a Drizzle table, whatever its primary key; the description is made once and kept. */
export function tableInfo(table: Table): TableInfo {
  let info = knownTables.get(table)
  if (!info) {
    info = describeTable(table)
    knownTables.set(table, info)
  }
  return info
}

/** Describes a Drizzle table whose rows are records. @throws ConfigError for one that lacks what records need. */
export function modelInfo(table: Table): ModelInfo {
  let info = known.get(table)
  if (!info) {
    info = describeModel(table)
    known.set(table, info)
  }
  return info
}

function describeModel(table: Table): ModelInfo {
  const info = tableInfo(table)
  const { primaryKey } = info
  if (!primaryKey) {
    throw new ConfigError(info.name, 'model', 'needs a primary key of exactly one column')
  }
  for (const field of info.byKey.keys()) {
    const owner = methodOwner(field)
    if (!owner) continue
    throw new ConfigError(info.name, field, `is the name of a method of every ${owner}; name the field otherwise`)
  }
  return {
    ...info,
    primaryKey,
    softDeletable: [...SOFT_DELETE_FIELDS].every(field => info.byKey.has(field)),
  }
}

/** What has a method of that name by itself, which a field would hide. */
export function methodOwner(field: string): 'record' | 'object' | undefined {
  if (RECORD_METHODS.has(field)) return 'record'
  return field in Object.prototype ? 'object' : undefined
}

function describeTable(table: Table): TableInfo {
  const dialect = dialectOf(table)
  const config = readTable(table, dialect.tableConfig(table) as DrizzleTableConfig)
  const keys = new Set(config.primaryKeys.flat().map(column => column.name))
  const references = new Map(config.foreignKeys.map(foreignKey => [foreignKey.column.name, foreignKey]))
  const columns = [...config.columns].map(([name, column]) => describeColumn(name, column, keys, references))
  const byName = new Map(columns.map(column => [column.name, column]))
  const infoOf = (column: Column) => byName.get(column.name) as ColumnInfo
  return {
    id: ++models,
    table,
    name: config.name,
    schema: config.schema,
    dialect,
    columns,
    primaryKey: onlyOne(columns.filter(column => column.primaryKey)),
    byKey: new Map(columns.map(column => [column.key, column])),
    uniques: config.uniques.map(unique => ({
      ...unique,
      columns: unique.columns.map(infoOf),
    })),
    partialUniques: config.partialUniques.map(unique => ({
      ...unique,
      columns: unique.columns.map(infoOf),
      whereColumns: unique.whereColumns.map(infoOf),
    })),
    otherUniques: config.uniqueIndexes
      .filter(({ name }) => !config.uniques.some(unique => unique.name === name))
      .map(({ name, columns: covered }) => ({ name, columns: covered.map(infoOf), ignoreCase: false })),
    constraints: new Map(
      [...config.checks, ...config.uniqueIndexes].map(named => [named.name, named.columns.map(infoOf)]),
    ),
    searchIndex: columns.filter(column => searchColumns(table).has(column.name)),
    checks: config.checks.map(({ condition }) => condition),
  }
}

function onlyOne<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined
}

function describeColumn(
  key: string,
  column: Column,
  primaryKeys: ReadonlySet<string>,
  references: ReadonlyMap<string, { readonly target: Table; readonly targetColumn: Column }>,
): ColumnInfo {
  const reference = references.get(column.name)
  const kind = columnKind(column)
  return {
    ...kind,
    ...(kind.kind === 'text' && column.default === '' && { allowBlank: kind.allowBlank ?? true }),
    ownType: ownType(column, kind),
    accepts: kind.kind === 'other' ? value => accepts(column, value) : undefined,
    key,
    wire: wireName(key),
    name: column.name,
    sqlType: sqlTypeOf(column),
    nullable: !column.notNull && !column.primary,
    hasDefault: column.hasDefault || column.generated !== undefined || column.generatedIdentity !== undefined,
    generated: column.generated !== undefined || column.generatedIdentity?.type === 'always',
    primaryKey: primaryKeys.has(column.name),
    references: reference ? referenceTo(reference.target, reference.targetColumn.name) : null,
    createValue: createValue(column),
    hasPlainDefault: hasPlainDefault(column),
    updateValue: column.onUpdateFn,
    column,
  }
}

function referenceTo(target: Table, name: string): Reference {
  let found: ColumnInfo | undefined
  return {
    target,
    get column() {
      found ??= tableInfo(target).columns.find(column => column.name === name) as ColumnInfo
      return found
    },
  }
}

/** A default that is a plain value is given with every new row, so that rows with and without it make one statement. */
function createValue(column: Column): (() => unknown) | undefined {
  if (column.defaultFn) return column.defaultFn
  if (hasPlainDefault(column)) return () => column.default
  // As in Drizzle's own inserts: what has no default at all begins with what an update would set.
  return column.default === undefined ? column.onUpdateFn : undefined
}

function hasPlainDefault({ default: value, defaultFn }: Column): boolean {
  return defaultFn === undefined && value !== undefined && !is(value, SQL)
}
