import { ConfigError } from '../core/errors.ts'
import { isClass, type SettingRules } from '../core/setting-rules.ts'
import { ComputedOrderingFilter } from './computed-ordering-filter.ts'
import { FieldFilter } from './field-filter.ts'
import type { FilterBackend, FilterBackendClass, FilterContext, FilterSource } from './filter-backend.ts'
import { isQueryParameters, type QueryParameters } from './query-parameters.ts'
import { SearchFilter } from './search-filter.ts'

export const STANDARD_FILTERS: readonly FilterBackendClass[] = [FieldFilter, SearchFilter, ComputedOrderingFilter]

/** @throws ConfigError for a setting that no filter reads, and for a query parameter that two filters read. */
export function filterBackends(
  context: FilterContext,
  sources: readonly FilterSource[] = standardFor(context),
): readonly FilterBackend[] {
  const { subject } = context
  refuseUnread(context, sources)
  const filters = sources.map(source => (isClass(source) ? new source(context) : source))
  for (const filter of filters) {
    if (typeof filter?.filterQueryset === 'function' && isQueryParameters(filter.queryParameters)) continue
    throw new ConfigError(
      subject,
      'filterBackends',
      'a filter needs filterQueryset, and queryParameters by their names',
    )
  }
  refuseSameParameters(subject, filters)
  return filters
}

/**
 * @throws ConfigError for a query parameter that two filters read, or that is `taken` by the list itself.
 */
export function refuseSameParameters(
  subject: string,
  filters: readonly FilterBackend[],
  taken: readonly string[] = [],
): void {
  const known = new Set(taken)
  for (const parameter of filters.flatMap(filter => Object.keys(filter.queryParameters))) {
    if (known.has(parameter)) {
      const problem = `the query parameter "${parameter}" already means something else`
      throw new ConfigError(subject, 'filterBackends', problem)
    }
    known.add(parameter)
  }
}

export function parametersOf(filters: readonly FilterBackend[]): QueryParameters {
  return Object.assign({}, ...filters.map(filter => filter.queryParameters))
}

export function filterSettings(sources: readonly FilterSource[]): SettingRules {
  return Object.assign({}, ...sources.map(rulesOf))
}

function rulesOf(source: FilterSource): SettingRules {
  return isClass(source) ? (source.settings ?? {}) : {}
}

function standardFor({ settings }: FilterContext): readonly FilterSource[] {
  return STANDARD_FILTERS.filter(standard => standard === ComputedOrderingFilter || isGiven(settings, standard))
}

function isGiven(settings: object, filter: FilterBackendClass): boolean {
  return Object.keys(rulesOf(filter)).some(name => Reflect.get(settings, name) !== undefined)
}

/** A setting would have no effect without its filter. */
function refuseUnread({ subject, settings }: FilterContext, sources: readonly FilterSource[]): void {
  const read = filterSettings(sources)
  for (const standard of STANDARD_FILTERS) {
    for (const name of Object.keys(rulesOf(standard))) {
      if (Reflect.get(settings, name) === undefined || Object.hasOwn(read, name)) continue
      throw new ConfigError(subject, name, `needs ${standard.name}, which is not among the filterBackends`)
    }
  }
}
