import { type Column, getTableColumns, getTableName, is, SQL, sql, type Table } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import { refuseUnknown } from '../core/refuse-unknown.ts'
import { suggestion } from '../core/suggestion.ts'
import { columnKind } from './column-kind.ts'
import { columnNameOf, type DialectName, LETTER_CASE, nameColumns, namedAsRelation } from './drizzle.ts'
import {
  COLLATIONS,
  type Collation,
  type ColumnKit,
  type ReferenceAction,
  type TableConstraint,
  type TextOptions,
} from './kit.ts'
import { mixinColumns } from './mixins.ts'

/** A column builder of either dialect: the methods that a kit itself calls. */
interface Builder {
  references(target: () => Column, actions?: { readonly onDelete?: ReferenceAction }): Builder
}

interface DefaultBuilder {
  default(value: unknown): DefaultBuilder
  $defaultFn(value: () => unknown): DefaultBuilder
}

interface ConstraintBuilder {
  on(...columns: readonly object[]): object
}

/** What a dialect brings to its kit: its builders, under one set of names. */
export interface KitParts {
  readonly dialect: DialectName
  /** The database's own clock, for rows that are inserted behind the application's back. */
  readonly now: SQL
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
  }
}

/** Makes the {@link ColumnKit} of a dialect from its Drizzle builders. */
export function createKit({ dialect, now, columns: ownColumns, ...parts }: KitParts): ColumnKit {
  /** Text columns whose collation knows of no letters but ASCII's. */
  const collated = new WeakSet<object>()
  const columns = {
    ...ownColumns,
    text: (first?: number | TextOptions, second: TextOptions = {}) => {
      const [length, options] = typeof first === 'object' ? [undefined, first] : [first, second]
      const collation = collationOf(options)
      const builder = ownColumns.text(length, collation)
      if (collation !== undefined && dialect === 'pg') collated.add(builder)
      return builder
    },
    bigint: () => withLiteralDefault(ownColumns.bigint(), String),
    json: () => withLiteralDefault(ownColumns.json(), value => quoteText(JSON.stringify(value))),
  }
  /** The allowed values of enumeration columns, until their table is known and can have the check. */
  const enumerations = new WeakMap<object, readonly string[]>()

  const enumeration = (values: readonly [string, ...string[]]) => {
    const builder = columns.enumeration(values)
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
    const isCollated = ({ name: own }: { readonly name: string }) =>
      Object.values(builders).some(builder => collated.has(builder) && columnNameOf(builder) === own)
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
        const folded = covered.map(column =>
          isCollated(column) ? sql`lower(${column}${sql.raw(LETTER_CASE)})` : sql`lower(${column})`,
        )
        return (parts.uniqueIndex(constraint) as ConstraintBuilder).on(...folded)
      }),
    ]
    // Each database's own `table` takes its own builders, which this code for both cannot name.
    const built = parts.table(name, builders as never, extras as never)
    for (const builder of Object.values(builders)) selfReferences.get(builder)?.(built as Table)
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
    const { kind, length } = columnKind(key)
    if (kind !== 'uuid' && kind !== 'integer' && kind !== 'bigint' && kind !== 'text') {
      throw new ConfigError(getTableName(target), 'foreignKey', `a ${kind} primary key cannot be referred to by a kit`)
    }
    const builder = kind === 'text' ? columns.text(length) : columns[kind]()
    return namedAsRelation((builder as Builder).references(() => key, options))
  }

  const kit = {
    ...columns,
    dialect,
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

/** @throws ConfigError for an option or an order of text that there is not. */
function collationOf(options: TextOptions): Collation | undefined {
  refuseUnknown('text', 'option', Object.keys(options), ['collation'])
  const { collation } = options
  if (collation === undefined || COLLATIONS.includes(collation)) return collation
  const problem = `unknown collation "${collation}"${suggestion(String(collation), COLLATIONS)}`
  throw new ConfigError('text', 'collation', problem)
}

/**
 * Writes a column's default into the schema as SQL, and keeps the value for code: drizzle-kit (0.31) fails on a bigint,
 * and on JSON with a quote in it.
 */
function withLiteralDefault(column: object, literal: (value: unknown) => string): object {
  const builder = column as DefaultBuilder
  const setDefault = builder.default
  builder.default = value =>
    is(value, SQL)
      ? setDefault.call(builder, value)
      : setDefault.call(builder, sql.raw(literal(value))).$defaultFn(() => value)
  return builder
}

function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
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
