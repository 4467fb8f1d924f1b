import type { ReadRow } from './file.ts'

/** A sheet as its format's reader gives it: from the beginning each time, its header being the first row. */
export interface SheetSource {
  readonly name: string
  rows(): AsyncIterable<ReadRow[]>
}
