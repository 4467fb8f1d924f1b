import { is, SQL } from 'drizzle-orm'
import type { ComputedOrdering } from '../../query/computed-ordering-filter.ts'
import type { FilterBackend, FilterContext, FilterSource } from '../../query/filter-backend.ts'
import { filterBackends } from '../../query/filter-backends.ts'
import type { HiddenFields } from './hidden-fields.ts'

/** The filters of a reader. Without hidden fields, they are the resource's. */
export type ReadableFilters = (hidden?: HiddenFields) => readonly FilterBackend[]

/** A filter, an ordering or a searched field that leads to a hidden field does not exist for its reader. */
export function readableFilters(context: FilterContext, sources: readonly FilterSource[] | undefined): ReadableFilters {
  const standard = filterBackends(context, sources)
  const narrowed = new WeakMap<HiddenFields, readonly FilterBackend[]>()
  return hidden => {
    if (!hidden || hidden.isEmpty) return standard
    const filters = narrowed.get(hidden) ?? filterBackends(readableContext(context, hidden), sources)
    narrowed.set(hidden, filters)
    return filters
  }
}

function readableContext(context: FilterContext, hidden: HiddenFields): FilterContext {
  const { serializer, settings } = context
  const fields = serializer.fields.filter(field => !hidden.hidesPath(field.key) && !isHiddenColumn(field, hidden))
  return { ...context, serializer: { ...serializer, fields }, settings: readableSettings(settings, hidden) }
}

function isHiddenColumn(field: FilterContext['serializer']['fields'][number], { columns }: HiddenFields): boolean {
  return field.kind === 'stored' && columns.has(field.column)
}

function readableSettings(settings: FilterContext['settings'], hidden: HiddenFields): FilterContext['settings'] {
  const { filterFields, searchFields, orderingFields, ordering, computedOrderingFields } = settings
  const isReadable = (path: string) => !hidden.hidesPath(path)
  const computed = Object.entries(computedOrderingFields ?? {})
  const lost = new Set(computed.filter(([, value]) => usesHidden(value, hidden)).map(([name]) => name))
  const isOrdering = (term: string) => {
    const name = term.replace(/^-/, '')
    return computedOrderingFields && Object.hasOwn(computedOrderingFields, name) ? !lost.has(name) : isReadable(name)
  }
  const searched = searchFields?.filter(isReadable)
  const { searchFields: _, ...others } = settings
  return {
    ...others,
    ...(filterFields && {
      filterFields: Array.isArray(filterFields)
        ? filterFields.filter(isReadable)
        : Object.fromEntries(Object.entries(filterFields).filter(([path]) => isReadable(path))),
    }),
    // Without a field to search, the parameter is unknown. With an empty list, it would find everything.
    ...(searched && searched.length > 0 && { searchFields: searched }),
    ...(orderingFields && { orderingFields: orderingFields.filter(isReadable) }),
    ...(ordering !== undefined && { ordering: [ordering].flat().filter(isOrdering) }),
    ...(computedOrderingFields && {
      computedOrderingFields: Object.fromEntries(computed.filter(([name]) => !lost.has(name))),
    }),
  }
}

function usesHidden(value: ComputedOrdering, hidden: HiddenFields): boolean {
  return [value].flat().some(term => {
    if (typeof term === 'string') return hidden.hidesPath(term)
    return hidden.hidesSql(is(term, SQL) ? term : term.expression)
  })
}
