import type { FoundRow } from './found-row.ts'

/** A sheet as its format's reader gives it: from the beginning each time, its header being the first row. */
export interface SheetSource {
  readonly name: string
  rows(): AsyncIterable<FoundRow[]>
}
