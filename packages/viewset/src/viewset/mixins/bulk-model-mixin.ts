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
        /** The maximum number of items in a bulk request. Default: the setting `BULK_OPERATION_BATCH_SIZE`. */
        readonly bulkBatchSize?: number
      }
      methods: {
        /** The maximum number of items in this request. Default: `bulkBatchSize`, else the setting. */
        getBulkBatchSize(): number
        /** Runs before a bulk action, after the permissions. Refuses a body that is no list, or too long a list. */
        checkBulkItems(): void
      }
    }
  }
}

/** The common part of all bulk actions, without a route. */
export const BulkModelMixin = defineMixin('BulkModelMixin', {
  settings: { bulkBatchSize: shared(setting.wholeNumber) },
  // For the descriptions of routes that are made by `map`: their types do not include this mixin's settings.
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
