import { ValidationError } from '../../core/errors.ts'
import { modelInfo } from '../../model/model-info.ts'
import type { RecordList } from '../../records/record-list.ts'
import { setDeleted } from '../../records/write-many.ts'
import { deleteRows } from '../../store/write-many.ts'
import { type BulkDeleteReport, deleteReport } from '../bulk/delete-report.ts'
import { bulkItems } from '../bulk/items.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { defineMixin } from '../mixin.ts'
import { ownDestroy } from '../own-writes.ts'

type HardDeleteView = GenericViewSet & { performBulkDelete(records: RecordList): Promise<number> }
type SoftDeleteView = GenericViewSet & { performBulkSoftDelete(records: RecordList): Promise<number> }

/** `DELETE /resource/bulk-delete/`, also as POST since some proxies drop the body of a DELETE. */
export const BulkHardDeleteModelMixin = defineMixin('BulkHardDeleteModelMixin', {
  settings: ['bulkBatchSize'],
  routes: [
    { method: 'DELETE', path: '/bulk-delete/', action: 'bulkDelete', prepare: bulkItems },
    { method: 'POST', path: '/bulk-delete/', action: 'bulkDelete', prepare: bulkItems },
  ],
  methods: {
    async bulkDelete(this: HardDeleteView): Promise<BulkDeleteReport> {
      return deleteReport(this, await this.getQueryset(), 'delete', records => this.performBulkDelete(records))
    },

    async performBulkDelete(this: GenericViewSet, records: RecordList): Promise<number> {
      const destroyEach = ownDestroy(this)
      if (destroyEach) return destroyEach(records)
      return deleteRows(this.database, modelInfo(this.model), records.keys)
    },
  },
})

/** {@link BulkHardDeleteModelMixin} and `DELETE /resource/bulk-soft-delete/`, also as POST. */
export const BulkDeleteModelMixin = defineMixin('BulkDeleteModelMixin', {
  settings: ['bulkBatchSize'],
  routes: [
    ...BulkHardDeleteModelMixin.routes,
    { method: 'DELETE', path: '/bulk-soft-delete/', action: 'bulkSoftDelete', prepare: refuseWithoutMixin },
    { method: 'POST', path: '/bulk-soft-delete/', action: 'bulkSoftDelete', prepare: refuseWithoutMixin },
  ],
  methods: {
    ...BulkHardDeleteModelMixin.methods,

    async bulkSoftDelete(this: SoftDeleteView): Promise<BulkDeleteReport> {
      refuseWithoutMixin(this)
      return deleteReport(this, await this.getQueryset(), 'update', async records =>
        this.performBulkSoftDelete(await records.filter(record => record.isActive !== false)),
      )
    },

    async performBulkSoftDelete(this: GenericViewSet, records: RecordList): Promise<number> {
      return setDeleted(this.database, modelInfo(this.model), records.keys, true)
    },
  },
})

function refuseWithoutMixin(view: GenericViewSet): void {
  if (!modelInfo(view.model).softDeletable) throw new ValidationError('These records cannot be soft-deleted.')
  bulkItems(view)
}
