import type { ImportRowError } from '../result.ts'
import type { ModelReader } from './model-reader.ts'
import type { SheetModel } from './sheet-layout.ts'

/** A row of the file on its way into the database. */
export interface ImportRow {
  /** Its number as a person sees it: the header is row 1. */
  readonly number: number
  /**
   * What it says, by the positions of the models of its sheet and of their columns: values, and what foreign keys are
   * looked up by.
   */
  readonly cells: readonly unknown[][]
  /** Why it cannot be imported; nothing of such a row is written. */
  readonly errors: ImportRowError[]
  /** Whether it is left out: nothing of it is written, and nothing is wrong with it. */
  isSkipped: boolean
}

/** Whether a row deletes its record, of the last model of its sheet, and does nothing else. */
export function isDeletion({ deletion }: ModelReader, cells: readonly unknown[]): boolean {
  return deletion !== -1 && cells[deletion] === true
}

/** What is wrong with a row, which names its column as the configuration and as the file do. */
export function rowError(
  { reader, columns }: SheetModel,
  { number: row }: Pick<ImportRow, 'number'>,
  field: string,
  message: string,
): ImportRowError {
  const header = columns.find(column => column.field === field)?.header
  return { row, field, ...(header !== undefined && { column: header }), message, model: reader.plan.key }
}

/** Whether it may still be written. */
export function isLeft(row: ImportRow): boolean {
  return !hasFailed(row) && !row.isSkipped
}

export function hasFailed({ errors }: ImportRow): boolean {
  return errors.length > 0
}
