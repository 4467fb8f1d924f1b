import { type Column, is, SQL, type Table } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import type { Text } from '../core/messages/message.ts'
import { wireName } from '../core/wire-names.ts'
import { accepts, columnKind, ownType } from './column-kind.ts'
import { isConstantDefault } from './constant-default.ts'
import type { Dialect, StoredColumn } from './dialect/dialect.ts'
import { dialectOf } from './dialect/dialects.ts'
import { type DrizzleTableConfig, type ForeignKeyConfig, readTable, sqlTypeOf } from './drizzle.ts'
import { namedConstraintsOf, searchColumns } from './drizzle-columns.ts'

/** The target of a foreign key. */
export interface Reference {
  readonly target: Table
  /** The column of `target`, found on first use because tables can refer to each other. */
  readonly column: ColumnInfo
  /** Whether the database refuses to delete a row that this one refers to. */
  readonly restrictsDelete: boolean
}

/** A column of a model, as the layers above the store use it. */
export interface ColumnInfo extends StoredColumn {
  /** The name in code: the key in the table's definition. */
  readonly key: string
  /** The name in JSON. */
  readonly wire: string
  readonly nullable: boolean
  /** Filled without the client: by a default, by the database or by the audit fields. */
  readonly hasDefault: boolean
  /** Always computed by the database: a generated column, or GENERATED ALWAYS AS IDENTITY. */
  readonly generated: boolean
  readonly primaryKey: boolean
  readonly references: Reference | null
  /** The value for a new row, if the application makes it; SQL if the database computes it. */
  readonly createValue: (() => unknown) | undefined
  /** Whether `createValue` is a constant. */
  readonly hasPlainDefault: boolean
  /** The value for every update that does not set the column. SQL refers to the row before the update. */
  readonly updateValue: (() => unknown) | undefined
}

/** Columns whose values together are unique. */
export interface Unique {
  readonly name: string | undefined
  readonly columns: readonly ColumnInfo[]
  /** Values that differ only in case count as equal. */
  readonly ignoreCase: boolean
}

/** Columns whose values together are unique among the rows that meet a condition. */
export interface PartialUnique extends Unique {
  readonly where: SQL
  /** The columns in the condition. */
  readonly whereColumns: readonly ColumnInfo[]
}

/** The properties of a table, read once. A join table needs no others. */
export interface TableInfo {
  /** Identifies the table in the statement cache: two tables can have the same name in two schemas. */
  readonly id: number
  readonly table: Table
  readonly name: string
  readonly schema: string | undefined
  readonly dialect: Dialect
  readonly columns: readonly ColumnInfo[]
  /** The primary key column; `undefined` without one, or if several columns form it. */
  readonly primaryKey: ColumnInfo | undefined
  /** All columns of the primary key, in their order; empty without one. */
  readonly key: readonly ColumnInfo[]
  readonly byKey: ReadonlyMap<string, ColumnInfo>
  /** Groups of unique columns, without the primary key. */
  readonly uniques: readonly Unique[]
  /** Groups of columns that are unique among some rows. */
  readonly partialUniques: readonly PartialUnique[]
  /** The columns of checks and unique indexes by the constraint's name, including those without a {@link Unique}. */
  readonly constraints: ReadonlyMap<string, readonly ColumnInfo[]>
  /** The answers for checks, exclusion constraints and triggers by name. */
  readonly refusals: ReadonlyMap<string, { readonly column: ColumnInfo | undefined; readonly text: Text }>
  /** Unique indexes without a {@link Unique}: over part of the rows, or over expressions. */
  readonly otherUniques: readonly Unique[]
  /** The columns of a search index. */
  readonly searchIndex: readonly ColumnInfo[]
  /** The conditions of check constraints. */
  readonly checks: readonly SQL[]
  /** Foreign keys by which the database itself deletes or changes rows, without a write of the table. */
  readonly keyActions: readonly {
    readonly columns: readonly ColumnInfo[]
    /** Whether it changes rows, beside deletions. */
    readonly changes: boolean
  }[]
}

/** A model: a table whose rows are records. */
export interface ModelInfo extends TableInfo {
  /** The primary key column. Of a composite key it is the first part, and of a table without a key the first column. */
  readonly primaryKey: ColumnInfo
  /** Columns that order all rows: the key or, without one, all columns that can be compared. */
  readonly totalOrder: readonly ColumnInfo[]
  readonly softDeletable: boolean
}

export const AUDIT_FIELDS: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'createdBy', 'updatedBy'])
export const SOFT_DELETE_FIELDS: ReadonlySet<string> = new Set(['isActive', 'deletedAt'])

