import type { KindName } from '../../kinds/kind.ts'
import { quoteName } from '../drizzle.ts'
import { pgArrayText } from '../values.ts'
import type { RowSetColumn } from './dialect.ts'

/** Kinds whose values travel as texts and are read where they are selected: `unnest` would take a list of lists apart. */
const AS_TEXT: ReadonlySet<KindName> = new Set(['json', 'array', 'binary', 'other'])

/**
 * Rows that travel as an array for each column: half of the work that JSON is for the server, and fewer bytes, since
 * no row names its columns.
 */
export function selectPgRowSet(columns: readonly RowSetColumn[], placeholders: readonly string[]): string {
  const names = columns.map(({ name }) => quoteName(name))
  const arrays = columns.map(({ kind, sqlType }, i) => {
    return `${placeholders[i]}::${AS_TEXT.has(kind) ? 'text' : withoutLimits(sqlType)}[]`
  })
  const selected = columns.map(({ kind, sqlType }, i) => {
    return AS_TEXT.has(kind) ? `${names[i]}::${withoutLimits(sqlType)} as ${names[i]}` : names[i]
  })
  return `select ${selected.join(', ')} from unnest(${arrays.join(', ')}) as rows(${names.join(', ')})`
}

/** Rows of encoded values as one array for each column. */
export function pgRowSet(columns: readonly RowSetColumn[], rows: readonly (readonly unknown[])[]): readonly string[] {
  return columns.map(({ kind }, at) => {
    const values = rows.map(row => row[at])
    return AS_TEXT.has(kind) ? pgArrayText(values.map(asText)) : plainArrayText(values)
  })
}

/** A list of texts, numbers, booleans and nulls. */
function plainArrayText(values: readonly unknown[]): string {
  // JSON and PostgreSQL escape quotes and backslashes alike; JSON other characters as well. V8 writes JSON faster.
  const json = JSON.stringify(values)
  return /\\[^"\\]/.test(json) ? pgArrayText(values) : `{${json.slice(1, -1)}}`
}

/** What a column's own functions have made of a value, as text. */
function asText(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return pgArrayText(value)
  return value instanceof Date ? value.toISOString() : JSON.stringify(value)
}

/** Types that have the length 1 where none is said, by the names of the same without any. */
const UNLIMITED: Readonly<Record<string, string>> = { char: 'bpchar', character: 'bpchar', bit: 'varbit' }

/** A type without its limits: a cast to them would cut values off, where storing one that is too long is an error. */
export function withoutLimits(sqlType: string): string {
  const type = sqlType.replace(/("(?:[^"]|"")*")|\s*\([^)]*\)/g, '$1')
  return UNLIMITED[type] ?? type
}
