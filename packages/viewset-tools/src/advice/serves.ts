import type { CatalogueTable, IndexedColumn } from '../catalogue/catalogue.ts'
import type { RowsNeed, SearchNeed, UniqueNeed } from './needs.ts'

/** An index that lists all rows of a table in an order. */
export interface OrderedIndex {
  readonly columns: readonly IndexedColumn[]
  /** The number of leading columns that identify one row; `undefined` if none do. */
  readonly uniqueTo: number | undefined
}

/** Includes the primary key. */
export function orderedIndexes({ primaryKey, indexes }: CatalogueTable): readonly OrderedIndex[] {
  const key = primaryKey.map(name => ({ name, descending: false }))
  return [
    ...(key.length > 0 ? [{ columns: key, uniqueTo: key.length }] : []),
    ...indexes.flatMap(({ valid, unique, columns, order }) => {
      if (!valid || order.length === 0) return []
      const isUnique = unique && columns !== null && columns.length <= order.length
      return [{ columns: order, uniqueTo: isUnique ? columns.length : undefined }]
    }),
  ]
}

/**
 * Whether an index has the needed rows side by side and in their order. The terms after the first one may have the
 * other direction: then only rows with equal first terms have to be sorted.
 */
export function servesRows(
  { columns, uniqueTo }: OrderedIndex,
  { equal, flags, order }: Omit<RowsNeed, 'reason'>,
): boolean {
  const wanted = new Set(equal)
  const known = new Set([...equal, ...flags])
  let at = 0
  for (; at < columns.length; at++) {
    const { name } = columns[at] as IndexedColumn
    if (!known.delete(name)) break
    wanted.delete(name)
    // At most one row.
    if (at + 1 === uniqueTo) return true
  }
  if (wanted.size > 0) return false
  const constant = new Set([...equal, ...flags])
  for (const { name } of order) {
    if (constant.has(name)) continue
    if (columns[at]?.name !== name) return false
    at++
    if (at === uniqueTo) return true
  }
  return true
}

/** The needed columns that no search index covers. */
export function notSearched({ table, columns }: Pick<SearchNeed, 'table' | 'columns'>): readonly string[] {
  const searched = new Set(
    table.indexes.flatMap(({ valid, expressions }) => (valid ? expressions.map(plainExpression) : [])),
  )
  const ways = ['gin_trgm_ops', 'gist_trgm_ops']
  return columns.filter(name => !ways.some(way => searched.has(plainExpression(`lower(${name}) ${way}`))))
}

/** Whether the database enforces that values are unique. */
export function servesUnique({ table, columns, ignoreCase, folded }: Omit<UniqueNeed, 'reason'>): boolean {
  const wanted = new Set(columns)
  if (!ignoreCase) {
    return orderedIndexes(table).some(index => {
      if (index.uniqueTo === undefined) return false
      const keyColumns = index.columns.slice(0, index.uniqueTo)
      return keyColumns.length === wanted.size && keyColumns.every(({ name }) => wanted.has(name))
    })
  }
  const wantedTexts = folded.map(plainExpression)
  return table.indexes.some(({ valid, unique, expressions }) => {
    if (!valid || !unique || expressions.length !== wantedTexts.length) return false
    return expressions.every(expression => wantedTexts.includes(plainExpression(expression)))
  })
}

/** SQL without the database's additions: casts, quotes, parentheses and the default collation. */
function plainExpression(expression: string): string {
  return expression
    .replace(/::(?:text|character varying(?:\(\d+\))?)/gi, '')
    .replace(/collate "?default"?/gi, '')
    .replace(/[\s()"]/g, '')
    .toLowerCase()
}
