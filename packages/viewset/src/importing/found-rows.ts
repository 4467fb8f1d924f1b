import type { CsvStyle, ReadFile } from '../tabular/read/file.ts'
import type { EditMerge } from './edit/merge-edits.ts'
import { fileWarnings } from './file-warnings.ts'
import type { ImportHooks } from './import-hooks.ts'
import type { ImportOptions } from './options.ts'
import type { ImportPlan, ModelPlan } from './plan/plan.ts'
import { fixedColumns, hooksOf } from './read/fixed-columns.ts'
import type { RowSource } from './read/row-source.ts'
import type { Layout } from './read/sheet-layout.ts'
import type { ImportResult } from './result.ts'
import type { RunOutcome } from './write/run-import.ts'

/** The rows of a file, and how they are written. */
export interface FoundRows {
  readonly plan: ImportPlan
  readonly mainModel: ModelPlan
  readonly layout: Layout
  readonly rows: RowSource
  /** Of a CSV file. */
  readonly csv?: CsvStyle | undefined
  readonly open: () => Promise<ReadFile>
  readonly edits?: EditMerge
}

/** The configuration decides which counts the report has. */
export function resultOf(
  found: FoundRows,
  { counts, deleted, isRolledBack, diff, unmatched }: RunOutcome,
  { dryRun, hooks = {} }: ImportOptions,
): ImportResult {
  const { models, prepareRow, totalsRows } = found.plan
  const { ignoredColumns, ignoredSheets } = found.layout
  const { edits, csv } = found
  const ofFile = fileWarnings({ csv, rows: found.rows, lost: edits?.lost })
  const { processed, failed, errors, created, updated, unchanged, skipped, warned, warnings } = counts
  const policies = models.map(({ policy }) => policy)
  const isDeleting = models.some(({ columns }) => columns.some(column => column.deletes))
  const deletes = edits ? edits.mark !== undefined : isDeleting
  // A row that deletes a missing record is skipped. In an edited file, it fails.
  const skips =
    (deletes && !edits) || policies.some(({ onExisting, onMissing }) => onExisting === 'skip' || onMissing === 'skip')
  return {
    success: failed === 0,
    processed,
    failed,
    errors: errors.listed,
    created,
    updated,
    ...(policies.some(({ skipUnchanged }) => skipUnchanged) && { unchanged }),
    ...((prepareRow || skips || totalsRows === 'skip' || skipped > 0) && { skipped }),
    ignoredColumns: [...ignoredColumns, ...fixedHeaders(found, hooks)],
    ...(ignoredSheets.length > 0 && { ignoredSheets }),
    ...(csv && csv.encoding !== 'utf-8' && { encoding: csv.encoding }),
    ...(edits && { missing: edits.missing }),
    ...((deletes || deleted !== undefined) && { deleted: (deleted ?? 0) + counts.deleted }),
    ...(diff && { diff }),
    ...(unmatched && { unmatched }),
    ...(dryRun && { dryRun }),
    ...(isRolledBack && { rolledBack: true }),
    ...(errors.isTruncated && { errorsTruncated: true }),
    ...(failed > 0 && { errorGroups: errors.groups }),
    ...(errors.isGroupsTruncated && { errorGroupsTruncated: true }),
    ...(warned > 0 && { warned }),
    ...((warned > 0 || ofFile.length > 0) && { warnings: [...ofFile, ...warnings.listed] }),
    ...(warned > 0 && { warningGroups: warnings.groups }),
    ...(warnings.isTruncated && { warningsTruncated: true }),
    ...(warnings.isGroupsTruncated && { warningGroupsTruncated: true }),
  }
}

/** The headers of columns whose values the request fixes, such as the parent in its path: no cell of them is read. */
function fixedHeaders({ plan, mainModel, layout, edits }: FoundRows, hooks: ImportHooks): readonly string[] {
  if (edits) return []
  const ofModels = hooksOf(plan, mainModel, hooks)
  const fixed = layout.sheets.flatMap(sheet => [...fixedColumns(sheet, ofModels)])
  return fixed.flatMap(({ header }) => header ?? [])
}
