import type { CatalogueColumn } from '../catalogue/catalogue.ts'

/** Notes the use of a Drizzle function, and returns its name. */
export type Use = (name: string) => string

/** How Drizzle declares tables of a database. */
export interface Spelling {
  /** The module of its functions. */
  readonly module: string
  /** The names of its functions. No table may have one. */
  readonly functions: readonly string[]
  /** The function that makes a table. A constant for a schema has a method of this name. */
  readonly table: string
  /** The type of a table's constraints and indexes. */
  readonly rule: string
  /** The code of a column, up to its type: `varchar('name', { length: 200 })`. */
  column(column: CatalogueColumn, use: Use, enumeration: string | undefined): string
  /** The default as SQL, unless the column's type implies it. */
  default(column: CatalogueColumn): string | null | undefined
  /** The code for a key that numbers itself. */
  numbered(column: CatalogueColumn): string
  /** The options of a generated column. */
  generated(column: CatalogueColumn): string
  /** A descending column of an index. */
  descending(column: string): string
}

/** A column of a type without a Drizzle function. `data` is the type in code. */
export function ownType(type: string, name: string, use: Use, data = 'string'): string {
  return `${use('customType')}<{ data: ${data} }>({ dataType: () => ${JSON.stringify(type)} })(${name})`
}
