import type { CatalogueColumn } from '../catalogue/catalogue.ts'

/** Notes that a function of Drizzle's module is called, and returns its name. */
export type Use = (name: string) => string

/** How tables of one database are written with Drizzle. */
export interface Spelling {
  /** The module that its functions come from. */
  readonly module: string
  /** Its functions, whose names no table may have. */
  readonly functions: readonly string[]
  /** The function that makes a table; in a schema, as a constant is called that stands for it. */
  readonly table: string
  /** The type of what stands behind its columns. */
  readonly rule: string
  /** A column, up to its type: `varchar('name', { length: 200 })`. */
  column(column: CatalogueColumn, use: Use, enumeration: string | undefined): string
  /** The default as SQL, where the column does not bring it along by its type. */
  default(column: CatalogueColumn): string | null | undefined
  /** What is said of a key that numbers itself. */
  numbered(column: CatalogueColumn): string
  /** The options of a column that the database works out. */
  generated(column: CatalogueColumn): string
  /** A column of an index that goes downwards. */
  descending(column: string): string
}

/** A column of a type that Drizzle has no function for, `data` being what code sees. */
export function ownType(type: string, name: string, use: Use, data = 'string'): string {
  return `${use('customType')}<{ data: ${data} }>({ dataType: () => ${JSON.stringify(type)} })(${name})`
}
