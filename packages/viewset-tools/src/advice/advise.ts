import type { CatalogueTable } from '../catalogue/catalogue.ts'
import type { Need, Reason, RowsNeed, SearchNeed, UniqueNeed, Weight } from './needs.ts'
import { notSearched, type OrderedIndex, orderedIndexes, servesRows, servesUnique } from './serves.ts'

/** An index that a database lacks. */
export interface AdvisedIndex {
  readonly kind: 'index' | 'search' | 'unique' | 'uniqueIgnoringCase'
  readonly table: CatalogueTable
  /** As the database names them. */
  readonly columns: readonly string[]
  readonly weight: Weight
  /** The requests that it serves. */
  readonly reasons: readonly Reason[]
  /** The names of indexes that find nothing more once this one is there. */
  readonly replaces: readonly string[]
  /** What a unique constraint is called in the model. */
  readonly name?: string | undefined
}

/**
 * What a database lacks of the indexes that are needed: none that begins another one, of these or of those that are
 * there. What is asked for most comes first.
 *
 * @param searched the ids of the models whose index for search is there as they declare it
 */
export function advise(needs: readonly Need[], searched: ReadonlySet<number>): readonly AdvisedIndex[] {
  const byTable = Map.groupBy(needs, ({ table }) => table)
  return [...byTable].flatMap(([table, own]) => {
    const uniques = adviseUniques(own.filter(need => need.kind === 'unique'))
    const advised = [
      ...uniques,
      ...adviseRows(
        table,
        own.filter(need => need.kind === 'rows'),
        uniques,
      ),
      ...adviseSearch(
        own.filter(need => need.kind === 'search'),
        searched,
      ),
    ]
    return advised.sort((a, b) => a.weight - b.weight)
  })
}

function adviseRows(
  table: CatalogueTable,
  needs: readonly RowsNeed[],
  uniques: readonly AdvisedIndex[],
): readonly AdvisedIndex[] {
  const there = [...orderedIndexes(table), ...uniques.filter(({ kind }) => kind === 'unique').map(asIndex)]
  const unserved = needs.filter(need => !there.some(index => servesRows(index, need)))
  return fewest(unserved).map(index => {
    const served = unserved.filter(need => servesRows(index, need))
    return {
      kind: 'index',
      table,
      columns: index.columns.map(({ name }) => name),
      weight: Math.min(...served.map(({ weight }) => weight)) as Weight,
      reasons: once(served.map(({ reason }) => reason)),
      replaces: replacedBy(index, table),
    }
  })
}

/** Indexes that serve all needs, and none that could be left out. */
function fewest(needs: readonly RowsNeed[]): readonly OrderedIndex[] {
  // The longest serve the most.
  const candidates = needs.map(indexFor).sort((a, b) => b.columns.length - a.columns.length)
  const kept = new Set<OrderedIndex>()
  for (const candidate of candidates) {
    if (![...kept].some(index => begins(candidate, index))) kept.add(candidate)
  }
  const servedBy = (index: OrderedIndex) => needs.filter(need => servesRows(index, need))
  for (const index of [...kept].sort((a, b) => servedBy(a).length - servedBy(b).length)) {
    const others = [...kept].filter(other => other !== index)
    if (servedBy(index).every(need => others.some(other => servesRows(other, need)))) kept.delete(index)
  }
  return [...kept]
}

/** The index that a need would have made for itself. */
function indexFor({ equal, flags, order }: RowsNeed): OrderedIndex {
  const names = new Set([...equal, ...flags, ...order.map(({ name }) => name)])
  return { columns: [...names].map(name => ({ name, descending: false })), uniqueTo: undefined }
}

function asIndex({ columns }: AdvisedIndex): OrderedIndex {
  return { columns: columns.map(name => ({ name, descending: false })), uniqueTo: columns.length }
}

function begins(index: OrderedIndex, other: OrderedIndex): boolean {
  return (
    index.columns.length <= other.columns.length &&
    index.columns.every(({ name }, at) => other.columns[at]?.name === name)
  )
}

/** Indexes that only find rows, by columns that the new one begins with and has in the same order, or the other way round. */
function replacedBy(index: OrderedIndex, { indexes }: CatalogueTable): readonly string[] {
  return indexes.flatMap(({ name, unique, covering, columns, order }) => {
    if (name === null || unique || covering || !columns || columns.length > order.length) return []
    if (columns.some(({ descending }) => descending !== columns[0]?.descending)) return []
    return begins({ columns, uniqueTo: undefined }, index) ? [name] : []
  })
}

function adviseUniques(needs: readonly UniqueNeed[]): readonly AdvisedIndex[] {
  const missing = needs.filter(need => !servesUnique(need))
  const byColumns = Map.groupBy(missing, ({ columns, ignoreCase }) => `${ignoreCase} ${columns.join()}`)
  return [...byColumns.values()].map(same => {
    const [{ table, columns, ignoreCase, name }] = same as [UniqueNeed]
    return {
      kind: ignoreCase ? 'uniqueIgnoringCase' : 'unique',
      table,
      columns,
      weight: 1,
      reasons: once(same.map(({ reason }) => reason)),
      replaces: [],
      name,
    }
  })
}

/** One index for each table: with the columns that its model declares already, as there is but one where it is asked. */
function adviseSearch(needs: readonly SearchNeed[], searched: ReadonlySet<number>): readonly AdvisedIndex[] {
  const [first] = needs
  if (!first) return []
  const { table, model } = first
  const isAsked = model.dialect.searchIndex !== null
  const declared = model.searchIndex.map(({ name }) => name)
  const isMissing = (columns: readonly string[]) => {
    if (!isAsked) return notSearched({ table, columns }).length > 0
    return !searched.has(model.id) || columns.some(name => !declared.includes(name))
  }
  const missing = needs.filter(({ columns }) => isMissing(columns))
  if (missing.length === 0) return []
  const asked = new Set(missing.flatMap(({ columns }) => (isAsked ? columns : notSearched({ table, columns }))))
  const all = model.columns.map(({ name }) => name)
  const columns = all.filter(name => asked.has(name) || (isAsked && declared.includes(name)))
  return [
    { kind: 'search', table, columns, weight: 2, reasons: once(missing.map(({ reason }) => reason)), replaces: [] },
  ]
}

function once(reasons: readonly Reason[]): readonly Reason[] {
  const known = new Map(reasons.map(reason => [`${reason.resource} ${reason.request}`, reason]))
  return [...known.values()]
}
