import { ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { Model } from '../../model/kit.ts'
import type { RecordList } from '../../records/record-list.ts'
import { setDeleted } from '../../records/write-records.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { type BulkDeleteReport, deleteReport, deleteReportSchema } from '../bulk/delete-report.ts'
import { bulkItems, guardErrors, itemsSchema, keyItemSchema } from '../bulk/items.ts'
import { defineMixin } from '../mixin.ts'
import type { ResourceDefinition } from '../resource/resource.ts'
import { deleteAsSet, overriddenDestroy } from '../write/overridden-writes.ts'
import { deletionKind, performOnRecords } from '../write/perform-write.ts'
import { BulkModelMixin } from './bulk-model-mixin.ts'

declare module '../mixin-types.ts' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    BulkHardDeleteModelMixin: {
      config: object
      methods: {
        bulkDelete(): Promise<BulkDeleteReport>
        /**
         * Deletes records with one statement, without signals, or marks them as deleted with the setting `softDelete`.
         * Returns their number.
         */
        performBulkDelete(records: RecordList<M>): Promise<number>
      }
    }
    BulkDeleteModelMixin: {
      config: object
      methods: {
        bulkSoftDelete(): Promise<BulkDeleteReport>
        /** Soft-deletes records with one statement, without signals. Returns their number. */
        performBulkSoftDelete(records: RecordList<M>): Promise<number>
        /** Runs before a bulk soft delete, after the permissions. Refuses a model without soft delete. */
        checkSoftDelete(): void
      }
    }
  }
}

function stays({ config }: Pick<ResourceDefinition, 'config'>): string {
  return config.softDelete ? ' They stay in the database.' : ''
}

/** `DELETE /resource/bulk-delete/`, also as POST since some proxies drop the body of a DELETE. */
export const BulkHardDeleteModelMixin = defineMixin('BulkHardDeleteModelMixin', {
  extends: [BulkModelMixin],
  routes: (['DELETE', 'POST'] as const).map(method => ({
    method,
    path: '/bulk-delete/',
    action: 'bulkDelete',
    before: 'checkBulkItems',
    write: 'bulkDelete',
    describes: resource => ({
      summary: `Delete several ${resource.names.many}`,
      description: `The report counts the deleted ones and lists the keys that match none.${stays(resource)}`,
      body: itemsSchema(keyItemSchema(resource), BulkModelMixin.own(resource)),
      data: deleteReportSchema(),
      ...guardErrors(resource),
    }),
  })),
  methods: (Base, _mixin) =>
    class extends Base {
      async bulkDelete(): Promise<BulkDeleteReport> {
        return deleteReport(this, await this.getQueryset(), 'delete', records =>
          performOnRecords(this, deletionKind(this), records, deleted => this.performBulkDelete(deleted)),
        )
      }

      async performBulkDelete(records: RecordList): Promise<number> {
        const destroyEach = overriddenDestroy(this)
        if (destroyEach) return destroyEach(records)
        return deleteAsSet(this, records)
      }
    },
})

/** {@link BulkHardDeleteModelMixin} and `DELETE /resource/bulk-soft-delete/`, also as POST. */
export const BulkDeleteModelMixin = defineMixin('BulkDeleteModelMixin', {
  extends: [BulkHardDeleteModelMixin],
  routes: (['DELETE', 'POST'] as const).map(method => ({
    method,
    path: '/bulk-soft-delete/',
    action: 'bulkSoftDelete',
    before: 'checkSoftDelete',
    write: 'bulkSoftDelete',
    describes: resource => ({
      summary: `Mark several ${resource.names.many} as deleted`,
      description: 'They stay in the database. The report lists the keys that match none.',
      body: itemsSchema(keyItemSchema(resource), BulkModelMixin.own(resource)),
      data: deleteReportSchema(),
      ...guardErrors(resource),
    }),
  })),
  methods: Base =>
    class extends Base {
      checkSoftDelete(): void {
        const { softDeletable } = this.definition.model
        if (!softDeletable) throw new ValidationError(message('not_soft_deletable'))
        bulkItems(this)
      }

      async bulkSoftDelete(): Promise<BulkDeleteReport> {
        return deleteReport(this, await this.getQueryset(), 'update', async records =>
          performOnRecords(this, 'softDelete', await records.filter(record => record.isActive !== false), active =>
            this.performBulkSoftDelete(active),
          ),
        )
      }

      async performBulkSoftDelete(records: RecordList): Promise<number> {
        return setDeleted(this.database, this.definition.model, records.keys, true)
      }
    },
})
