import type { RowPolicy } from '../plan/plan.ts'
import { hasFailed, type ImportRow } from '../read/import-row.ts'
import type { ImportRowError } from '../result.ts'
import type { ImportTally, Outcomes, RowOutcome } from '../tally.ts'

export const NO_OUTCOMES: Outcomes = { created: 0, updated: 0, unchanged: 0, skipped: 0, deleted: 0 }

export function allOutcomes(a: Outcomes, b: Outcomes): Outcomes {
  return {
    created: a.created + b.created,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
    skipped: a.skipped + b.skipped,
    deleted: a.deleted + b.deleted,
  }
}

export function outcomeOfRepeated({ onExisting, skipUnchanged }: RowPolicy): RowOutcome | 'failed' {
  if (onExisting === 'fail') return 'failed'
  if (onExisting === 'skip') return 'skipped'
  return skipUnchanged ? 'unchanged' : 'updated'
}

const LISTED_ERRORS = 1_000

export interface Counts extends ImportTally {
  readonly errors: readonly ImportRowError[]
  readonly isTruncated: boolean
}

const NOTHING: ImportTally = { processed: 0, failed: 0, ...NO_OUTCOMES }

/** `tally` comes from earlier runs of the same import. */
export function countsFrom(tally: ImportTally = NOTHING): Counts {
  return { ...tally, errors: [], isTruncated: false }
}

export function counted(counts: Counts, rows: readonly ImportRow[], outcomes: Outcomes): Counts {
  const failed = rows.filter(hasFailed)
  const skipped = rows.filter(row => row.isSkipped && !hasFailed(row)).length
  const room = LISTED_ERRORS - counts.errors.length
  const errors = failed.flatMap(row => row.errors)
  return {
    ...allOutcomes(counts, outcomes),
    processed: counts.processed + rows.length,
    failed: counts.failed + failed.length,
    skipped: counts.skipped + outcomes.skipped + skipped,
    errors: errors.length === 0 ? counts.errors : [...counts.errors, ...errors.slice(0, room)],
    isTruncated: counts.isTruncated || errors.length > room,
  }
}

export function tallyOf({ errors: _, isTruncated: __, ...tally }: Counts): ImportTally {
  return tally
}
