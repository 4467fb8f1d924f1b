import { setting, shared } from '../../core/setting-rules.ts'
import type { Model } from '../../model/kit.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { bulkItems } from '../bulk/items.ts'
import { defineMixin } from '../mixin.ts'

declare module '../mixin-types.ts' {
  interface UsedBy {
    BulkModelMixin: 'BulkCreateModelMixin' | 'BulkUpdateModelMixin' | 'BulkDeleteModelMixin'
  }
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    BulkModelMixin: {
      config: {
        /** Most items of one bulk request. Default: the setting `BULK_OPERATION_BATCH_SIZE`. */
        readonly bulkBatchSize?: number
      }
      methods: {
        /** Most items that this request may have. By default what `bulkBatchSize` says, else the setting. */
        getBulkBatchSize(): number
        /** Runs before a bulk action, behind the permissions: refuses what is no list of items, or too long a one. */
        checkBulkItems(): void
      }
    }
  }
}

/** What all bulk actions have in common; it has no route of its own. */
export const BulkModelMixin = defineMixin('BulkModelMixin', {
  settings: { bulkBatchSize: shared(setting.wholeNumber) },
  // For the descriptions of routes that are made by `map`, whose types know no settings of this mixin.
  define: ({ config: { bulkBatchSize } }) => ({ bulkBatchSize }),
  methods: Base =>
    class extends Base {
      getBulkBatchSize(): number {
        return this.config.bulkBatchSize ?? this.settings.COMMON.BULK_OPERATION_BATCH_SIZE
      }

      checkBulkItems(): void {
        bulkItems(this)
      }
    },
})
