import { type Column, type DrizzleEntityClass, getTableName, is, SQL, sql, type Table } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import { checkOptions, setting, unchecked } from '../core/setting-rules.ts'
import { suggestion } from '../core/suggestion.ts'
import type { KindName, ValueInfo } from '../kinds/kind.ts'
import { has } from '../kinds/kinds.ts'
import { constantDefault } from './constant-default.ts'
import type { Dialect } from './dialect/dialect.ts'
import { LOWERED } from './drizzle.ts'
import { columnNameOf, notedKind, noteKind, noteNamedConstraint, noteSearchColumns } from './drizzle-columns.ts'
import { COLLATIONS, type Collation, type TableConstraint, type TableExtra, type TextOptions } from './kit.ts'
import type { ConstraintColumn, NamedConstraint } from './named-constraint.ts'

/** A dialect's column builders under the names of the kit. */
export interface ColumnBuilders {
  text(length?: number, collation?: Collation): object
  integer(): object
  bigint(): object
  decimal(precision: number, scale: number): object
  boolean(): object
  timestamp(): object
  date(): object
  uuid(): object
  json(): object
  enumeration(values: readonly [string, ...string[]]): object
  float(): object
  time(): object
  /** A list of the values of another column under construction. */
  array(of: object): object
  binary(): object
  /** A 64-bit primary key that numbers itself and never reuses a number. Default: an integer. */
  counter?(): object
  /** SQL literals for a list and for bytes. */
  readonly literals: { array(items: readonly unknown[]): string; bytes(bytes: Uint8Array): string }
}

const collated = new WeakSet<object>()

const letterCases = new WeakMap<object, string>()

function letterCaseOf(builder: object | undefined): string {
  return (builder && letterCases.get(builder)) ?? ''
}

export function kitColumns(dialect: Dialect, builders: ColumnBuilders) {
  const noted = (builder: object, kind: KindName, limits: Partial<ValueInfo> = {}) =>
    noteKind(builder, { kind, ...limits })
  return {
    text: (first?: number | TextOptions, second: TextOptions = {}) => {
      const [length, options] = typeof first === 'object' ? [undefined, first] : [first, second]
      const collation = collationOf(options)
      const builder = builders.text(length, collation)
      const stored = { name: '', kind: 'text', sqlType: 'text', ...(collation && { collation }) } as const
      letterCases.set(builder, dialect.letterCase(stored))
      if (collation) collated.add(builder)
      const { trim, allowBlank } = options
      return noted(builder, 'text', {
        ...(length !== undefined && { length }),
        ...(trim !== undefined && { trim }),
        ...(allowBlank !== undefined && { allowBlank }),
      })
    },
    enumeration: (values: readonly [string, ...string[]]) =>
      noted(builders.enumeration(values), 'enumeration', { values }),
    integer: () => noted(builders.integer(), 'integer', { bits: 32 }),
    bigint: () => noted(withLiteralDefault(builders.bigint(), String), 'bigint', { bits: 64 }),
    decimal: (precision: number, scale: number) => {
      if (scale < 0) throw new ConfigError('decimal', 'scale', `must not be below 0, as ${scale} is`)
      return noted(builders.decimal(precision, scale), 'decimal', { precision, scale })
    },
    float: () => noted(builders.float(), 'float'),
    boolean: () => noted(builders.boolean(), 'boolean'),
    timestamp: () => noted(builders.timestamp(), 'timestamp'),
    date: () => noted(builders.date(), 'date'),
    time: () => noted(builders.time(), 'time'),
    uuid: () => noted(builders.uuid(), 'uuid'),
    json: () => noted(withLiteralDefault(builders.json(), jsonLiteral), 'json'),
    array: (of: object) => {
      const item = itemOf(of)
      const literal = (items: unknown) => builders.literals.array(items as readonly unknown[])
      return noted(withLiteralDefault(builders.array(of), literal), 'array', { item })
    },
    binary: (length: number = STANDARD_BYTES) => {
      const literal = (bytes: unknown) => builders.literals.bytes(bytes as Uint8Array)
      return noted(withLiteralDefault(builders.binary(), literal), 'binary', { length: checkedBytes(length) })
    },
  }
}

