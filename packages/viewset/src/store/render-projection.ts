import { type SQL, sql } from 'drizzle-orm'
import type { Dialect, RenderedSql } from '../model/dialect/dialect.ts'
import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { Database } from './connection/database.ts'
import type { ProjectedRelation, Projection, Scope } from './projection.ts'
import { expressionName, type RenderedProjection, tableName } from './select.ts'
import { dependsOnRequest } from './user-value.ts'
import type { Values } from './write/write.ts'

interface Rendered<T extends string | undefined = string> {
  readonly texts: readonly T[]
  readonly values: readonly unknown[]
}

const NONE = { texts: [], values: [] }
const NOTHING_TO_RENDER = { expressions: [], tables: [], values: [] }

/** Renders a projection for a statement that selects from its joins. Its values precede those of the conditions. */
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

/** Cached rendering of configured expressions that are the same in every request. */
const lastRendered = new WeakMap<SQL, RenderedSql & { readonly offset: number; readonly dialect: Dialect }>()

/** Renders a configured expression, in parentheses and after `offset` earlier values. */
export function renderExpression(database: Database, expression: SQL, offset: number): RenderedSql {
  const { dialect } = database
  if (dependsOnRequest(expression)) return dialect.render(sql`(${expression})`, offset)
  const known = lastRendered.get(expression)
  if (known?.offset === offset && known.dialect === dialect) return known
  const rendered = { ...dialect.render(sql`(${expression})`, offset), offset, dialect }
  lastRendered.set(expression, rendered)
  return rendered
}

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
 * The related table as a derived table under its own name. Scopes and expressions use this name: it then means only the
 * rows of this join, even if the statement joins the table several times.
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

export function renderScope(database: Database, scope: Scope | undefined, offset: number): RenderedSql | undefined {
  const condition = scope?.()
  return condition && database.dialect.render(sql`(${condition})`, offset)
}

/** The check constraints that a record with these values would violate. Missing values are null. */
export async function brokenChecks(database: Database, model: ModelInfo, record: Values): Promise<readonly SQL[]> {
  const { checks, columns, schema, name } = model
  // Checks name their table, and a derived table cannot have a schema.
  if (checks.length === 0 || schema !== undefined) return []
  const { dialect } = database
  const values: unknown[] = []
  const tests = checks.map(check => {
    const { text, values: checkValues } = renderExpression(database, check, values.length)
    values.push(...checkValues)
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

/** A decimal must be a number in a check; as a text parameter, it would be text in SQLite. */
function typed({ kind }: ColumnInfo, placeholder: string): string {
  return kind === 'decimal' ? `cast(${placeholder} as numeric)` : placeholder
}
