/** What became of a row that did not fail: of its record of the last model. */
export type RowOutcome = 'created' | 'updated' | 'unchanged' | 'skipped' | 'deleted'

/** Rows by what became of them, as the database tells. */
export type Outcomes = Readonly<Record<RowOutcome, number>>

/** How many rows there were so far, by what has come of them. */
export interface Tally extends Outcomes {
  readonly processed: number
  readonly failed: number
}
