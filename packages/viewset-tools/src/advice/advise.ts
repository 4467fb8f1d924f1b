import type { CatalogueTable } from '../catalogue/catalogue.ts'
import type { Need, Reason, RowsNeed, SearchNeed, UniqueNeed, Weight } from './needs.ts'
import { notSearched, type OrderedIndex, orderedIndexes, servesRows, servesUnique } from './serves.ts'

export interface AdvisedIndex {
  readonly kind: 'index' | 'search' | 'unique' | 'uniqueIgnoringCase'
  readonly table: CatalogueTable
  /** By their names in the database. */
  readonly columns: readonly string[]
  readonly weight: Weight
  readonly reasons: readonly Reason[]
  /** The names of indexes that the new one makes superfluous. */
  readonly replaces: readonly string[]
  /** The name of a unique constraint in the model. */
  readonly name?: string | undefined
}

/**
 * The indexes that a database lacks, the most important first. An index is left out if it is the beginning of another
 * one, advised or existing.
 *
 * @param searched the ids of the models whose search index exists as declared
 */
export function advise(needs: readonly Need[], searched: ReadonlySet<number>): readonly AdvisedIndex[] {
  const byTable = Map.groupBy(needs, ({ table }) => table)
  return [...byTable].flatMap(([table, tableNeeds]) => {
    const uniques = adviseUniques(tableNeeds.filter(need => need.kind === 'unique'))
    const advised = [
      ...uniques,
      ...adviseRows(
        table,
        tableNeeds.filter(need => need.kind === 'rows'),
        uniques,
      ),
      ...adviseSearch(
        tableNeeds.filter(need => need.kind === 'search'),
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

/** Indexes that serve all needs. Each of them serves a need that the others do not serve. */
function fewest(needs: readonly RowsNeed[]): readonly OrderedIndex[] {
  // The longest indexes serve the most needs.
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

/**
 * Existing indexes whose columns are the beginning of the new one's, in the same or the opposite direction. Indexes
 * with another purpose, such as unique ones, are not replaced.
 */
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

/**
 * One index for each table, because a statement can only use one. It includes the columns that the model declares
 * already.
 */
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
