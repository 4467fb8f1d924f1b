import { underPath } from '../../core/errors.ts'
import { modelInfo } from '../../model/model-info.ts'
import { updateRecord } from '../../records/record.ts'
import { RecordList } from '../../records/record-list.ts'
import { updateRecords } from '../../records/write-many.ts'
import { answer, returnsRows } from '../bulk/answer.ts'
import { type BulkChange, keyOfChange } from '../bulk/change.ts'
import { bulkItems } from '../bulk/items.ts'
import { submittedChanges } from '../bulk/submitted-changes.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { defineMixin } from '../mixin.ts'
import { isOverridden } from '../overrides.ts'
import { handingOver, ownUpdate } from '../own-writes.ts'
import { checkUpdated } from '../scope-check.ts'

type BulkUpdateView = GenericViewSet & { performBulkUpdate(changes: readonly BulkChange[]): Promise<RecordList> }

const methods = {
  async bulkUpdate(this: BulkUpdateView): Promise<object> {
    const needsRecords =
      this.config.useSaveOnBulkUpdate === true ||
      isOverridden(this, 'performBulkUpdate', methods) ||
      ownUpdate(this) !== undefined
    const changes = await submittedChanges(this, { partial: this.method === 'PATCH', needsRecords })
    const updated = await this.performBulkUpdate(changes)
    await checkUpdated(this, () => updated.keys)
    return answer(this, this.config.returnDataOnUpdate, updated)
  },

  async performBulkUpdate(this: GenericViewSet, changes: readonly BulkChange[]): Promise<RecordList> {
    const model = modelInfo(this.model)
    const updateEach = ownUpdate(this)
    if (updateEach) return updateEach(changes, (_, index) => String(index))
    if (this.config.useSaveOnBulkUpdate) {
      return handingOver(this, changes, async () => {
        const saved: object[] = []
        for (const { record, values } of changes)
          saved.push(await underPath(String(saved.length), () => updateRecord(record, values)))
        return RecordList.of(this.database, model, saved)
      })
    }
    const updates = changes.map(change => ({ key: keyOfChange(model, change), values: change.values }))
    return updateRecords(this.database, model, updates, { rows: returnsRows(this, this.config.returnDataOnUpdate) })
  },
}

/** `PUT` and `PATCH /resource/bulk-update/`: records by an array of objects with `id`, all of them or none. */
export const BulkUpdateModelMixin = defineMixin('BulkUpdateModelMixin', {
  settings: ['bulkBatchSize', 'returnDataOnUpdate', 'useSaveOnBulkUpdate'],
  routes: [
    { method: 'PUT', path: '/bulk-update/', action: 'bulkUpdate', prepare: bulkItems },
    { method: 'PATCH', path: '/bulk-update/', action: 'bulkUpdate', prepare: bulkItems },
  ],
  methods,
})
