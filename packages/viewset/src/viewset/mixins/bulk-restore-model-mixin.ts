import type { SQL } from 'drizzle-orm'
import { setting } from '../../core/setting-rules.ts'
import type { Model } from '../../model/kit.ts'
import type { RecordList } from '../../records/record-list.ts'
import { setDeleted } from '../../records/write-records.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { type BulkDeleteReport, deleteReport, deleteReportSchema } from '../bulk/delete-report.ts'
import { guardErrors, itemsSchema, keyItemSchema } from '../bulk/items.ts'
import { defineMixin } from '../mixin.ts'
import { requireSoftDelete, restoreScope } from '../soft-delete/soft-delete-setting.ts'
import type { ResourceView } from '../view.ts'
import { overriddenRestore } from '../write/overridden-writes.ts'
import { performOnRecords } from '../write/perform-write.ts'
import { BulkModelMixin } from './bulk-model-mixin.ts'

declare module '../mixin-types.ts' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    BulkRestoreModelMixin: {
      config: {
        /**
         * The condition of the records that can be restored, if `queryset` hides deleted ones: `() => allRecords` for
         * all of the model's. It replaces `queryset`; an overridden `getQueryset` still applies. With `softDelete`, it is
         * not needed. Default: `queryset`.
         */
        readonly restoreQueryset?: (view: ResourceView<M, S>) => SQL
      }
      methods: {
        bulkRestore(): Promise<BulkDeleteReport>
        /** Restores soft-deleted records with one statement, without signals. Returns their number. */
        performBulkRestore(records: RecordList<M>): Promise<number>
      }
    }
  }
}

/**
 * `POST /resource/bulk-restore/`: undoes soft deletes.
 *
 * @example
 * BulkViewSet.add(BulkRestoreModelMixin)({ ...config, softDelete: true })
 */
export const BulkRestoreModelMixin = defineMixin('BulkRestoreModelMixin', {
  extends: [BulkModelMixin],
  settings: { restoreQueryset: setting.condition },
  routes: [
    {
      method: 'POST',
      path: '/bulk-restore/',
      action: 'bulkRestore',
      before: 'checkBulkItems',
      write: 'bulkRestore',
      describes: resource => ({
        summary: `Restore several ${resource.names.many}`,
        description: 'Removes the mark of a soft delete. The report lists the keys that match none.',
        body: itemsSchema(keyItemSchema(resource), BulkModelMixin.own(resource)),
        data: deleteReportSchema(),
        ...guardErrors(resource),
      }),
    },
  ],
  define: ({ subject, model }) => requireSoftDelete(subject, 'BulkRestoreModelMixin', model),
  methods: Base =>
    class extends Base {
      /** Replaces only the setting, so that an overridden `getQueryset` still applies. */
      override getScope() {
        return restoreScope(this, 'bulkRestore') ?? super.getScope()
      }

      async bulkRestore(): Promise<BulkDeleteReport> {
        return deleteReport(this, await this.getQueryset(), 'update', async records =>
          performOnRecords(this, 'restore', await records.filter(record => record.isActive === false), deleted =>
            this.performBulkRestore(deleted),
          ),
        )
      }

      async performBulkRestore(records: RecordList): Promise<number> {
        const restoreEach = overriddenRestore(this)
        if (restoreEach) return restoreEach(records)
        return setDeleted(this.database, this.definition.model, records.keys, false)
      }
    },
})
