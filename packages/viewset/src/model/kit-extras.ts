import { type Column, type DrizzleEntityClass, getTableName, is, type SQL, sql, type Table } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import type { Dialect } from './dialect/dialect.ts'
import { columnNameOf, notedKind } from './drizzle-columns.ts'
import type { ConstraintColumn, TableConstraint, TableExtra } from './kit.ts'
import { type ColumnBuilders, letterCaseOf } from './kit-columns.ts'
import { noteSearchColumns } from './search-columns.ts'

interface ConstraintBuilder {
  on(...columns: readonly object[]): object
}

interface IndexBuilder {
  where(condition: SQL): object
}

/** What a dialect brings to its kit: its builders, under one set of names. */
export interface KitParts {
  readonly dialect: Dialect
  /** The database's own clock, for rows that are inserted behind the application's back. */
  readonly now: SQL
  table(name: string, columns: never, constraints: never): object
  check(name: string, condition: SQL): object
  unique(name: string): { on: unknown }
  uniqueIndex(name: string): { on: unknown }
  index(name: string): { on: unknown }
  /** An index that finds a text in these expressions; `undefined` where none of the builders makes one. */
  searchIndex(name: string, folded: readonly SQL[]): object | undefined
  readonly columns: ColumnBuilders
  /** Drizzle's own builders of constraints and indexes. */
  readonly extras: readonly DrizzleEntityClass<object>[]
}

/** The columns of a table under construction. */
type Builders = Readonly<Record<string, object>>

/** A constraint or an index of a table, as its dialect builds it; `undefined` for what is made in another way. */
export function buildExtra(
  parts: Omit<KitParts, 'dialect' | 'now' | 'columns'>,
  table: Table,
  builders: Builders,
  extra: TableExtra,
): object | undefined {
  const name = getTableName(table)
  if (!isOfKit(extra)) {
    if (parts.extras.some(known => is(extra, known))) return extra
    throw new ConfigError(
      name,
      'constraints',
      'must be those of the kit, or of the Drizzle builders of the same database',
    )
  }
  const { type, columns, where } = extra
  const suffix = type === 'index' || type === 'search' ? type : 'unique'
  const constraint = `${name}_${columns.map(column => column.name).join('_')}_${suffix}`
  // A constraint has no condition; an index has.
  if (where) return withCondition((parts.uniqueIndex(constraint) as ConstraintBuilder).on(...columns), where)
  if (type === 'unique' || type === 'index') return (parts[type](constraint) as ConstraintBuilder).on(...columns)
  // The columns that constraints are given know only their names.
  const own = columns.map(column => Object.values(builders).find(builder => columnNameOf(builder) === column.name))
  const folded = columns.map((column, at) => {
    const letterCase = letterCaseOf(own[at])
    return letterCase === '' ? sql`lower(${column})` : sql`lower(${column}${sql.raw(letterCase)})`
  })
  if (type === 'uniqueIgnoringCase') return (parts.uniqueIndex(constraint) as ConstraintBuilder).on(...folded)
  refuseOtherThanText(name, own)
  noteSearchColumns(
    table,
    columns.map(column => column.name),
  )
  return parts.searchIndex(constraint, folded)
}

/** The statement that makes an index takes no parameters. */
function withCondition(index: object, where: SQL): object {
  return (index as IndexBuilder).where(where.inlineParams())
}

function isOfKit(extra: TableExtra): extra is TableConstraint {
  return 'type' in extra && 'columns' in extra
}

/** What Drizzle's builders keep: an index in its configuration, a constraint in itself. */
interface DrizzleExtra {
  readonly config?: { readonly columns?: readonly ConstraintColumn[]; readonly where?: unknown }
  readonly columns?: readonly ConstraintColumn[]
}

/** Whether a column has an index that begins with it, by itself or by `declared`. */
export function beginsIndex(column: Column, declared: readonly TableExtra[]): boolean {
  if (column.primary || column.isUnique) return true
  return declared.some(extra => {
    if (isOfKit(extra)) {
      const { type, columns, where } = extra
      return (type === 'unique' || type === 'index') && !where && columns[0]?.name === column.name
    }
    const { config, columns } = extra as DrizzleExtra
    return !config?.where && (config?.columns ?? columns)?.[0]?.name === column.name
  })
}

function refuseOtherThanText(table: string, builders: readonly (object | undefined)[]): void {
  const other = builders.find(builder => !builder || notedKind(builder)?.kind !== 'text')
  if (!other) return
  throw new ConfigError(table, 'searchIndex', `"${columnNameOf(other)}" holds no text; only text can be searched`)
}
