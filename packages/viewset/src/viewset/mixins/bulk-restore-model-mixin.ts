import type { SQL } from 'drizzle-orm'
import { modelInfo } from '../../model/model-info.ts'
import type { RecordList } from '../../records/record-list.ts'
import { setDeleted } from '../../records/write-many.ts'
import { QuerySet } from '../../store/queryset.ts'
import { type BulkDeleteReport, deleteReport } from '../bulk/delete-report.ts'
import { bulkItems } from '../bulk/items.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { defineMixin } from '../mixin.ts'

type BulkRestoreView = GenericViewSet & { performBulkRestore(records: RecordList): Promise<number> }

/** `POST /resource/bulk-restore/`: takes soft deletes back. Off until the setting `bulkRestore` turns it on. */
export const BulkRestoreModelMixin = defineMixin('BulkRestoreModelMixin', {
  settings: ['bulkBatchSize', 'bulkRestore'],
  routes: [
    {
      method: 'POST',
      path: '/bulk-restore/',
      action: 'bulkRestore',
      prepare: bulkItems,
      enabled: ({ bulkRestore = false }) => bulkRestore !== false,
    },
  ],
  methods: {
    async bulkRestore(this: BulkRestoreView): Promise<BulkDeleteReport> {
      return deleteReport(this, await restorable(this), 'update', async records =>
        this.performBulkRestore(await records.filter(record => record.isActive === false)),
      )
    },

    async performBulkRestore(this: GenericViewSet, records: RecordList): Promise<number> {
      return setDeleted(this.database, modelInfo(this.model), records.keys, false)
    },
  },
})

/** The records that a restore may see: a resource of active records shows none of them. */
async function restorable(view: GenericViewSet): Promise<QuerySet> {
  const { bulkRestore } = view.config
  if (typeof bulkRestore !== 'object') return view.getQueryset()
  const scope = bulkRestore.queryset as (view: GenericViewSet) => SQL | undefined
  return new QuerySet(view.database, modelInfo(view.model)).filter(scope(view))
}
