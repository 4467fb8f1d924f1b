import { hasFailed, type ImportRow } from '../read/import-row.ts'
import type { ImportRowError } from '../result.ts'
import type { Stored } from './write-rows.ts'

/** Errors that a report lists. */
const LISTED = 1_000

/** What has come of the rows so far. */
export interface Counts {
  readonly processed: number
  readonly failed: number
  readonly created: number
  readonly updated: number
  readonly errors: readonly ImportRowError[]
  readonly isTruncated: boolean
}

export const NO_ROWS: Counts = { processed: 0, failed: 0, created: 0, updated: 0, errors: [], isTruncated: false }

/** The counts with those of some more rows. */
export function counted(counts: Counts, rows: readonly ImportRow[], { created, updated }: Stored): Counts {
  const failed = rows.filter(hasFailed)
  const room = LISTED - counts.errors.length
  const errors = failed.flatMap(row => row.errors)
  return {
    processed: counts.processed + rows.length,
    failed: counts.failed + failed.length,
    created: counts.created + created,
    updated: counts.updated + updated,
    errors: errors.length === 0 ? counts.errors : [...counts.errors, ...errors.slice(0, room)],
    isTruncated: counts.isTruncated || errors.length > room,
  }
}
