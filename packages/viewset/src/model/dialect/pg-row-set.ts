import { quoteName } from '../drizzle.ts'
import { pgArrayText } from '../values.ts'
import type { RowSetColumn } from './dialect.ts'

/**
 * Sends rows as one array for each column: half the server's work of JSON, and fewer bytes because rows do not repeat
 * names.
 */
export function selectPgRowSet(columns: readonly RowSetColumn[], placeholders: readonly string[]): string {
  const names = columns.map(({ name }) => quoteName(name))
  const travels = columns.map((column, i) => travel(column, names[i] as string))
  const selected = travels.map(travel => travel.selected).join(', ')
  const arrays = travels.map(({ array }, i) => `${placeholders[i]}::${array}[]`).join(', ')
  return `select ${selected} from unnest(${arrays}) as rows(${names.join(', ')})`
}

function travel(column: RowSetColumn, name: string): { readonly array: string; readonly selected: string } {
  const type = castType(column)
  // Lists travel as texts: `unnest` would flatten a list of lists.
  if (isList(column)) return { array: 'text', selected: `${name}::${type} as ${name}` }
  // Database-specific types too, each in its own list. `unnest` would split composites. A cast from text to a domain
  // would cut the text off instead of rejecting it.
  if (column.kind === 'other') return { array: 'text', selected: `(${name}::${type}[])[1] as ${name}` }
  return { array: type, selected: name }
}

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

function plainArrayText(values: readonly unknown[]): string {
  // JSON and PostgreSQL escape quotes and backslashes alike, JSON also other characters. V8 is faster at writing JSON.
  const json = JSON.stringify(values)
  return /\\[^"\\]/.test(json) ? pgArrayText(values) : `{${json.slice(1, -1)}}`
}

function asText(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return pgArrayText(value)
  return value instanceof Date ? value.toISOString() : JSON.stringify(value)
}

const CUT =
  /^(?:(?:national )?(?:char|character)(?: varying)?|nchar(?: varying)?|bpchar|varchar|bit(?: varying)?|varbit)(?: *\([^)]*\))?((?:\[\d*\])*)$/i

/**
 * The cast type. Without its length if a cast would cut values off silently: storing a value that is too long must be
 * an error. Other types keep their limits, because the stored (rounded) values are compared.
 */
function castType({ sqlType }: RowSetColumn): string {
  const found = CUT.exec(sqlType)
  if (!found) return sqlType
  const unlimited = /bit/i.test(sqlType) ? 'varbit' : /var/i.test(sqlType) ? 'varchar' : 'bpchar'
  return `${unlimited}${found[1]}`
}
