import { setting, shared } from '../../core/setting-rules.ts'
import type { Model } from '../../model/kit.ts'
import { keyOf, type ModelRecord } from '../../records/record.ts'
import type { RecordList } from '../../records/record-list.ts'
import { saveEach, updateRecords } from '../../records/write-records.ts'
import type { ModelSerializer, SerializerData, SerializerInput } from '../../serializer/model-serializer.ts'
import type { ListPage } from '../answer/reply.ts'
import { type BulkChange, keyOfChange } from '../bulk/change.ts'
import { type BulkCount, bulkAnswer, guardErrors, itemsSchema, keyedSchema, returnsRows } from '../bulk/items.ts'
import { submittedChanges } from '../bulk/submitted-changes.ts'
import { recordsOrCount } from '../description/route-description.ts'
import { defineMixin } from '../mixin.ts'
import { checkUpdated } from '../records-in-scope.ts'
import { overriddenUpdate } from '../write/overridden-writes.ts'
import { performWrite } from '../write/perform-write.ts'
import { BulkModelMixin } from './bulk-model-mixin.ts'

declare module '../mixin-types.ts' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    BulkUpdateModelMixin: {
      config: {
        /** Whether an update answers with the records. Default true; otherwise with `{}`, in bulk with their number. */
        readonly returnDataOnUpdate?: boolean
        /** Whether each record is saved separately, which sends the signals. Default false: one statement for all. */
        readonly useSaveOnBulkUpdate?: boolean
      }
      methods: {
        bulkUpdate(): Promise<ListPage<SerializerData<S>> | BulkCount>
        /** Writes to locked records. */
        performBulkUpdate(changes: readonly BulkChange<ModelRecord<M>, SerializerInput<S>>[]): Promise<RecordList<M>>
      }
    }
  }
}

/** `PUT` and `PATCH /resource/bulk-update/`: updates all records of an array of objects with `id`, or none. */
export const BulkUpdateModelMixin = defineMixin('BulkUpdateModelMixin', {
  extends: [BulkModelMixin],
  settings: { returnDataOnUpdate: shared(setting.boolean), useSaveOnBulkUpdate: shared(setting.boolean) },
  routes: (['PUT', 'PATCH'] as const).map(method => ({
    method,
    path: '/bulk-update/',
    action: 'bulkUpdate',
    before: 'checkBulkItems',
    write: 'bulkUpdate',
    describes: resource => {
      const { serializer, returnDataOnUpdate: returnsData, appendEtags } = resource.config
      const input = serializer.inputSchema({ existing: true, partial: method === 'PATCH' })
      return {
        summary: `Update ${method === 'PATCH' ? 'some fields of ' : ''}several ${resource.names.many}`,
        description: `Each item names its record by ${resource.model.key.map(({ wire }) => `\`${wire}\``).join(' and ')}. If one is refused, none is stored.`,
        body: itemsSchema({ allOf: [keyedSchema(resource.model), input] }, BulkModelMixin.own(resource)),
        data: recordsOrCount(serializer.outputSchema(), { returnsData, appendEtags }),
        ...guardErrors(resource),
      }
    },
  })),
  methods: (Base, _mixin) =>
    class extends Base {
      async bulkUpdate(): Promise<object> {
        const needsRecords =
          this.config.useSaveOnBulkUpdate === true ||
          this.overrides('performBulkUpdate') ||
          overriddenUpdate(this) !== undefined
        const changes = await submittedChanges(this, { partial: this.method === 'PATCH', needsRecords })
        const updated = await performWrite<'update'>(this, { kind: 'update', changes }, plan =>
          this.performBulkUpdate(plan.changes),
        )
        await checkUpdated(this, () => updated.keys)
        return bulkAnswer(this, this.config.returnDataOnUpdate, updated)
      }

      async performBulkUpdate(changes: readonly BulkChange[]): Promise<RecordList> {
        const { model } = this.definition
        const updateEach = overriddenUpdate(this)
        if (updateEach) return updateEach(changes, (_, index) => String(index))
        if (this.config.useSaveOnBulkUpdate) {
          const updates = changes.map(({ record, values }) => ({ key: keyOf(record), values, record }))
          return saveEach(this.database, model, updates, { place: String })
        }
        const updates = changes.map(change => ({ key: keyOfChange(model, change), values: change.values }))
        const rows = returnsRows(this, this.config.returnDataOnUpdate)
        return updateRecords(this.database, model, updates, { rows, place: String })
      }
    },
})