const STANDARD_BYTES = 1024 * 1024

function checkedBytes(length: number): number {
  if (Number.isSafeInteger(length) && length > 0) return length
  throw new ConfigError('binary', 'length', `must be a whole number of bytes above 0, not ${String(length)}`)
}

function itemOf(builder: object): ValueInfo {
  const info = notedKind(builder)
  if (!info) throw new ConfigError('array', 'of', 'must be a column of the same kit: c.array(c.text())')
  if (!has(info, 'item')) throw new ConfigError('array', 'of', `cannot be of ${info.kind}; use c.json() instead`)
  if (collated.has(builder)) throw new ConfigError('array', 'of', 'cannot be of a text with a collation of its own')
  return info
}

export const TEXT_RULES = { trim: setting.boolean, allowBlank: setting.boolean }

/** @throws ConfigError for an unknown option or collation. */
function collationOf(options: TextOptions): Collation | undefined {
  checkOptions('text', { collation: unchecked, ...TEXT_RULES }, options)
  const { collation } = options
  if (collation === undefined || COLLATIONS.includes(collation)) return collation
  const problem = `unknown collation "${collation}"${suggestion(String(collation), COLLATIONS)}`
  throw new ConfigError('text', 'collation', problem)
}

interface ConstraintBuilder {
  on(...columns: readonly object[]): object
}

interface IndexBuilder {
  where(condition: SQL): object
}

/** The builders and literals of a dialect, from which its kit is made. */
export interface KitParts {
  readonly dialect: Dialect
  /** The database's clock, for rows that other programs insert. */
  readonly now: SQL
  table(name: string, columns: never, constraints: never): object
  check(name: string, condition: SQL): object
  primaryKey(config: { readonly columns: readonly [never, ...never[]] }): object
  unique(name: string): { on: unknown }
  uniqueIndex(name: string): { on: unknown }
  index(name: string): { on: unknown }
  /** The SQL before and after a text in a unique index that ignores case. */
  readonly uniqueFold: readonly [before: string, after: string]
  /** An index for searching text in these expressions; `undefined` if the dialect makes it in another way. */
  searchIndex(name: string, folded: readonly SQL[]): object | undefined
  readonly columns: ColumnBuilders
  /** Drizzle's builders of constraints and indexes. */
  readonly extras: readonly DrizzleEntityClass<object>[]
}

type Builders = Readonly<Record<string, object>>

/** `undefined` if the dialect makes it in another way. */
export function buildExtra(
  parts: Omit<KitParts, 'dialect' | 'now' | 'columns'>,
  table: Table,
  builders: Builders,
  extra: TableExtra,
): object | undefined {
  const name = getTableName(table)
  if (isNamed(extra)) {
    noteNamedConstraint(table, extra)
    return undefined
  }
  if (!isOfKit(extra)) {
    if (parts.extras.some(known => is(extra, known))) return withLiteralCondition(extra)
    throw new ConfigError(
      name,
      'constraints',
      'must be those of the kit, or of the Drizzle builders of the same database',
    )
  }
  const { type, columns, where } = extra
  // Drizzle's builder takes the columns of its own database, which code for both cannot name.
  if (type === 'primaryKey') return parts.primaryKey({ columns: columns as never })
  // A foreign key may have an index of all rows beside it.
  const suffix = type === 'index' && where ? 'partial_index' : type === 'index' || type === 'search' ? type : 'unique'
  const constraint = `${name}_${columns.map(column => column.name).join('_')}_${suffix}`
  if (where) {
    // A constraint has no condition; an index has.
    const index = type === 'unique' ? parts.uniqueIndex(constraint) : parts.index(constraint)
    return ((index as ConstraintBuilder).on(...columns) as IndexBuilder).where(where.inlineParams())
  }
  if (type === 'unique' || type === 'index') return (parts[type](constraint) as ConstraintBuilder).on(...columns)
  // Constraints get columns that know only their names.
  const named = columns.map(column => Object.values(builders).find(builder => columnNameOf(builder) === column.name))
  const foldedBy = ([before, after]: readonly [string, string]) =>
    columns.map((column, at) => sql`${sql.raw(before)}${column}${sql.raw(letterCaseOf(named[at]) + after)}`)
  if (type === 'uniqueIgnoringCase') {
    return (parts.uniqueIndex(constraint) as ConstraintBuilder).on(...foldedBy(parts.uniqueFold))
  }
  refuseOtherThanText(name, named)
  noteSearchColumns(
    table,
    columns.map(column => column.name),
  )
  return parts.searchIndex(constraint, foldedBy(LOWERED))
}

