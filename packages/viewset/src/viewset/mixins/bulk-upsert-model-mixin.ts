import { modelInfo } from '../../model/model-info.ts'
import { insertRecords, updateRecords } from '../../records/write-many.ts'
import type { Values } from '../../store/write.ts'
import { type BulkChange, keyOfChange } from '../bulk/change.ts'
import { bulkItems } from '../bulk/items.ts'
import { type BulkUpsertReport, submittedUpserts, withCurrentMatches } from '../bulk/upsert.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { defineMixin } from '../mixin.ts'

type BulkUpsertView = GenericViewSet & {
  performBulkUpsert(changes: readonly BulkChange[], values: Values[]): Promise<BulkUpsertReport>
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
  methods: {
    async bulkUpsert(this: BulkUpsertView): Promise<BulkUpsertReport> {
      return withCurrentMatches(this, async matches => {
        const { changes, values } = await submittedUpserts(this, matches)
        return this.performBulkUpsert(changes, values)
      })
    },

    async performBulkUpsert(
      this: GenericViewSet,
      changes: readonly BulkChange[],
      values: Values[],
    ): Promise<BulkUpsertReport> {
      const model = modelInfo(this.model)
      const updates = changes.map(change => ({ key: keyOfChange(model, change), values: change.values }))
      // Updated first: what an update gives up can be taken by a new record.
      const updated = await updateRecords(this.database, model, updates)
      const created = await insertRecords(this.database, model, values)
      return { created: created.length, updated: updated.length }
    },
  },
})