/** A field with one of these names would hide a method of the record. */
const RECORD_METHODS: ReadonlySet<string> = new Set(['getJson', 'save', 'delete', 'softDelete', 'restore'])

const knownTables = new WeakMap<Table, TableInfo>()
const known = new WeakMap<Table, ModelInfo>()
let models = 0

export function tableInfo(table: Table): TableInfo {
  let info = knownTables.get(table)
  if (!info) {
    info = describeTable(table)
    knownTables.set(table, info)
  }
  return info
}

/** @throws ConfigError for a table without a column that orders its rows. */
export function modelInfo(table: Table): ModelInfo {
  let info = known.get(table)
  if (!info) {
    info = describeModel(table)
    known.set(table, info)
  }
  return info
}

/** The kinds of columns whose values have no order in each database. */
const UNORDERED: ReadonlySet<string> = new Set(['json', 'array', 'other'])

function describeModel(table: Table): ModelInfo {
  const info = tableInfo(table)
  const totalOrder = info.key.length > 0 ? info.key : info.columns.filter(({ kind }) => !UNORDERED.has(kind))
  const [primaryKey] = totalOrder
  if (!primaryKey) throw new ConfigError(info.name, 'model', 'needs a primary key, or a column that orders its rows')
  for (const field of info.byKey.keys()) {
    const owner = methodOwner(field)
    if (!owner) continue
    throw new ConfigError(info.name, field, `is the name of a method of every ${owner}; name the field otherwise`)
  }
  return {
    ...info,
    primaryKey,
    totalOrder,
    softDeletable: [...SOFT_DELETE_FIELDS].every(field => info.byKey.has(field)),
  }
}

export function methodOwner(field: string): 'record' | 'object' | undefined {
  if (RECORD_METHODS.has(field)) return 'record'
  return field in Object.prototype ? 'object' : undefined
}

function describeTable(table: Table): TableInfo {
  const dialect = dialectOf(table)
  const config = readTable(table, dialect.tableConfig(table) as DrizzleTableConfig)
  const key = [...new Set(config.primaryKeys.flat().map(column => column.name))]
  const keys = new Set(key)
  const references = new Map(config.foreignKeys.map(foreignKey => [foreignKey.column.name, foreignKey]))
  const uniques = [...config.uniques, ...config.partialUniques]
  const foldingSigma = new Set(uniques.flatMap(({ foldingSigma = [] }) => foldingSigma.map(({ name }) => name)))
  const columns = [...config.columns].map(([name, column]) => ({
    ...describeColumn(name, column, keys, references),
    ...(foldingSigma.has(column.name) && { foldsSigma: true }),
  }))
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
    key: key.flatMap(name => byName.get(name) ?? []),
    byKey: new Map(columns.map(column => [column.key, column])),
    uniques: config.uniques.map(({ foldingSigma: _, ...unique }) => ({
      ...unique,
      columns: unique.columns.map(infoOf),
    })),
    partialUniques: config.partialUniques.map(({ foldingSigma: _, ...unique }) => ({
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
    refusals: new Map(
      [...namedConstraintsOf(table).values()].map(({ name, column, message }) => [
        name,
        { column: column && byName.get(column.name), text: message },
      ]),
    ),
    searchIndex: columns.filter(column => searchColumns(table).has(column.name)),
    checks: config.checks.map(({ condition }) => condition),
    keyActions: config.keyActions.map(({ columns, changes }) => ({ columns: columns.map(infoOf), changes })),
  }
}

function onlyOne<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined
}

function describeColumn(
  key: string,
  column: Column,
  primaryKeys: ReadonlySet<string>,
  references: ReadonlyMap<string, ForeignKeyConfig>,
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
    references: reference ? referenceTo(reference) : null,
    createValue: createValue(column),
    hasPlainDefault: hasPlainDefault(column),
    updateValue: column.onUpdateFn,
    column,
  }
}

function referenceTo({ target, targetColumn: { name }, restrictsDelete }: ForeignKeyConfig): Reference {
  let found: ColumnInfo | undefined
  return {
    target,
    restrictsDelete,
    get column() {
      found ??= tableInfo(target).columns.find(column => column.name === name) as ColumnInfo
      return found
    },
  }
}

/** Constant defaults are sent with every new row, so that all inserts have the same columns. */
function createValue(column: Column): (() => unknown) | undefined {
  if (column.defaultFn) return column.defaultFn
  if (hasPlainDefault(column)) return () => column.default
  // As in Drizzle's inserts: without a default, a new row gets the update value.
  return column.default === undefined ? column.onUpdateFn : undefined
}

function hasPlainDefault({ default: value, defaultFn }: Column): boolean {
  return defaultFn ? isConstantDefault(defaultFn) : value !== undefined && !is(value, SQL)
}
