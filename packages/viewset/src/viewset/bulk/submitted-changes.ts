import { type ModelInfo, modelInfo } from '../../model/model-info.ts'
import type { ValidateOptions } from '../../serializer/validate.ts'
import { keyProjection, ownProjection } from '../../store/projection.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { SubmittedChange } from './change.ts'
import { bulkItems } from './items.ts'

/**
 * What a bulk update is asked to write: its items, each with its record, which is locked from here on.
 *
 * @throws ValidationError with the errors of all items; an id that is malformed, repeated or not to be found among the
 * resource's records is one of them.
 */
export async function submittedChanges(view: GenericViewSet, options: ValidateOptions): Promise<SubmittedChange[]> {
  const model = modelInfo(view.model)
  const changes = bulkItems(view).map(input => SubmittedChange.byId(view.database, model, input))
  refuseRepeated(changes)
  await lockRecords(view, model, changes)
  const values = await view.validateMany(changes, options)
  changes.forEach((change, i) => {
    change.values = values[i] ?? {}
  })
  return changes
}

/** Keys have been read, so that the same uuid in another case is the same. */
export function refuseRepeated(changes: readonly SubmittedChange[]): void {
  const seen = new Set<unknown>()
  for (const change of changes) {
    if (change.errors || change.key === undefined) continue
    if (seen.has(change.key)) change.refuse('Another item is about the same record.')
    seen.add(change.key)
  }
}

/** Finds the records that changes name among those of the resource, locks them and asks the object permissions. */
export async function lockRecords(
  view: GenericViewSet,
  model: ModelInfo,
  changes: readonly SubmittedChange[],
): Promise<void> {
  const named = changes.filter(change => change.key !== undefined && !change.errors)
  const missing = new Map(named.map(change => [String(change.key), change]))
  const queryset = await view.getQueryset()
  const isWhole = looksAtRecords(view, model)
  const projection = isWhole ? ownProjection(model) : keyProjection(model)
  const rows = await queryset.withKeys(
    projection,
    named.map(({ key }) => key),
    'update',
  )
  const at = projection.columns.indexOf(model.primaryKey)
  for (const row of rows) {
    const key = String(row[at])
    if (isWhole) missing.get(key)?.found(row)
    missing.delete(key)
  }
  for (const change of missing.values()) change.refuse(`Invalid pk "${change.key}" - object does not exist.`)
  if (!view.asksAboutRecords) return
  for (const change of named) if (!change.errors) await view.checkObjectPermissions(change.record)
}

/**
 * Whether anybody looks at the records that are to be updated: permissions, rules across fields, uniqueness of several
 * fields together, save mode, or a method that a resource overrides. If not, their keys are all that is read.
 */
function looksAtRecords(view: GenericViewSet, { uniques }: ModelInfo): boolean {
  return (
    view.asksAboutRecords ||
    view.getSerializer().hasRules ||
    uniques.some(({ columns }) => columns.length > 1) ||
    view.config.useSaveOnBulkUpdate === true ||
    isOverridden(view)
  )
}

const HOOKS = ['performBulkUpdate', 'performBulkUpsert', 'validateMany']

/** Whether a class between the view and what `compose` made has one of the hooks that get the records. */
function isOverridden(view: GenericViewSet): boolean {
  let prototype = Object.getPrototypeOf(view) as object
  while (!Object.hasOwn(prototype.constructor, 'mixins')) {
    if (HOOKS.some(hook => Object.hasOwn(prototype, hook))) return true
    prototype = Object.getPrototypeOf(prototype) as object
  }
  return false
}
