import { ConfigError } from '../core/errors.ts'
import { ComputedOrderingFilter } from './computed-ordering-filter.ts'
import { FieldFilter } from './field-filter.ts'
import type { FilterBackend, FilterBackendClass, FilterContext, FilterSource } from './filter-backend.ts'
import { SearchFilter } from './search-filter.ts'

const STANDARD: readonly FilterBackendClass[] = [FieldFilter, SearchFilter, ComputedOrderingFilter]

/**
 * The filters of a resource, in the order in which a list passes through them. By default, those that have settings,
 * and the ordering.
 *
 * @throws ConfigError for a setting that no filter reads and for a query parameter that two would read; `taken` are
 * those that the list itself reads.
 */
export function filterBackends(
  context: FilterContext,
  taken: readonly string[],
  sources: readonly FilterSource[] = standardFor(context),
): readonly FilterBackend[] {
  const { subject } = context
  refuseUnread(context, sources)
  const filters = sources.map(source => (typeof source === 'function' ? new source(context) : source))
  const known = new Set(taken)
  for (const filter of filters) {
    if (typeof filter?.filterQueryset !== 'function' || !Array.isArray(filter.queryParameters)) {
      throw new ConfigError(subject, 'filterBackends', 'a filter needs filterQueryset and queryParameters')
    }
    for (const parameter of filter.queryParameters) {
      if (known.has(parameter)) {
        throw new ConfigError(
          subject,
          'filterBackends',
          `the query parameter "${parameter}" already means something else`,
        )
      }
      known.add(parameter)
    }
  }
  return filters
}

function standardFor({ settings }: FilterContext): readonly FilterSource[] {
  return STANDARD.filter(standard => standard === ComputedOrderingFilter || isGiven(settings, standard))
}

function isGiven(settings: object, { settings: names = [] }: FilterBackendClass): boolean {
  return names.some(name => Reflect.get(settings, name) !== undefined)
}

/** A setting without the filter that reads it would do nothing, silently. */
function refuseUnread({ subject, settings }: FilterContext, sources: readonly FilterSource[]): void {
  const read = sources.flatMap(source => (typeof source === 'function' ? (source.settings ?? []) : []))
  for (const standard of STANDARD) {
    for (const name of standard.settings ?? []) {
      if (Reflect.get(settings, name) === undefined || read.includes(name)) continue
      throw new ConfigError(subject, name, `needs ${standard.name}, which is not among the filterBackends`)
    }
  }
}
