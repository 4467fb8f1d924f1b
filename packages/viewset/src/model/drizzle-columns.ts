import { type Column, type SQL, sql, type Table } from 'drizzle-orm'
import { wireName } from '../core/wire-names.ts'
import type { ValueInfo } from '../kinds/kind.ts'
import type { NamedConstraint } from './named-constraint.ts'

function configOf(columnOrBuilder: object): { name: string } | undefined {
  return Reflect.get(columnOrBuilder, 'config')
}

const noted = new WeakMap<object, ValueInfo>()

/** Notes the kind of a column under construction, because its SQL type may be ambiguous. */
export function noteKind<B extends object>(builder: B, info: ValueInfo): B {
  const config = configOf(builder)
  if (config) noted.set(config, info)
  return builder
}

export function notedKind(columnOrBuilder: object): ValueInfo | undefined {
  const config = configOf(columnOrBuilder)
  return config && noted.get(config)
}

const relationColumns = new WeakSet<object>()

export function namedAsRelation<B extends object>(builder: B): B {
  relationColumns.add(builder)
  return builder
}

export function nameColumns(columns: Readonly<Record<string, object>>): void {
  for (const [key, builder] of Object.entries(columns)) {
    const config = configOf(builder)
    if (config?.name === '') config.name = wireName(key) + (relationColumns.has(builder) ? '_id' : '')
  }
}

export function columnNameOf(builder: object): string | undefined {
  return configOf(builder)?.name
}

/** Splits the collation from a `customType`, because casts do not take it. */
export function splitCollation(sqlType: string): { readonly type: string; readonly collation: string | undefined } {
  const [type = '', collation] = sqlType.split(/ collate /i)
  return { type, collation }
}

export function hasOwnForm(column: Column): boolean {
  return typeof Reflect.get(column, 'mapTo') === 'function'
}

const unchanged = new WeakSet<object>()

/**
 * The result of `$onUpdateFn` that leaves its column unchanged. Drizzle's updates set the column to itself; Viewset's
 * updates leave it out.
 */
export function unchangedColumn(name: string): SQL {
  const expression = sql`${sql.identifier(name)}`
  unchanged.add(expression)
  return expression
}

export function isUnchanged(value: unknown): boolean {
  return typeof value === 'object' && value !== null && unchanged.has(value)
}

const searched = new WeakMap<Table, Set<string>>()

export function noteSearchColumns(table: Table, names: readonly string[]): void {
  searched.set(table, new Set([...(searched.get(table) ?? []), ...names]))
}

/** Complete once the dialect has read the table. */
export function searchColumns(table: Table): ReadonlySet<string> {
  return searched.get(table) ?? new Set()
}

const namedConstraints = new WeakMap<Table, Map<string, NamedConstraint>>()

export function noteNamedConstraint(table: Table, constraint: NamedConstraint): void {
  namedConstraints.set(table, new Map(namedConstraints.get(table)).set(constraint.name, constraint))
}

/** By name. Complete once the dialect has read the table. */
export function namedConstraintsOf(table: Table): ReadonlyMap<string, NamedConstraint> {
  return namedConstraints.get(table) ?? new Map()
}
