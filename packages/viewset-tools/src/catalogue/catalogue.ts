export interface CatalogueColumn {
  readonly name: string
  /** As in SQL: `character varying(200)`. For a domain, its base type. */
  readonly type: string
  readonly domain?: string | null
  readonly notNull: boolean
  readonly default?: string | null
  readonly generated?: string | null
  readonly stored?: boolean
  /** An identity column: whether it accepts values. */
  readonly identity?: 'always' | 'byDefault' | null
  /** The values of an enum type, or of the items of an array. */
  readonly enumeration?: { readonly schema: string; readonly name: string; readonly values: readonly string[] } | null
}

export type CatalogueAction = 'cascade' | 'restrict' | 'set null' | 'set default' | 'no action'

export interface CatalogueReference {
  readonly name: string | null
  readonly columns: readonly string[]
  readonly schema: string | null
  readonly table: string
  readonly targets: readonly string[]
  readonly onDelete: CatalogueAction
  readonly onUpdate: CatalogueAction
}

export interface CatalogueIndex {
  /** `null` without a name. */
  readonly name: string | null
  readonly unique: boolean
  readonly constraint: boolean
  /** `null` for an expression index, a partial index, or one that is not a B-tree. */
  readonly columns: readonly IndexedColumn[] | null
  /**
   * The columns in whose order the index lists all rows. They stand before any expression or other collation. The
   * table's key follows if entries end with it. Empty for partial, unfinished and other than B-tree indexes.
   */
  readonly order: readonly IndexedColumn[]
  /** SQL of its expressions, if it covers all rows, with any unusual operator class. */
  readonly expressions: readonly string[]
  /** Whether it has further columns (`include`), so that statements need not read the rows. */
  readonly covering: boolean
  /** Whether the database uses it: false if its creation was interrupted. */
  readonly valid: boolean
}

export interface IndexedColumn {
  readonly name: string
  readonly descending: boolean
}

export interface CatalogueTable {
  /** `null` if the database has no schemas. */
  readonly schema: string | null
  readonly name: string
  readonly kind: 'table' | 'view' | 'virtual table'
  /** `partitioned`: its rows are in other tables. `foreign`: they are in another database, which has the indexes. */
  readonly storage: 'own' | 'partitioned' | 'foreign'
  readonly columns: readonly CatalogueColumn[]
  readonly primaryKey: readonly string[]
  readonly references: readonly CatalogueReference[]
  readonly indexes: readonly CatalogueIndex[]
}
