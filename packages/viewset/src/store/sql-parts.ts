import type { SQL } from 'drizzle-orm'
import type { Dialect } from '../model/dialect/dialect.ts'
import type { Database } from './connection/database.ts'
import { type GivenKeys, givenKeys } from './row-set.ts'
import { isSql } from './sql-value.ts'
import type { Values } from './write/write.ts'

export interface SqlPart {
  readonly rows: readonly Values[]
  readonly given: GivenKeys
  readonly sql: Readonly<Record<string, SQL>>
}

interface Draft {
  readonly rows: Values[]
  readonly sql: Record<string, SQL>
  readonly identities: Map<string, string>
}

/** Marks a row that does not set a field, which must not get another row's SQL. No SQL has this identity. */
const ABSENT = ''

/**
 * Splits rows if a user's SQL differs from that of the previous row. It may differ by a value inside, or only one of
 * both rows sets the field. The parts keep the order of rows, because the database numbers them.
 */
export function sqlParts({ dialect }: Database, rows: readonly Values[]): readonly SqlPart[] {
  const drafts: Draft[] = []
  const keys = [...givenKeys(rows).sql]
  for (const row of rows) {
    const expressions = Object.entries(row).flatMap(([key, value]) => (isSql(value) ? [[key, value] as const] : []))
    const identities = keys.flatMap(key => {
      const value = row[key]
      if (value === undefined) return [[key, ABSENT] as const]
      return isSql(value) ? [[key, identityOf(value, dialect)] as const] : []
    })
    let draft = drafts.at(-1)
    const fits = (at: Draft) => identities.every(([key, identity]) => (at.identities.get(key) ?? identity) === identity)
    if (!draft || !fits(draft)) {
      draft = { rows: [], sql: {}, identities: new Map() }
      drafts.push(draft)
    }
    for (const [key, identity] of identities) draft.identities.set(key, identity)
    Object.assign(draft.sql, Object.fromEntries(expressions))
    draft.rows.push(Object.fromEntries(Object.entries(row).filter(([, value]) => !isSql(value))))
  }
  return drafts.map(({ rows, sql }) => ({ rows, sql, given: givenKeys(rows) }))
}

function identityOf(expression: SQL, dialect: Dialect): string {
  const { text, values } = dialect.render(expression, 0)
  return JSON.stringify([text, values], withBigints)
}

export function withBigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}
