import { allValid } from '../../core/errors.ts'
import { setting } from '../../core/setting-rules.ts'
import type { Model } from '../../model/kit.ts'
import type { AllFilterSettings, FilterSource } from '../../query/filter-backend.ts'
import { filterSettings, STANDARD_FILTERS } from '../../query/filter-backends.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { defineMixin } from '../mixin.ts'
import { hiddenFields } from '../reading/hidden-fields.ts'
import { readableFilters } from '../reading/readable-filters.ts'

declare module '../mixin-types.ts' {
  interface UsedBy {
    FilterModelMixin: 'ListModelMixin' | 'FileExportMixin'
  }
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    FilterModelMixin: {
      config: AllFilterSettings<M, S> & {
        /**
         * The filters of a list, in their order: classes or instances. Default: FieldFilter and SearchFilter if they
         * have settings, and ComputedOrderingFilter.
         */
        readonly filterBackends?: readonly FilterSource[]
      }
      methods: object
    }
  }
}

/** Narrows and orders the records of a list or an export by the request, without a route. */
export const FilterModelMixin = defineMixin('FilterModelMixin', {
  settings: { filterBackends: setting.list, ...filterSettings(STANDARD_FILTERS) },
  moreSettings: ({ filterBackends: sources = [] }) => (Array.isArray(sources) ? filterSettings(sources) : {}),
  define: ({ subject, model, config }) =>
    readableFilters({ subject, model, serializer: config.serializer, settings: config }, config.filterBackends),
  methods: (Base, mixin) =>
    class extends Base {
      /** @throws ValidationError with the errors of all filters */
      override async filterQueryset(queryset: QuerySet): Promise<QuerySet> {
        let filtered = queryset
        const steps = mixin
          .own(this)(hiddenFields(this))
          .map(filter => async () => {
            filtered = await filter.filterQueryset(this.request, filtered, this)
          })
        await allValid(...steps)
        return super.filterQueryset(filtered)
      }
    },
})