/** CREATE INDEX and CHECK take no parameters, which `eq(t.isActive, true)` would make. */
function withLiteralCondition(extra: object): object {
  const { config, value } = extra as DrizzleExtra
  for (const condition of [config?.where, value]) if (is(condition, SQL)) condition.inlineParams()
  return extra
}

function isOfKit(extra: TableExtra): extra is TableConstraint {
  return 'type' in extra && 'columns' in extra
}

function isNamed(extra: TableExtra): extra is NamedConstraint {
  return 'type' in extra && extra.type === 'named'
}

/** Private data of Drizzle's builders. An index keeps it in its configuration, a constraint in itself. */
interface DrizzleExtra {
  /** The condition of a check. */
  readonly value?: unknown
  readonly config?: { readonly columns?: readonly ConstraintColumn[]; readonly where?: unknown }
  readonly columns?: readonly ConstraintColumn[]
}

/** Whether an index begins with the column: one of the column itself, or one of `declared`. */
export function beginsIndex(column: Column, declared: readonly TableExtra[]): boolean {
  if (column.primary || column.isUnique) return true
  return declared.some(extra => {
    if (isNamed(extra)) return false
    if (isOfKit(extra)) {
      const { type, columns, where } = extra
      return (
        (type === 'primaryKey' || type === 'unique' || type === 'index') && !where && columns[0]?.name === column.name
      )
    }
    const { config } = extra as DrizzleExtra
    return !config?.where && columnsOfExtra(extra)[0]?.name === column.name
  })
}

/** The columns of a constraint or an index; `undefined` for one that a program without types took from no table. */
export function columnsOfExtra(extra: TableExtra): readonly (ConstraintColumn | undefined)[] {
  if (isOfKit(extra)) return extra.columns
  const { config, columns = [] } = extra as DrizzleExtra
  return config?.columns ?? columns
}

function refuseOtherThanText(table: string, builders: readonly (object | undefined)[]): void {
  const other = builders.find(builder => !builder || notedKind(builder)?.kind !== 'text')
  if (!other) return
  throw new ConfigError(table, 'searchIndex', `"${columnNameOf(other)}" holds no text; only text can be searched`)
}

interface DefaultBuilder {
  default(value: unknown): DefaultBuilder
  $defaultFn(value: () => unknown): DefaultBuilder
}

/**
 * Writes a column's default into the schema as SQL and keeps the value for code. drizzle-kit (0.31) fails on bigints,
 * bytes, and quotes in JSON and in lists.
 */
function withLiteralDefault(column: object, literal: (value: unknown) => string): object {
  const builder = column as DefaultBuilder
  const setDefault = builder.default
  builder.default = value =>
    is(value, SQL)
      ? setDefault.call(builder, value)
      : setDefault.call(builder, sql.raw(literal(value))).$defaultFn(constantDefault(value))
  return builder
}

export function jsonLiteral(value: unknown): string {
  return quoteText(JSON.stringify(value))
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
