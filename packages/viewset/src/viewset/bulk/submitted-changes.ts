import { message } from '../../core/messages/message.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { noSuchRecordWithKey } from '../../model/no-such-record.ts'
import { limitedParents } from '../../serializer/relations/check-left-parents.ts'
import type { ValidateOptions } from '../../serializer/validate.ts'
import { keyProjection, ownProjection } from '../../store/projection.ts'
import { keyPlace, keyText, storedKeyTexts } from '../../store/row-order.ts'
import { checkGuardsOfItems, guardsOfItems, hasGuards } from '../write/guards.ts'
import { SubmittedChange } from './change.ts'
import { type BulkView, bulkItems } from './items.ts'

export interface NeedsRecords {
  readonly needsRecords: boolean
}

/** The changes of a bulk update, with locked records. @throws ValidationError with the errors of all items */
export async function submittedChanges(
  view: BulkView,
  { needsRecords, ...options }: ValidateOptions & NeedsRecords,
): Promise<SubmittedChange[]> {
  const { model } = view.definition
  const changes = bulkItems(view).map(input => SubmittedChange.byId(view.database, model, input))
  refuseRepeated(model, changes)
  await lockRecords(view, model, changes, needsRecords)
  const values = await view.validateMany(changes, options)
  changes.forEach((change, i) => {
    change.values = values[i] ?? {}
  })
  return changes
}

/** Compares decoded keys, so that a uuid in another case is the same. */
export function refuseRepeated(model: ModelInfo, changes: readonly SubmittedChange[]): void {
  const seen = new Set<string>()
  for (const change of changes) {
    if (change.errors || change.key === undefined) continue
    const text = keyText(model, change.key)
    if (seen.has(text)) change.refuse(message('claimed_twice.record'))
    seen.add(text)
  }
}

export async function lockRecords(
  view: BulkView,
  model: ModelInfo,
  changes: readonly SubmittedChange[],
  needsRecords: boolean,
): Promise<void> {
  const guards = guardsOfItems(
    view,
    changes.map(({ input }) => input),
    index => changes[index]?.key !== undefined,
  )
  const named = changes.filter(change => change.key !== undefined && !change.errors)
  const missing = new Map(named.map(change => [keyText(model, change.key), change]))
  const queryset = await view.getQueryset()
  const readsRows = needsRecords || needsStoredRows(view, model)
  const projection = readsRows ? ownProjection(model) : keyProjection(model)
  const rows = await queryset.withKeys(
    projection,
    named.map(({ key }) => key),
    'update',
  )
  const texts = storedKeyTexts(view.database, model, rows, keyPlace(model, projection.columns))
  for (const [index, row] of rows.entries()) {
    const key = texts[index] as string
    if (readsRows) missing.get(key)?.found(row)
    missing.delete(key)
  }
  // A record that an item guards, and that is gone, is not as the request expects it.
  const gone = new Set<SubmittedChange>()
  for (const [index, change] of changes.entries()) {
    if (change.key === undefined || missing.get(keyText(model, change.key)) !== change) continue
    if ((guards[index] ?? []).length > 0) gone.add(change)
    else change.refuse(noSuchRecordWithKey(model, change.key))
  }
  if (view.hasObjectPermissions) {
    for (const change of named) {
      if (!change.errors && !gone.has(change)) await view.checkObjectPermissions(change.record)
    }
  }
  if (!hasGuards(view)) return
  await checkGuardsOfItems(
    view,
    changes.map((change, index) => {
      // The errors of an item are reported with those of its fields.
      const { input } = change
      if (change.errors) return { guards: [], record: undefined, input }
      const isStored = change.key !== undefined && !gone.has(change)
      return { guards: guards[index] ?? [], record: isStored ? change.record : undefined, input }
    }),
  )
}

/**
 * Object permissions, rules across fields, some unique constraints, relations by another column than the primary key,
 * moves to another parent and overridden validations need stored rows.
 */
function needsStoredRows(view: BulkView, { uniques, partialUniques }: ModelInfo): boolean {
  const { fields } = view.getSerializer()
  return (
    view.hasObjectPermissions ||
    hasGuards(view) ||
    view.getSerializer().hasRules ||
    uniques.some(({ columns }) => columns.length > 1) ||
    partialUniques.length > 0 ||
    fields.some(field => field.kind === 'many' && !field.relation.ownerKey.primaryKey) ||
    limitedParents(fields.filter(field => field.kind === 'stored')).length > 0 ||
    view.overrides('validateMany') ||
    view.overrides('write')
  )
}
