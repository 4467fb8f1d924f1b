import { reportError } from '../../core/report-error.ts'
import type { SheetColumn } from './sheet-layout.ts'

/** What the transforms of one import throw by faults of their own. */
export class TransformFaults {
  readonly #ids = new Map<string, string>()

  /** The id under which the log has the fault of a column: the first, since the others are most likely the same. */
  idOf(sheet: number, { at, field }: SheetColumn, error: unknown): string {
    // Models that read one field of a flat file have one transform for it.
    const column = `${sheet}:${at}:${field}`
    let id = this.#ids.get(column)
    if (id === undefined) {
      id = reportError(error, `the import transform of "${field}" failed`)
      this.#ids.set(column, id)
    }
    return id
  }
}
