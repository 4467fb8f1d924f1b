import type { SQL } from 'drizzle-orm'
import { ConfigError } from '../../core/errors.ts'
import { type ModelInfo, SOFT_DELETE_FIELDS } from '../../model/model-info.ts'
import { allRecords } from '../../store/checked-condition.ts'
import { activeRows, deletedRows } from '../../store/soft-deletion.ts'
import type { ResourceConfig } from '../resource/resource.ts'
import { type AskingView, asksDeleted, checkDeletedPermissions } from './deleted-records.ts'

// A resource with `softDelete` hides its soft-deleted records by a scope. A restore and an undo find them.

const FINDING: ReadonlySet<string> = new Set(['restore', 'bulkRestore', 'undo'])

/** Whether an action of Viewset finds soft-deleted records. A custom action of the same name does not. */
export function findsDeleted(action: string): boolean {
  return FINDING.has(action)
}

/** @throws ConfigError for a model without the columns of a soft delete */
export function requireSoftDelete(subject: string, setting: string, { softDeletable }: ModelInfo): void {
  if (!softDeletable) throw new ConfigError(subject, setting, 'needs a model with SoftDeleteMixin()')
}

interface RestoringView {
  readonly action: string
  readonly isCustom: boolean
  readonly config: { readonly restoreQueryset?: (view: never) => SQL }
}

/** The setting `restoreQueryset` for an action that restores; `undefined` for another action, or without the setting. */
export function restoreScope({ action, isCustom, config }: RestoringView, restoring: string) {
  return action === restoring && !isCustom ? config.restoreQueryset : undefined
}

interface FindingView {
  findsDeleted: boolean
}

/** @throws ConfigError for a model without the columns of a soft delete */
export function softDeleteScope(
  subject: string,
  model: ModelInfo,
  config: Pick<ResourceConfig, 'softDelete' | 'deletedPermissionClasses'>,
): ((view: FindingView & AskingView) => SQL) | undefined {
  checkDeletedPermissions(subject, config)
  if (!config.softDelete) return undefined
  if (!model.softDeletable) {
    const lacking = [...SOFT_DELETE_FIELDS].filter(field => !model.byKey.has(field))
    const remedy = 'give it both columns, as ...c.SoftDeleteMixin() does, or set softDelete: false'
    throw new ConfigError(subject, 'softDelete', `"${model.name}" has no ${lacking.join(' and no ')}; ${remedy}`)
  }
  const active = (view: FindingView) => (view.findsDeleted ? allRecords : activeRows(model))
  if (!config.deletedPermissionClasses) return active
  return view => (asksDeleted(view) && !view.findsDeleted ? deletedRows(model) : active(view))
}

/** Runs `read` with soft-deleted records in scope. */
export async function withDeleted<T>(view: FindingView, read: () => Promise<T>): Promise<T> {
  const before = view.findsDeleted
  view.findsDeleted = true
  try {
    return await read()
  } finally {
    view.findsDeleted = before
  }
}
