import { type SQL, sql } from 'drizzle-orm'
import type { Dialect, RenderedSql } from '../model/dialect/dialect.ts'
import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { Database } from './connection/database.ts'
import type { ProjectedRelation, Projection, Scope } from './projection.ts'
import { expressionName, type RenderedProjection, tableName } from './select.ts'
import type { Values } from './write/write.ts'

/** Pieces of SQL and the values in them, one after the other. */
interface Rendered<T extends string | undefined = string> {
  readonly texts: readonly T[]
  readonly values: readonly unknown[]
}

const NONE = { texts: [], values: [] }
const NOTHING_TO_RENDER = { expressions: [], tables: [], values: [] }

/**
 * Renders a projection for a statement that selects from its joins; the values stand in front of those of the
 * conditions.
 */
export function renderProjection(
  database: Database,
  projection: Projection,
): RenderedProjection & { readonly values: readonly unknown[] } {
  if (projection.expressions.length === 0 && projection.derived.length === 0) return NOTHING_TO_RENDER
  const expressions = renderExpressions(database, projection, 0)
  const tables = renderTables(database, projection, expressions.values.length)
  return {
    expressions: expressions.texts,
    tables: tables.texts,
    values: [...expressions.values, ...tables.values],
  }
}

/** Renders the expressions of a projection itself, behind `offset` earlier values. */
export function renderExpressions(database: Database, { expressions }: Projection, offset: number): Rendered {
  if (expressions.length === 0) return NONE
  const values: unknown[] = []
  const texts = expressions.map(expression => {
    const rendered = renderExpression(database, expression, offset + values.length)
    values.push(...rendered.values)
    return rendered.text
  })
  return { texts, values }
}

/** Expressions of the configuration as they were last rendered: the same for every request of a kind. */
const lastRendered = new WeakMap<SQL, RenderedSql & { readonly offset: number; readonly dialect: Dialect }>()

/** Renders an expression that does not change between requests, in parentheses and behind `offset` earlier values. */
export function renderExpression(database: Database, expression: SQL, offset: number): RenderedSql {
  const { dialect } = database
  const known = lastRendered.get(expression)
  if (known?.offset === offset && known.dialect === dialect) return known
  const rendered = { ...dialect.render(sql`(${expression})`, offset), offset, dialect }
  lastRendered.set(expression, rendered)
  return rendered
}

/** Renders what the relations of a projection join, behind `offset` earlier values. */
export function renderTables(
  database: Database,
  { derived }: Projection,
  offset: number,
): Rendered<string | undefined> {
  if (derived.length === 0) return NONE
  const values: unknown[] = []
  const texts = derived.map(relation => {
    const { text, values: inTable } = derivedTable(database, relation, offset + values.length)
    values.push(...inTable)
    return text
  })
  return { texts, values }
}

/**
 * The related table under its own name, which is what scopes and expressions are written on: inside, that name means
 * this join's rows and no others, however often the statement joins the table.
 */
function derivedTable(
  database: Database,
  { scope, projection }: ProjectedRelation,
  offset: number,
): { readonly text: string | undefined; readonly values: readonly unknown[] } {
  const { texts, values } = renderExpressions(database, projection, offset)
  const condition = renderScope(database, scope, offset + values.length)
  if (texts.length === 0 && !condition) return { text: undefined, values: [] }
  const selected = ['*', ...texts.map((text, index) => `${text} as ${expressionName(index)}`)]
  const where = condition ? ` where ${condition.text}` : ''
  return {
    text: `(select ${selected.join(', ')} from ${tableName(projection.model)}${where})`,
    values: [...values, ...(condition?.values ?? [])],
  }
}

/** Renders one scope; the parentheses keep a condition with OR from swallowing what is added behind it. */
export function renderScope(database: Database, scope: Scope | undefined, offset: number): RenderedSql | undefined {
  const condition = scope?.()
  return condition && database.dialect.render(sql`(${condition})`, offset)
}

/** The check constraints that a record with these values would not meet; what is not given is null. */
export async function brokenChecks(database: Database, model: ModelInfo, record: Values): Promise<readonly SQL[]> {
  const { checks, columns, schema, name } = model
  // Checks name their table, and no derived table can be called as one in a schema is.
  if (checks.length === 0 || schema !== undefined) return []
  const { dialect } = database
  const values: unknown[] = []
  const tests = checks.map(check => {
    const { text, values: own } = renderExpression(database, check, values.length)
    values.push(...own)
    return `case when not ${text} then 1 else 0 end`
  })
  const given = columns.map(column => {
    values.push(dialect.encode(column, record[column.key]))
    return `${typed(column, dialect.typedPlaceholder(column, values.length))} as ${quoteName(column.name)}`
  })
  const text = `select ${tests.join(', ')} from (select ${given.join(', ')}) as ${quoteName(name)}`
  const { rows } = await database.run({ text }, values)
  return checks.filter((_, index) => Number(rows[0]?.[index]) === 1)
}

/** A decimal is a number to a check; sent as text, it would be text to SQLite. */
function typed({ kind }: ColumnInfo, placeholder: string): string {
  return kind === 'decimal' ? `cast(${placeholder} as numeric)` : placeholder
}
