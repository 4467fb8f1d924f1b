import { hasFailed, type ImportRow } from '../read/import-row.ts'
import type { ImportRowError } from '../result.ts'
import type { Stored } from './write-rows.ts'

/** Errors that a report lists. */
const LISTED = 1_000

/** How many rows there were so far, by what has come of them. */
export interface Tally {
  readonly processed: number
  readonly failed: number
  readonly created: number
  readonly updated: number
  /** Rows that were left out. */
  readonly skipped: number
}

/** What has come of the rows so far. */
export interface Counts extends Tally {
  readonly errors: readonly ImportRowError[]
  readonly isTruncated: boolean
}

const NOTHING: Tally = { processed: 0, failed: 0, created: 0, updated: 0, skipped: 0 }

/** What a run begins with that others have begun before it. */
export function countsFrom(tally: Tally = NOTHING): Counts {
  return { ...tally, errors: [], isTruncated: false }
}

/** Rows that were left out before anything was written of them. */
interface Skipped {
  readonly skipped: number
}

/** The counts with those of some more rows. */
export function counted(
  counts: Counts,
  rows: readonly ImportRow[],
  { created, updated, skipped }: Stored & Skipped,
): Counts {
  const failed = rows.filter(hasFailed)
  const room = LISTED - counts.errors.length
  const errors = failed.flatMap(row => row.errors)
  return {
    processed: counts.processed + rows.length,
    failed: counts.failed + failed.length,
    created: counts.created + created,
    updated: counts.updated + updated,
    skipped: counts.skipped + skipped,
    errors: errors.length === 0 ? counts.errors : [...counts.errors, ...errors.slice(0, room)],
    isTruncated: counts.isTruncated || errors.length > room,
  }
}

/** The counts without the errors. */
export function tallyOf({ errors: _, isTruncated: __, ...tally }: Counts): Tally {
  return tally
}
