import { modelInfo } from '../../model/model-info.ts'
import type { RecordList } from '../../records/record-list.ts'
import { insertRecords, updateRecords } from '../../records/write-many.ts'
import type { Values } from '../../store/write.ts'
import { type BulkChange, keyOfChange } from '../bulk/change.ts'
import { bulkItems } from '../bulk/items.ts'
import { type BulkUpsertReport, placeOf, submittedUpserts, withCurrentMatches } from '../bulk/upsert.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { defineMixin } from '../mixin.ts'
import { isOverridden } from '../overrides.ts'
import { ownCreates, ownUpdates } from '../own-bulk-writes.ts'
import { checkCreated, checkUpdated } from '../scope-check.ts'

type BulkUpsertView = GenericViewSet & {
  performBulkUpsert(changes: readonly BulkChange[], values: Values[]): Promise<BulkUpsertReport>
}

const methods = {
  async bulkUpsert(this: BulkUpsertView): Promise<BulkUpsertReport> {
    const needsRecords = isOverridden(this, 'performBulkUpsert', methods) || ownUpdates(this) !== undefined
    return withCurrentMatches(this, async matches => {
      const { changes, values } = await submittedUpserts(this, matches, needsRecords)
      return this.performBulkUpsert(changes, values)
    })
  },

  async performBulkUpsert(
    this: GenericViewSet,
    changes: readonly BulkChange[],
    values: Values[],
  ): Promise<BulkUpsertReport> {
    // Updated first: what an update gives up can be taken by a new record.
    const updated = await update(this, changes)
    await checkUpdated(this, () => updated.keys)
    const created = await create(this, values)
    const place = (index: number) => `${placeOf(values[index] as Values) ?? index}.`
    await checkCreated(this, () => created.keys, place)
    return { created: created.length, updated: updated.length }
  },
}

/**
 * `POST /resource/bulk-upsert/`: updates the records that have an item's unique fields and creates the others. Off
 * until the setting `bulkUpsert` turns it on.
 */
export const BulkUpsertModelMixin = defineMixin('BulkUpsertModelMixin', {
  settings: ['bulkBatchSize', 'bulkUpsert'],
  routes: [
    {
      method: 'POST',
      path: '/bulk-upsert/',
      action: 'bulkUpsert',
      prepare: bulkItems,
      enabled: ({ bulkUpsert }) => bulkUpsert !== undefined,
    },
  ],
  methods,
})

async function update(view: GenericViewSet, changes: readonly BulkChange[]): Promise<RecordList> {
  const own = ownUpdates(view)
  if (own) return own(changes, ({ values }) => placeOf(values))
  const model = modelInfo(view.model)
  const updates = changes.map(change => ({ key: keyOfChange(model, change), values: change.values }))
  return updateRecords(view.database, model, updates)
}

async function create(view: GenericViewSet, values: Values[]): Promise<RecordList> {
  const own = ownCreates(view)
  return own ? own(values, placeOf) : insertRecords(view.database, modelInfo(view.model), values)
}
