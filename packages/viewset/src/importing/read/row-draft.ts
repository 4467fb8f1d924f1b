import type { ImportRowError } from '../result.ts'
import type { StageModel } from './layout.ts'

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

/** What is wrong with a row, which names its column as the configuration and as the file do. */
export function rowError({ reader, columns }: StageModel, row: number, field: string, message: string): ImportRowError {
  const header = columns.find(column => column.field === field)?.header
  return { row, field, ...(header !== undefined && { column: header }), message, model: reader.plan.key }
}

export function hasFailed({ errors }: RowDraft): boolean {
  return errors.length > 0
}
