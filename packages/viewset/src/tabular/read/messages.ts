import type { ImportFormat, ReadRow, ReadSheet } from './file.ts'
import type { ReadLimits } from './limits.ts'

/** What the worker that reads a workbook is started with. */
export interface WorkbookData {
  readonly path: string
  readonly format: Exclude<ImportFormat, 'csv'>
  readonly limits: ReadLimits
  /** Rows that are wanted of each sheet, its header included; by default all. */
  readonly most: number | undefined
}

/** Names the sheets, or gives the next rows of one, with the columns that the first of these tasks names. */
export type WorkbookTask = 'open' | { readonly sheet: number; readonly columns?: readonly number[] | undefined }

export type SheetHeader = Pick<ReadSheet, 'name' | 'header'>

export type WorkbookAnswer =
  | { readonly sheets: readonly SheetHeader[] }
  /** No rows are the end of the sheet. Their moments and errors are plain objects here. */
  | { readonly rows: readonly ReadRow[] }
