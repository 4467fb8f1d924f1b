import { quoteName } from '../drizzle.ts'
import { pgArrayText } from '../values.ts'
import type { RowSetColumn } from './dialect.ts'

/**
 * Rows that travel as an array for each column: half of the work that JSON is for the server, and fewer bytes, since
 * no row names its columns.
 */
export function selectPgRowSet(columns: readonly RowSetColumn[], placeholders: readonly string[]): string {
  const names = columns.map(({ name }) => quoteName(name))
  const travels = columns.map((column, i) => travel(column, names[i] as string))
  const selected = travels.map(travel => travel.selected).join(', ')
  const arrays = travels.map(({ array }, i) => `${placeholders[i]}::${array}[]`).join(', ')
  return `select ${selected} from unnest(${arrays}) as rows(${names.join(', ')})`
}

/** The type that a column's values are a list of on their way, and how they are selected. */
function travel(column: RowSetColumn, name: string): { readonly array: string; readonly selected: string } {
  const type = castType(column)
  // Lists travel as texts: `unnest` would take a list of lists apart.
  if (isList(column)) return { array: 'text', selected: `${name}::${type} as ${name}` }
  // So do types that only their database knows, each in a list of its own: `unnest` takes composites apart, and a cast
  // of a text to a domain cuts it off, where reading it refuses what is too long.
  if (column.kind === 'other') return { array: 'text', selected: `(${name}::${type}[])[1] as ${name}` }
  return { array: type, selected: name }
}

/** Rows of encoded values as one array for each column. */
export function pgRowSet(columns: readonly RowSetColumn[], rows: readonly (readonly unknown[])[]): readonly string[] {
  return columns.map((column, at) => {
    const values = rows.map(row => row[at])
    if (isList(column)) return pgArrayText(values.map(asText))
    if (column.kind !== 'other') return plainArrayText(values)
    return pgArrayText(values.map(value => (isNothing(value) ? null : pgArrayText([asText(value)]))))
  })
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined
}

function isList({ sqlType }: RowSetColumn): boolean {
  return sqlType.endsWith(']')
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

/** Types of texts and bits; behind them, whether they are lists. */
const CUT =
  /^(?:(?:national )?(?:char|character)(?: varying)?|nchar(?: varying)?|bpchar|varchar|bit(?: varying)?|varbit)(?: *\([^)]*\))?((?:\[\d*\])*)$/i

/**
 * The type that values are cast to: without its length where a cast would cut them off in silence. Storing one that is
 * too long is an error, as it is of a row written alone. Other types keep their limits: values are compared as they
 * will be stored, which is rounded.
 */
function castType({ sqlType }: RowSetColumn): string {
  const found = CUT.exec(sqlType)
  if (!found) return sqlType
  const unlimited = /bit/i.test(sqlType) ? 'varbit' : /var/i.test(sqlType) ? 'varchar' : 'bpchar'
  return `${unlimited}${found[1]}`
}
