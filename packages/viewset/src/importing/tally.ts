/** The number of rows so far by result. */
export interface ImportTally {
  readonly processed: number
  readonly failed: number
  /** Rows whose record of the last model is new. */
  readonly created: number
  readonly updated: number
  /** Rows equal to their stored record. */
  readonly unchanged: number
  /** Rows skipped by the configuration. */
  readonly skipped: number
  /** Rows that deleted their record. */
  readonly deleted: number
}

export type Outcomes = Omit<ImportTally, 'processed' | 'failed'>

export type RowOutcome = keyof Outcomes

/** The part that an import stored before it ended early. */
export function storedBefore({
  processed,
  created,
  updated,
  deleted,
}: Pick<ImportTally, 'processed' | 'created' | 'updated' | 'deleted'>): string {
  const deletions = deleted > 0 ? `, ${deleted} deleted` : ''
  return `The first ${processed} rows were imported before that (${created} created, ${updated} updated${deletions})`
}
