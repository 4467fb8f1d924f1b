import type { RowPolicy } from '../plan/plan.ts'
import { hasFailed, type ImportRow } from '../read/import-row.ts'
import type { ImportRowProblem } from '../result.ts'
import { isError } from '../row-problems.ts'
import type { ImportTally, Outcomes, RowOutcome } from '../tally.ts'
import { ProblemList } from './problem-list.ts'

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

export interface Counts extends ImportTally {
  readonly warned: number
  readonly errors: ProblemList
  readonly warnings: ProblemList
}

const NOTHING: ImportTally = { processed: 0, failed: 0, ...NO_OUTCOMES }

/** `tally` comes from earlier runs of the same import. */
export function countsFrom(tally: ImportTally = NOTHING): Counts {
  return { ...tally, warned: tally.warned ?? 0, errors: ProblemList.EMPTY, warnings: ProblemList.EMPTY }
}

export function counted(
  counts: Counts,
  rows: readonly ImportRow[],
  outcomes: Outcomes,
  problems: readonly ImportRowProblem[],
): Counts {
  const left = rows.filter(row => !hasFailed(row))
  const skipped = left.filter(row => row.isSkipped).length
  return {
    ...withProblems(counts, problems),
    ...allOutcomes(counts, outcomes),
    processed: counts.processed + rows.length,
    failed: counts.failed + rows.length - left.length,
    skipped: counts.skipped + outcomes.skipped + skipped,
    warned: counts.warned + left.filter(({ warnings }) => warnings.length > 0).length,
  }
}

export function withProblems(counts: Counts, problems: readonly ImportRowProblem[]): Counts {
  if (problems.length === 0) return counts
  const errors = problems.filter(isError)
  const warnings = problems.filter(problem => !isError(problem))
  return { ...counts, errors: counts.errors.with(errors), warnings: counts.warnings.with(warnings) }
}

export function tallyOf({ errors: _, warnings: __, warned, ...tally }: Counts): ImportTally {
  return { ...tally, ...(warned > 0 && { warned }) }
}
