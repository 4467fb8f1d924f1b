import type { TableInfo } from 'viewset'
import type { CatalogueTable, IndexedColumn } from '../catalogue/catalogue.ts'

/** Which requests ask for something. */
export interface Reason {
  /** The name of the resource. */
  readonly resource: string
  /** What is requested of it: `?country=`. */
  readonly request: string
}

/** How often it is asked for: by each list, by those that a client narrows, or by those that it orders in its own way. */
export type Weight = 1 | 2 | 3

/** Rows that a request looks for, and the order in which it wants them. Columns are named as in the database. */
export interface RowsNeed {
  readonly kind: 'rows'
  readonly table: CatalogueTable
  /** Columns that are compared with one value: an index begins with them, in any order. */
  readonly equal: readonly string[]
  /** The same of columns that few values tell apart: an index may have them. */
  readonly flags: readonly string[]
  /** An index goes on with these. */
  readonly order: readonly IndexedColumn[]
  readonly weight: Weight
  readonly reason: Reason
}

/** A text that is looked for in columns. */
export interface SearchNeed {
  readonly kind: 'search'
  readonly table: CatalogueTable
  readonly model: TableInfo
  readonly columns: readonly string[]
  readonly reason: Reason
}

/** Values that occur once, as the model says: a write asks whether they are taken, and trusts the database to refuse them. */
export interface UniqueNeed {
  readonly kind: 'unique'
  readonly table: CatalogueTable
  readonly name: string | undefined
  readonly columns: readonly string[]
  readonly ignoreCase: boolean
  readonly reason: Reason
}

export type Need = RowsNeed | SearchNeed | UniqueNeed

/** Finds a model's table in the database. */
export type FindTable = (model: TableInfo) => CatalogueTable | undefined

/** Whether the database has all columns that a need names: a table may be migrated otherwise than its model says. */
export function isKnown({ table, ...need }: Need): boolean {
  const columns = new Set(table.columns.map(({ name }) => name))
  const named =
    need.kind === 'rows' ? [...need.equal, ...need.flags, ...need.order.map(({ name }) => name)] : need.columns
  return named.every(name => columns.has(name))
}
