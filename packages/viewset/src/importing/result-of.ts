import type { ImportOptions } from './options.ts'
import type { ImportPlan } from './plan/plan.ts'
import type { Layout } from './read/sheet-layout.ts'
import type { ImportResult } from './result.ts'
import type { RunOutcome } from './write/run-import.ts'

/** The report of an import: what it counts, the configuration decides. */
export function resultOf(
  { models, prepareRow }: ImportPlan,
  { counts, deleted, diff }: RunOutcome,
  { ignoredColumns, ignoredSheets }: Layout,
  { dryRun }: ImportOptions,
): ImportResult {
  const { processed, failed, errors, created, updated, unchanged, skipped, isTruncated } = counts
  const policies = models.map(({ policy }) => policy)
  const deletes = models.some(({ columns }) => columns.some(column => column.deletes))
  // A row that deletes what is not there has nothing to do.
  const skips = deletes || policies.some(({ onExisting, onMissing }) => onExisting === 'skip' || onMissing === 'skip')
  return {
    success: failed === 0,
    processed,
    failed,
    errors,
    created,
    updated,
    ...(policies.some(({ skipUnchanged }) => skipUnchanged) && { unchanged }),
    ...((prepareRow || skips) && { skipped }),
    ignoredColumns,
    ...(ignoredSheets.length > 0 && { ignoredSheets }),
    ...((deletes || deleted !== undefined) && { deleted: (deleted ?? 0) + counts.deleted }),
    ...(diff && { diff }),
    ...(dryRun && { dryRun }),
    ...(isTruncated && { errorsTruncated: true }),
  }
}
