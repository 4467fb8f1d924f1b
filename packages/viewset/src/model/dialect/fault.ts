/** What a database error means, in one vocabulary for all databases. */
export interface DatabaseFault {
  readonly kind:
    | 'unique'
    | 'foreignKey'
    | 'restricted'
    | 'notNull'
    | 'check'
    | 'badValue'
    /** The transaction lost against another one and may be run again as a whole. */
    | 'retry'
    | 'unavailable'
  /** Names of the columns concerned, in the database, where the driver tells them. */
  readonly columns?: readonly string[]
  /** Name of the constraint concerned, or its expression, where the driver tells it. */
  readonly constraint?: string
  /** A value that is of no use to its type, where the driver tells no column. */
  readonly unreadable?: { readonly text: string; readonly type?: string | undefined }
}
