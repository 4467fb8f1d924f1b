import type { SQL } from 'drizzle-orm'
import { setting } from '../../core/setting-rules.ts'
import type { Model } from '../../model/kit.ts'
import { keyOf, type ModelRecord, restoreRecord } from '../../records/record.ts'
import { RecordList } from '../../records/record-list.ts'
import type { ModelSerializer, SerializerData } from '../../serializer/model-serializer.ts'
import { Reply } from '../answer/reply.ts'
import { defineMixin } from '../mixin.ts'
import { checkUpdated } from '../records-in-scope.ts'
import { restoredReply } from '../soft-delete/restored-reply.ts'
import { requireSoftDelete, restoreScope } from '../soft-delete/soft-delete-setting.ts'
import type { ResourceView } from '../view.ts'
import { performOnRecords } from '../write/perform-write.ts'

declare module '../mixin-types.ts' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    RestoreModelMixin: {
      config: {
        /**
         * The condition of the records that can be restored, if `queryset` hides deleted ones: `() => allRecords` for
         * all of the model's. It replaces `queryset`; an overridden `getQueryset` still applies. With `softDelete`, it is
         * not needed. Default: `queryset`.
         */
        readonly restoreQueryset?: (view: ResourceView<M, S>) => SQL
      }
      methods: {
        restore(): Promise<Reply<SerializerData<S>>>
        /** Called for a soft-deleted record. Returns the restored record. */
        performRestore(record: ModelRecord<M>): Promise<ModelRecord<M>>
      }
    }
  }
}

/**
 * `POST /resource/{id}/restore/`: undoes the soft delete of one record. Its path has the primary key, also with
 * `lookupField`. A record that is not deleted stays as it is, and the answer is 200.
 *
 * @example
 * BaseViewSet.add(RestoreModelMixin)({ ...config, softDelete: true })
 */
export const RestoreModelMixin = defineMixin('RestoreModelMixin', {
  settings: { restoreQueryset: setting.condition },
  routes: [
    {
      method: 'POST',
      path: '/:id/restore/',
      action: 'restore',
      write: 'restore',
      describes: ({ names, config: { serializer } }) => ({
        summary: `Restore ${names.one}`,
        description: 'Removes the mark of a soft delete. A record that is not deleted stays as it is.',
        data: serializer.outputSchema(),
      }),
    },
  ],
  define: ({ subject, model }) => requireSoftDelete(subject, 'RestoreModelMixin', model),
  methods: (Base, mixin) =>
    class extends Base {
      override getScope() {
        return restoreScope(this, 'restore') ?? super.getScope()
      }

      async restore(): Promise<Reply<object>> {
        const record = await this.getObject()
        const isDeleted = record.isActive === false
        const restored = isDeleted ? await this.#restore(record) : record
        this.shown = restored
        const json = mixin.isFinalAnswer(this, 'restore') ? await this.writtenJson(restored) : undefined
        const data = json ?? (await this.serialize(restored))
        return new Reply(data, restoredReply(isDeleted ? 'restored' : 'restored.active'))
      }

      async #restore(record: ModelRecord<Model>): Promise<ModelRecord<Model>> {
        const records = RecordList.of(this.database, this.definition.model, [record])
        let restored = record
        await performOnRecords(this, 'restore', records, async () => {
          restored = await this.performRestore(record)
          return 1
        })
        await checkUpdated(this, () => [keyOf(restored)])
        return restored
      }

      async performRestore(record: ModelRecord<Model>): Promise<ModelRecord<Model>> {
        return restoreRecord(record)
      }
    },
})
