import type { ImportResult, ImportRowError } from './result.ts'
import type { ImportTally } from './tally.ts'

/**
 * What makes an import go on after whatever has interrupted it, each row stored and counted once: it begins behind the
 * rows that are stored, and `save` runs in the transaction that stores further ones.
 */
export interface ImportCheckpoint {
  /** What was stored before. */
  readonly from: ImportTally
  /** Rows of the file, where they were counted before. */
  readonly total: number | null
  /** Takes note of the number of rows. */
  count(total: number): Promise<void>
  /** Rows of a chunk, where the configuration names no number: without chunks there is nowhere to go on. */
  readonly chunkSize: number
  /** Shows how far it is; what was not saved by then is lost with its process. */
  show(tally: ImportTally): void
  /**
   * Takes note of what is stored once the transaction that it is called in is committed. What it throws undoes that.
   *
   * @param errors of the rows since the last time
   */
  save(tally: ImportTally, errors: readonly ImportRowError[]): Promise<void>
  /** As `save`, for an import that is one transaction: its result is stored together with its rows, or neither is. */
  end(result: ImportResult): Promise<void>
}
