import { Column, is, Param, SQL, StringChunk, type Table } from 'drizzle-orm'

/**
 * The columns that a condition compares with one value each, as far as Drizzle's `eq` and `and` show it:
 * `and(eq(orders.tenant, id), eq(orders.isActive, true), ...)`. Other parts are skipped.
 */
export function equalColumns(condition: SQL, table: Table): readonly Column[] {
  const chunks = condition.queryChunks.filter(chunk => textOf(chunk) !== '')
  const [first, second, third] = chunks
  if (chunks.length === 1 && is(first, SQL)) return equalColumns(first, table)
  if (is(first, Column) && textOf(second) === ' = ' && isValue(third) && chunks.length === 3) {
    return first.table === table ? [first] : []
  }
  const inside = textOf(first) === '(' && textOf(chunks.at(-1)) === ')' ? chunks.slice(1, -1) : chunks
  if (inside.length === 1 && is(inside[0], SQL)) return equalColumns(inside[0], table)
  const isConjunction = inside.every((chunk, index) => (index % 2 ? textOf(chunk) === ' and ' : is(chunk, SQL)))
  return isConjunction ? inside.flatMap(chunk => (is(chunk, SQL) ? equalColumns(chunk, table) : [])) : []
}

function isValue(chunk: unknown): boolean {
  return is(chunk, Param) || ['string', 'number', 'bigint', 'boolean'].includes(typeof chunk)
}

function textOf(chunk: unknown): string | undefined {
  return is(chunk, StringChunk) ? chunk.value.join('') : undefined
}
