/** A column as the database itself describes it. */
export interface CatalogueColumn {
  readonly name: string
  /** As SQL writes it: `character varying(200)`. Of a domain, the type that it is made of. */
  readonly type: string
  /** The domain that narrows the type. */
  readonly domain?: string | null
  readonly notNull: boolean
  /** SQL. */
  readonly default?: string | null
  /** SQL of a column that the database works out. */
  readonly generated?: string | null
  /** Whether such a column is kept with its row, or worked out when it is read. */
  readonly stored?: boolean
  /** A column that numbers itself: whether it takes a value from somebody else. */
  readonly identity?: 'always' | 'byDefault' | null
  /** The values of its type, where that has been made by `create type ... as enum`; of an array, those of its items. */
  readonly enumeration?: { readonly schema: string; readonly name: string; readonly values: readonly string[] } | null
}

/** What deletes or changes the rows that refer to one which goes or changes. */
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
  /** `null` where nobody has given it one. */
  readonly name: string | null
  readonly unique: boolean
  /** Whether it was made by a unique constraint of the table. */
  readonly constraint: boolean
  /** `null` for one over an expression or over a part of the rows, or of another structure than a tree. */
  readonly columns: readonly IndexedColumn[] | null
  /**
   * The columns in whose order it has all rows, as statements compare them: as many as come before an expression or
   * another collation, and behind the last one the key of the table where each entry ends with it. None where it is of
   * another structure than a tree, leaves rows out or was never finished.
   */
  readonly order: readonly IndexedColumn[]
  /** SQL of each expression that it is over, where it has all rows; behind it, what is not the standard way to compare. */
  readonly expressions: readonly string[]
  /** Whether its entries hold columns more, so that a statement need not look at the rows (`include`). */
  readonly covering: boolean
  /** Whether the database uses it: not one whose making was cut off. */
  readonly valid: boolean
}

export interface IndexedColumn {
  readonly name: string
  readonly descending: boolean
}

/** A table or a view as the database itself describes it. */
export interface CatalogueTable {
  /** `null` where the database has none. */
  readonly schema: string | null
  readonly name: string
  readonly kind: 'table' | 'view' | 'virtual table'
  /** `partitioned`: its rows are in other tables. `foreign`: they are in another database, which has the indexes. */
  readonly storage: 'own' | 'partitioned' | 'foreign'
  readonly columns: readonly CatalogueColumn[]
  /** The columns of its primary key; none where it has no key. */
  readonly primaryKey: readonly string[]
  readonly references: readonly CatalogueReference[]
  readonly indexes: readonly CatalogueIndex[]
}
