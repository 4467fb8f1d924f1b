import type { RowPolicy } from '../plan/plan.ts'
import type { Outcomes, RowOutcome } from '../tally.ts'

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
