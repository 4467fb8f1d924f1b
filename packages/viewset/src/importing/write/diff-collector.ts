import type { ChangeAction, ImportChange, ImportDiff } from '../diff.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { ColumnSight } from '../read/model-reader.ts'
import { isEqual } from './comparable.ts'
import type { Snapshot } from './snapshots.ts'

export const LISTED_ROWS = 100

export const NO_DIFF: ImportDiff = { rows: [], totals: { create: 0, update: 0, delete: 0, unchanged: 0 } }

/** A change with its row. A row counts by its last model. */
export interface RowChange {
  readonly row: ImportRow
  readonly isLast: boolean
  readonly change: ImportChange
}

export function diffWith(diff: ImportDiff, changes: readonly RowChange[]): ImportDiff {
  const totals = { ...diff.totals }
  for (const { isLast, change } of changes) if (isLast) totals[change.action]++
  const changing = [...Map.groupBy(changes, ({ row }) => row)]
    .filter(([, ofRow]) => ofRow.some(({ change }) => change.action !== 'unchanged'))
    .sort(([a], [b]) => a.number - b.number)
    .slice(0, Math.max(0, LISTED_ROWS - countRows(diff.rows)))
  return {
    ...diff,
    totals,
    rows: [...diff.rows, ...changing.flatMap(([, ofRow]) => ofRow.map(({ change }) => change))],
  }
}

function countRows(rows: readonly ImportChange[]): number {
  return rows.filter(({ row }, at) => row !== rows[at - 1]?.row).length
}

export function changeOf(
  { shown, secret }: ColumnSight,
  before: Snapshot | undefined,
  after: Snapshot | undefined,
): Pick<ImportChange, 'action' | 'changes'> {
  const columns = [...(after ?? before ?? new Map()).keys()]
  const differing = new Set(columns.filter(column => !isEqual(before?.get(column) ?? null, after?.get(column) ?? null)))
  const told = shown.filter(column => differing.has(column))
  const changes = Object.fromEntries(
    told.map(column => [column.header, [before?.get(column) ?? null, after?.get(column) ?? null] as const]),
  )
  return { action: actionOf(before, after, differing.size > 0 || secret.size > 0), changes }
}

function actionOf(before: Snapshot | undefined, after: Snapshot | undefined, differs: boolean): ChangeAction {
  if (!before) return 'create'
  if (!after) return 'delete'
  return differs ? 'update' : 'unchanged'
}
