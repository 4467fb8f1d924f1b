/** How many rows there were so far, by what has come of them, as the database tells. */
export interface ImportTally {
  readonly processed: number
  readonly failed: number
  /** Rows whose record of the last model is new. */
  readonly created: number
  readonly updated: number
  /** Rows that say what was stored already, and wrote nothing. */
  readonly unchanged: number
  /** Rows that were left out, as the configuration says. */
  readonly skipped: number
  /** Rows that deleted their record. */
  readonly deleted: number
}

/** Rows that did not fail, by what became of their record of the last model. */
export type Outcomes = Omit<ImportTally, 'processed' | 'failed'>

/** What became of a row that did not fail. */
export type RowOutcome = keyof Outcomes

/** What an import that ends early has stored all the same. */
export function storedBefore({
  processed,
  created,
  updated,
  deleted,
}: Pick<ImportTally, 'processed' | 'created' | 'updated' | 'deleted'>): string {
  const deletions = deleted > 0 ? `, ${deleted} deleted` : ''
  return `The first ${processed} rows were imported before that (${created} created, ${updated} updated${deletions})`
}
