import { sql } from 'drizzle-orm'
import { type RenderedSql, renderSql } from '../model/drizzle.ts'
import type { Database } from './database.ts'
import type { Projection, Scope } from './projection.ts'
import type { RelationScopes } from './select.ts'

interface RenderedScopes {
  readonly texts: RelationScopes
  readonly values: readonly unknown[]
}

const NONE: RenderedScopes = { texts: [], values: [] }

/** Renders the scopes of a projection's relations for the running request, behind `offset` earlier values. */
export function renderScopes(database: Database, { scoped }: Projection, offset: number): RenderedScopes {
  if (scoped.length === 0) return NONE
  const values: unknown[] = []
  const texts = scoped.map(({ scope }) => {
    const rendered = renderScope(database, scope, offset + values.length)
    values.push(...(rendered?.values ?? []))
    return rendered?.text
  })
  return { texts, values }
}

/** Renders one scope; the parentheses keep a condition with OR from swallowing what is added behind it. */
export function renderScope(database: Database, scope: Scope | undefined, offset: number): RenderedSql | undefined {
  const condition = scope?.()
  return condition && renderSql(sql`(${condition})`, database.dialect.name, offset)
}
