import { type Column, getTableColumns, getTableName, type SQL, sql, type Table } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import { refuseUnknown } from '../core/refuse-unknown.ts'
import { suggestion } from '../core/suggestion.ts'
import type { KindName, ValueInfo } from '../kinds/kind.ts'
import { columnKind } from './column-kind.ts'
import { kindFrom, type OwnKind } from './define-kind.ts'
import type { Dialect } from './dialect/dialect.ts'
import { madeBy } from './dialect/dialects.ts'
import { columnNameOf, nameColumns, namedAsRelation, notedKind, noteKind } from './drizzle-columns.ts'
import {
  COLLATIONS,
  type Collation,
  type ColumnKit,
  type ReferenceAction,
  type TableConstraint,
  type TextOptions,
} from './kit.ts'
import { jsonLiteral, quoteText, withLiteralDefault } from './literal-default.ts'
import { mixinColumns } from './mixins.ts'

/** A column builder of either dialect: the methods that a kit itself calls. */
interface Builder {
  references(target: () => Column, actions?: { readonly onDelete?: ReferenceAction }): Builder
}

interface ConstraintBuilder {
  on(...columns: readonly object[]): object
}

/** What a dialect brings to its kit: its builders, under one set of names. */
export interface KitParts {
  readonly dialect: Dialect
  /** The database's own clock, for rows that are inserted behind the application's back. */
  readonly now: SQL
  /** Whether lists are kept as JSON. Default false. */
  readonly jsonArrays?: boolean
  table(name: string, columns: never, constraints: never): object
  check(name: string, condition: SQL): object
  unique(name: string): { on: unknown }
  uniqueIndex(name: string): { on: unknown }
  index(name: string): { on: unknown }
  readonly columns: {
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
    /** A list of what a column under construction holds. */
    array(of: object): object
    binary(): object
  }
}

/** Makes the {@link ColumnKit} of a dialect from its Drizzle builders. */
export function createKit({ dialect, now, jsonArrays = false, columns: ownColumns, ...parts }: KitParts): ColumnKit {
  /** What stands behind text columns whose collation knows of no letters but ASCII's, where the others have their case too. */
  const letterCases = new WeakMap<object, string>()
  const noted = (builder: object, kind: KindName, limits: Partial<ValueInfo> = {}) =>
    noteKind(builder, { kind, ...limits })
  const columns = {
    text: (first?: number | TextOptions, second: TextOptions = {}) => {
      const [length, options] = typeof first === 'object' ? [undefined, first] : [first, second]
      const collation = collationOf(options)
      const builder = ownColumns.text(length, collation)
      letterCases.set(
        builder,
        dialect.letterCase({ name: '', kind: 'text', sqlType: 'text', ...(collation && { collation }) }),
      )
      return noted(builder, 'text', length === undefined ? {} : { length })
    },
    integer: () => noted(ownColumns.integer(), 'integer', { bits: 32 }),
    bigint: () => noted(withLiteralDefault(ownColumns.bigint(), String), 'bigint', { bits: 64 }),
    decimal: (precision: number, scale: number) =>
      noted(ownColumns.decimal(precision, scale), 'decimal', { precision, scale }),
    float: () => noted(ownColumns.float(), 'float'),
    boolean: () => noted(ownColumns.boolean(), 'boolean'),
    timestamp: () => noted(ownColumns.timestamp(), 'timestamp'),
    date: () => noted(ownColumns.date(), 'date'),
    time: () => noted(ownColumns.time(), 'time'),
    uuid: () => noted(ownColumns.uuid(), 'uuid'),
    json: () => noted(withLiteralDefault(ownColumns.json(), jsonLiteral), 'json'),
    array: (of: object) => {
      const item = itemOf(of)
      const builder = ownColumns.array(of)
      return noted(jsonArrays ? withLiteralDefault(builder, jsonLiteral) : builder, 'array', { item })
    },
    binary: (length: number = STANDARD_BYTES) => noted(ownColumns.binary(), 'binary', { length: checkedBytes(length) }),
  }
  /** The allowed values of enumeration columns, until their table is known and can have the check. */
  const enumerations = new WeakMap<object, readonly string[]>()

  const enumeration = (values: readonly [string, ...string[]]) => {
    const builder = noted(ownColumns.enumeration(values), 'enumeration', { values })
    enumerations.set(builder, values)
    return builder
  }

  const table = (
    name: string,
    builders: Readonly<Record<string, object>>,
    constraints?: (columns: Record<string, Column>) => readonly TableConstraint[],
  ) => {
    nameColumns(builders)
    // The columns that constraints are given know only their names.
    const letterCaseOf = ({ name: own }: { readonly name: string }) =>
      letterCases.get(Object.values(builders).find(builder => columnNameOf(builder) === own) ?? {}) ?? ''
    const extras = (own: Record<string, Column>) => [
      ...Object.entries(builders).flatMap(([key, builder]) => {
        const values = enumerations.get(builder)
        const column = own[key]
        return values && column ? [parts.check(`${name}_${column.name}_check`, isOneOf(column, values))] : []
      }),
      ...(constraints?.(own) ?? []).map(({ type, columns: covered }) => {
        const suffix = type === 'index' ? 'index' : 'unique'
        const constraint = `${name}_${covered.map(column => column.name).join('_')}_${suffix}`
        if (type !== 'uniqueIgnoringCase') return (parts[type](constraint) as ConstraintBuilder).on(...covered)
        const folded = covered.map(column => {
          const letterCase = letterCaseOf(column)
          return letterCase === '' ? sql`lower(${column})` : sql`lower(${column}${sql.raw(letterCase)})`
        })
        return (parts.uniqueIndex(constraint) as ConstraintBuilder).on(...folded)
      }),
    ]
    // Each database's own `table` takes its own builders, which this code for both cannot name.
    const built = parts.table(name, builders as never, extras as never)
    for (const builder of Object.values(builders)) selfReferences.get(builder)?.(built as Table)
    madeBy(dialect, built as Table)
    return built
  }

  /** Foreign keys to the table being defined wait here for it. */
  const selfReferences = new WeakMap<object, (table: Table) => void>()

  const foreignKey = (target: Table | 'self', options: { readonly onDelete?: ReferenceAction } = {}) => {
    if (target === 'self') {
      let self: Table | undefined
      const builder = (columns.uuid() as Builder).references(() => primaryKeyOf(self as Table), options)
      selfReferences.set(builder, built => {
        self = built
      })
      return namedAsRelation(builder)
    }
    const key = primaryKeyOf(target)
    const info = columnKind(key)
    const { kind, length, ownKind } = info
    if (kind !== 'uuid' && kind !== 'integer' && kind !== 'bigint' && kind !== 'text') {
      throw new ConfigError(getTableName(target), 'foreignKey', `a ${kind} primary key cannot be referred to by a kit`)
    }
    const builder = kind === 'text' ? columns.text(length) : columns[kind]()
    // What a key of an application's own kind may look like, it may look like here.
    if (ownKind) noteKind(builder, info)
    return namedAsRelation((builder as Builder).references(() => key, options))
  }

  const ownKinded = <T>(own: OwnKind<T>) => {
    const builder: object = own.column(portable)
    const info = notedKind(builder)
    if (!info)
      throw new ConfigError(`defineKind('${own.name}')`, 'column', 'must be a column of the kit that it is given')
    return noteKind(builder, { ...info, ownKind: kindFrom(own, info) })
  }

  const kit = {
    ...columns,
    kind: ownKinded,
    dialect: dialect.name,
    table,
    enumeration,
    foreignKey,
    unique: (...covered: readonly Column[]): TableConstraint => ({ type: 'unique', columns: covered }),
    uniqueIgnoringCase: (column: Column): TableConstraint => ({ type: 'uniqueIgnoringCase', columns: [column] }),
    index: (...covered: readonly Column[]): TableConstraint => ({ type: 'index', columns: covered }),
  }
  // Each dialect's builders are its own classes. ColumnKit promises one set of types for all of them (the reason is
  // told there), so this is the one place where the types are asserted rather than derived.
  const portable = kit as unknown as ColumnKit
  return Object.assign(portable, mixinColumns(portable, now))
}

