import type { ImportRowError } from './result.ts'

/** A row of the file on its way into the database. */
export interface RowDraft {
  /** The row as a person sees it. */
  readonly row: number
  /**
   * What it says, by the positions of the models of its stage and of their columns: values, and what foreign keys are
   * looked up by.
   */
  readonly cells: readonly unknown[][]
  /** Why it cannot be imported; nothing of such a row is written. */
  readonly errors: ImportRowError[]
}

export function hasFailed({ errors }: RowDraft): boolean {
  return errors.length > 0
}
