import { setting, shared } from '../../core/setting-rules.ts'
import type { Model } from '../../model/kit.ts'
import { type ModelRecord, softDeleteRecord } from '../../records/record.ts'
import { RecordList } from '../../records/record-list.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { defineMixin } from '../mixin.ts'
import { deletionKind, performOnRecords } from '../write/perform-write.ts'

declare module '../mixin-types.ts' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    DestroyModelMixin: {
      config: {
        /** 204 without a body (RFC 9110), or 200 with the envelope. Default 204. */
        readonly destroyStatus?: 200 | 204
      }
      methods: {
        destroy(): Promise<void>
        performDestroy(record: ModelRecord<M>): Promise<void>
      }
    }
  }
}

/** `DELETE /resource/{id}/`: deletes one record. With the setting `softDelete`, it marks the record as deleted. */
export const DestroyModelMixin = defineMixin('DestroyModelMixin', {
  settings: { destroyStatus: shared(setting.oneOf(200, 204)) },
  routes: [
    {
      method: 'DELETE',
      path: '/:id/',
      action: 'destroy',
      write: 'destroy',
      status: ({ destroyStatus = 204 }) => destroyStatus,
      describes: ({ names, config: { softDelete } }) => ({
        summary: `Delete ${names.one}`,
        description: `Later requests for it are answered with 404.${softDelete ? ' It stays in the database.' : ''}`,
      }),
    },
  ],
  methods: (Base, _mixin) =>
    class extends Base {
      async destroy(): Promise<void> {
        const record = await this.getObject()
        const wasActive = record.isActive === true
        const records = RecordList.of(this.database, this.definition.model, [record])
        await performOnRecords(this, deletionKind(this), records, async () => {
          await this.performDestroy(record)
          return 1
        })
        // A soft-deleted record is still there, and has a new version.
        if (wasActive && record.isActive === false) this.shown = record
      }

      async performDestroy(record: ModelRecord<Model>): Promise<void> {
        if (this.config.softDelete) await softDeleteRecord(record)
        else await record.delete()
      }
    },
})
