import type { TableInfo } from 'viewset'
import type { CatalogueTable, IndexedColumn } from '../catalogue/catalogue.ts'

export interface Reason {
  readonly resource: string
  /** The part of the request: `?country=`. */
  readonly request: string
}

/** 1 for every list, 2 for filtered lists, 3 for orderings that a client chooses. */
export type Weight = 1 | 2 | 3

/** The rows that a request reads, and their order. Columns have their names in the database. */
export interface RowsNeed {
  readonly kind: 'rows'
  readonly table: CatalogueTable
  /** Columns that are compared with one value. An index begins with them, in any order. */
  readonly equal: readonly string[]
  /** Compared columns with few values. An index may contain them. */
  readonly flags: readonly string[]
  /** An index continues with these columns. */
  readonly order: readonly IndexedColumn[]
  readonly weight: Weight
  readonly reason: Reason
}

export interface SearchNeed {
  readonly kind: 'search'
  readonly table: CatalogueTable
  readonly model: TableInfo
  readonly columns: readonly string[]
  readonly reason: Reason
}

/** Values that are unique by the model. A write looks for them, and the database rejects duplicates. */
export interface UniqueNeed {
  readonly kind: 'unique'
  readonly table: CatalogueTable
  readonly name: string | undefined
  readonly columns: readonly string[]
  readonly ignoreCase: boolean
  /** The expressions of an index that ignores case. */
  readonly folded: readonly string[]
  readonly reason: Reason
}

export type Need = RowsNeed | SearchNeed | UniqueNeed

export type FindTable = (model: TableInfo) => CatalogueTable | undefined

/** Whether the database has all columns of a need. A table may differ from its model. */
export function isKnown({ table, ...need }: Need): boolean {
  const columns = new Set(table.columns.map(({ name }) => name))
  const named =
    need.kind === 'rows' ? [...need.equal, ...need.flags, ...need.order.map(({ name }) => name)] : need.columns
  return named.every(name => columns.has(name))
}