/** Bytes of a binary value, where a model says nothing else. */
const STANDARD_BYTES = 1024 * 1024

/** @throws ConfigError */
function checkedBytes(length: number): number {
  if (Number.isSafeInteger(length) && length > 0) return length
  throw new ConfigError('binary', 'length', `must be a whole number of bytes above 0, not ${String(length)}`)
}

/** Kinds whose JSON is their own value, so that a list of them can be kept as JSON. */
const ITEMS: ReadonlySet<KindName> = new Set([
  'text',
  'enumeration',
  'integer',
  'decimal',
  'float',
  'boolean',
  'timestamp',
  'date',
  'time',
  'uuid',
])

/** What the items of an array are. @throws ConfigError for a column that no array can be of. */
function itemOf(builder: object): ValueInfo {
  const info = notedKind(builder)
  if (!info) throw new ConfigError('array', 'of', 'must be a column of the same kit: c.array(c.text())')
  if (!ITEMS.has(info.kind)) throw new ConfigError('array', 'of', `cannot be of ${info.kind}; use c.json() instead`)
  return info
}

/** @throws ConfigError for an option or an order of text that there is not. */
function collationOf(options: TextOptions): Collation | undefined {
  refuseUnknown('text', 'option', Object.keys(options), ['collation'])
  const { collation } = options
  if (collation === undefined || COLLATIONS.includes(collation)) return collation
  const problem = `unknown collation "${collation}"${suggestion(String(collation), COLLATIONS)}`
  throw new ConfigError('text', 'collation', problem)
}

function primaryKeyOf(table: Table): Column {
  const key = Object.values(getTableColumns(table)).find(column => column.primary)
  if (!key) throw new ConfigError(getTableName(table), 'foreignKey', 'the table has no single-column primary key')
  return key
}

function isOneOf(column: Column, values: readonly string[]): SQL {
  const literals = values.map(value => sql.raw(quoteText(value)))
  return sql`${column} in (${sql.join(literals, sql`, `)})`
}
