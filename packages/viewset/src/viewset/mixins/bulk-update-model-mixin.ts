import { underPath } from '../../core/errors.ts'
import { setting, shared } from '../../core/setting-rules.ts'
import type { Model } from '../../model/kit.ts'
import type { ModelRecord } from '../../records/record.ts'
import { RecordList } from '../../records/record-list.ts'
import { updateRecords } from '../../records/write-many.ts'
import { updateRecord } from '../../records/write-record.ts'
import { changesAllDirectly } from '../../serializer/direct-bulk-writes.ts'
import { writesDirectly } from '../../serializer/direct-write.ts'
import type { ModelSerializer, SerializerData, SerializerInput } from '../../serializer/model-serializer.ts'
import { updateAllDirectly } from '../../store/direct-bulk-writes.ts'
import { answer, type BulkCount, returnsRows } from '../bulk/answer.ts'
import { type BulkChange, keyOfChange } from '../bulk/change.ts'
import { bulkItems } from '../bulk/items.ts'
import { itemsSchema, keyedSchema } from '../bulk/schemas.ts'
import { submittedChanges } from '../bulk/submitted-changes.ts'
import { recordsOrCount } from '../description/route-description.ts'
import { directListReply, isUnwatchedInBulk } from '../direct-writes.ts'
import { newRecordsOf } from '../fixed-values.ts'
import { defineMixin } from '../mixin.ts'
import { handingOver, ownPerformUpdate } from '../own-writes.ts'
import type { ListPage, Reply } from '../reply.ts'
import { checkUpdated } from '../scope-check.ts'
import { BulkModelMixin } from './bulk-model-mixin.ts'

declare module '../mixin-types.ts' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    BulkUpdateModelMixin: {
      config: {
        /** Whether an update answers with the records. Default true; otherwise with `{}`, in bulk with their number. */
        readonly returnDataOnUpdate?: boolean
        /** Whether each record is saved by itself, which sends the signals. Default false: one statement for all. */
        readonly useSaveOnBulkUpdate?: boolean
      }
      methods: {
        bulkUpdate(): Promise<ListPage<SerializerData<S>> | BulkCount>
        /** Writes to records that are locked already. */
        performBulkUpdate(changes: readonly BulkChange<ModelRecord<M>, SerializerInput<S>>[]): Promise<RecordList<M>>
        /** @internal Updates the records by one statement, where nothing has to be asked before or looked at behind it. */
        bulkUpdateDirectly(): Promise<Reply | undefined>
      }
    }
  }
}

/** `PUT` and `PATCH /resource/bulk-update/`: records by an array of objects with `id`, all of them or none. */
export const BulkUpdateModelMixin = defineMixin('BulkUpdateModelMixin', {
  extends: [BulkModelMixin],
  settings: { returnDataOnUpdate: shared(setting.boolean), useSaveOnBulkUpdate: shared(setting.boolean) },
  routes: (['PUT', 'PATCH'] as const).map(method => ({
    method,
    path: '/bulk-update/',
    action: 'bulkUpdate',
    precheck: 'bulkUpdateDirectly',
    describes: resource => {
      const { serializer, returnDataOnUpdate } = resource.config
      const input = serializer.inputSchema({ existing: true, partial: method === 'PATCH' })
      return {
        summary: 'Updates many records by their keys: all of them or none.',
        body: itemsSchema({ allOf: [keyedSchema(resource.model), input] }, BulkModelMixin.own(resource)),
        data: recordsOrCount(serializer.outputSchema(), returnDataOnUpdate),
      }
    },
  })),
  methods: (Base, mixin) =>
    class extends Base {
      async bulkUpdateDirectly(): Promise<Reply | undefined> {
        this.checkBulkItems()
        const { checkScope, returnDataOnUpdate, useSaveOnBulkUpdate } = this.config
        if (!mixin.answers(this, 'bulkUpdate') || mixin.overrides(this, 'performBulkUpdate')) return undefined
        if (ownPerformUpdate(this) || useSaveOnBulkUpdate || checkScope === 'always' || this.asksAboutRecords)
          return undefined
        const serializer = this.getSerializer()
        if (!isUnwatchedInBulk(this) || !writesDirectly(serializer)) return undefined
        const options = { ...newRecordsOf(this), partial: this.method === 'PATCH' }
        const given = changesAllDirectly(serializer, this.database, bulkItems(this), options)
        if (!given) return undefined
        const rows = await updateAllDirectly(await this.getQueryset(), serializer.listed.projection, given)
        return rows && directListReply(serializer, rows, returnDataOnUpdate)
      }

      async bulkUpdate(): Promise<object> {
        const needsRecords =
          this.config.useSaveOnBulkUpdate === true ||
          mixin.overrides(this, 'performBulkUpdate') ||
          ownPerformUpdate(this) !== undefined
        const changes = await submittedChanges(this, { partial: this.method === 'PATCH', needsRecords })
        const updated = await this.performBulkUpdate(changes)
        await checkUpdated(this, () => updated.keys)
        return answer(this, this.config.returnDataOnUpdate, updated)
      }

      async performBulkUpdate(changes: readonly BulkChange[]): Promise<RecordList> {
        const { model } = this.definition
        const updateEach = ownPerformUpdate(this)
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
        const rows = returnsRows(this, this.config.returnDataOnUpdate)
        return updateRecords(this.database, model, updates, { rows, place: String })
      }
    },
})
