import { allValid, ConfigError, PermissionDenied } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { setting, shared } from '../../core/setting-rules.ts'
import type { Model } from '../../model/kit.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { CursorPagination } from '../../query/cursor-pagination.ts'
import { parametersOf, refuseSameParameters } from '../../query/filter-backends.ts'
import { PageList } from '../../query/page-list.ts'
import {
  isPagination,
  type Pagination,
  type PaginationSource,
  paginationFrom,
  readPaginated,
} from '../../query/pagination.ts'
import { isQueryParameters } from '../../query/query-parameters.ts'
import { StandardPageNumberPagination } from '../../query/window-pagination.ts'
import { isReadable } from '../../serializer/fields.ts'
import type { ModelSerializer, SerializerData } from '../../serializer/model-serializer.ts'
import { relatedStatements } from '../../serializer/output/related-writers.ts'
import type { ListPage } from '../answer/reply.ts'
import { shownRepresentation, showPage, showWhole } from '../answer/show-records.ts'
import { describeList } from '../description/list-description.ts'
import { defineMixin } from '../mixin.ts'
import { type PermissionClass, requirePermissions } from '../permissions.ts'
import type { ResourceDefinition } from '../resource/resource.ts'
import { FilterModelMixin } from './filter-model-mixin.ts'

declare module '../mixin-types.ts' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    ListModelMixin: {
      config: {
        /** Whether items have their position as `index`. Default true. */
        readonly appendIndexes?: boolean
        /** The class that divides the list into pages. Default StandardPageNumberPagination; `null` for no pages. */
        readonly paginationClass?: PaginationSource | null
        /** Whether a request may ask for the whole list of a resource with pages. Default true. */
        readonly allowUnpaginated?: boolean | PermissionClass
      }
      methods: {
        list(): Promise<ListPage<SerializerData<S> & { readonly index?: number }>>
        /** Refuses a request that may not have the whole list. Called only for resources with pages. */
        checkUnpaginated(): Promise<void>
      }
    }
  }
}

/** `GET /resource/`: the list, in pages or as a whole. */
export const ListModelMixin = defineMixin('ListModelMixin', {
  extends: [FilterModelMixin],
  settings: {
    appendIndexes: shared(setting.boolean),
    paginationClass: shared({
      ...setting.any,
      accepts: value => value === null || isPagination(value),
      expected:
        'must be a class that extends Pagination, such as CursorPagination, an object of one, or null for no pages',
    }),
    allowUnpaginated: shared(setting.permission),
  },
  define: resource => {
    const { subject, config } = resource
    const hasIndex = config.serializer.fields.some(field => field.wire === 'index' && isReadable(field))
    if (hasIndex && config.appendIndexes !== false) {
      const problem = 'the serializer has a field "index", which the position in a list would hide'
      throw new ConfigError(subject, 'appendIndexes', `${problem}; name it otherwise, or set appendIndexes: false`)
    }
    const { paginationClass = StandardPageNumberPagination } = config
    const pagination = paginationClass && paginationFrom(paginationClass)
    // A resource without pages still has the standard ones, for requests with `paginated=true`.
    const pages = pagination ?? new StandardPageNumberPagination()
    if (!isQueryParameters(pages.queryParameters) || typeof pages.paginate !== 'function') {
      throw new ConfigError(subject, 'paginationClass', 'is not whole: it needs queryParameters and paginate')
    }
    checkSizes(subject, pages)
    if (pages instanceof CursorPagination) checkOrder(subject, resource.model)
    refuseSameParameters(subject, FilterModelMixin.own(resource)(), [
      'paginated',
      ...Object.keys(pages.queryParameters),
    ])
    return { pages, isPaginated: pagination !== null }
  },
  routes: [
    {
      method: 'GET',
      path: '/',
      action: 'list',
      // The rows, their count, and each relation to many.
      statements: ({ config }) => 2 + relatedStatements(config.serializer.fields),
      describes: (resource, list) => describeList(resource, list, parametersOf(FilterModelMixin.own(resource)())),
    },
  ],
  methods: (Base, mixin) =>
    class extends Base {
      async list(): Promise<ListPage> {
        const { pages, isPaginated } = mixin.own(this)
        const hasIndex = this.config.appendIndexes !== false
        let paginated = isPaginated
        const [queryset] = await allValid(
          async () => this.filterQueryset(await this.getQueryset()),
          () => {
            paginated = readPaginated(this.request) ?? isPaginated
          },
          () => paginated && pages.check(this.request),
        )
        if (!paginated && isPaginated) await this.checkUnpaginated()
        if (!paginated) return showWhole(this, queryset, hasIndex)
        const list = new PageList(queryset, this.settings, shownRepresentation(this).projection)
        return showPage(this, await pages.paginate(list, this.request), hasIndex)
      }

      async checkUnpaginated(): Promise<void> {
        const { allowUnpaginated = true } = this.config
        if (allowUnpaginated === true) return
        if (allowUnpaginated === false) throw new PermissionDenied(message('permission_denied.pages'))
        await requirePermissions([allowUnpaginated], this)
      }
    },
})

export function pageParameters({ states }: Pick<ResourceDefinition, 'states'>): readonly string[] {
  if (!states.has(ListModelMixin)) return []
  return ['paginated', ...Object.keys(ListModelMixin.own({ states }).pages.queryParameters)]
}

/** Equal rows have no order, so a cursor between two of them would lose one. */
function checkOrder(subject: string, { key, uniques, name }: ModelInfo): void {
  const isTotal = key.length > 0 || uniques.some(({ columns }) => columns.every(column => !column.nullable))
  if (isTotal) return
  const problem = `CursorPagination needs a primary key, or unique fields that are not nullable, and "${name}" has neither`
  throw new ConfigError(subject, 'paginationClass', `${problem}; use StandardPageNumberPagination`)
}

/** With a page size of 0, there is no next page. One above its maximum would be cut without a word. */
function checkSizes(subject: string, pages: Pagination): void {
  for (const key of ['pageSize', 'maxPageSize', 'defaultLimit', 'maxLimit'] as const) {
    const size: unknown = Reflect.get(pages, key)
    const isUnlimited = key.startsWith('max') && size === Number.POSITIVE_INFINITY
    if (size === undefined || isUnlimited || (Number.isSafeInteger(size) && Number(size) > 0)) continue
    throw new ConfigError(subject, 'paginationClass', `${key} must be a whole number above 0, not ${String(size)}`)
  }
  for (const [key, maxKey] of [
    ['pageSize', 'maxPageSize'],
    ['defaultLimit', 'maxLimit'],
  ] as const) {
    const size: unknown = Reflect.get(pages, key)
    const max: unknown = Reflect.get(pages, maxKey)
    if (typeof size !== 'number' || typeof max !== 'number' || size <= max) continue
    throw new ConfigError(subject, 'paginationClass', `${key} is ${size}, which is above its ${maxKey} of ${max}`)
  }
}
