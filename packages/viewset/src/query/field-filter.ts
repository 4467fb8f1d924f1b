import { ConfigError, type FieldErrors, ValidationError } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import { type ApiRequest, queryValue } from '../core/request.ts'
import { type SettingRules, setting } from '../core/setting-rules.ts'
import { suggestion } from '../core/suggestion.ts'
import { readContextOf } from '../kinds/kind.ts'
import { has, kindOf } from '../kinds/kinds.ts'
import { type ColumnPath, resolvePath } from '../model/column-path.ts'
import type { FieldPath, Model } from '../model/kit.ts'
import type { QuerySet } from '../store/queryset.ts'
import { type FilterBackend, type FilterContext, type FilterView, listOf } from './filter-backend.ts'
import { type Lookup, type LookupDefinition, lookups } from './lookups.ts'
import { pathCondition, type ScopedPath, scopedPath } from './path-condition.ts'
import type { QueryParameters } from './query-parameters.ts'

/** Settings of {@link FieldFilter}. */
export interface FilterSettings<M extends Model = Model> {
  /**
   * Fields that a request may filter by: a list, for equality, or the lookups of each, as in `{ rating: ['gte', 'lte'],
   * country__code: ['exact', 'in'] }`.
   */
  readonly filterFields?: readonly FieldPath<M>[] | { readonly [P in FieldPath<M>]?: readonly Lookup[] }
}

declare module './filter-backend.ts' {
  interface FilterTypes<M extends Model> {
    FieldFilter: FilterSettings<M>
  }
}

export interface DeclaredFilter {
  readonly path: ScopedPath
  readonly name: string
  readonly lookup: LookupDefinition
}

/**
 * Filters a list by its fields, with django-filter's names: `?rating__gte=4&country__code=NA&id__in=a,b`. An empty
 * value means no filter.
 *
 * @example
 * filterFields: { name: ['exact', 'icontains'], rating: ['gte', 'lte'], country__code: ['exact', 'in'] }
 */
export class FieldFilter implements FilterBackend {
  static readonly settings: SettingRules = { filterFields: setting.any }
  /** By query parameter, in the order of declaration: equal requests then make equal statements. */
  readonly #filters = new Map<string, DeclaredFilter>()

  /** @throws ConfigError for an unknown field, and for a lookup that its type does not have. */
  constructor(context: FilterContext) {
    const { subject, settings } = context
    const { filterFields = [] } = settings
    const declared =
      typeof filterFields === 'object' && !Array.isArray(filterFields)
        ? Object.entries(filterFields)
        : listOf(subject, 'filterFields', filterFields).map(field => [field, ['exact']] as const)
    for (const [field, names = []] of declared) {
      refuseLookup(context, field)
      const path = scopedPath(context, 'filterFields', field)
      for (const name of listOf(subject, `filterFields.${field}`, names)) {
        const lookup = lookupOf(subject, path, name)
        const parameter = name === 'exact' || name === 'state' ? path.wire : `${path.wire}__${name}`
        if (this.#filters.has(parameter)) {
          throw new ConfigError(subject, 'filterFields', `"${parameter}" is declared twice, by "${field}" once more`)
        }
        this.#filters.set(parameter, { path, name, lookup })
      }
    }
  }

  /** @internal The filters by query parameter. */
  get declaredFilters(): ReadonlyMap<string, DeclaredFilter> {
    return this.#filters
  }

  get queryParameters(): QueryParameters {
    const described = [...this.#filters].map(([parameter, { path, name, lookup }]) => {
      const description = `Only records whose "${path.wire}" ${lookup.meaning}.`
      const { wire: field, column } = path
      return [parameter, { ...lookup.schema(column), description, purpose: 'filter', field, lookup: name }] as const
    })
    return Object.fromEntries(described)
  }

  filterQueryset(request: ApiRequest, queryset: QuerySet, { settings }: FilterView): QuerySet {
    const errors: FieldErrors = {}
    const context = readContextOf(settings)
    let filtered = queryset
    for (const [parameter, { path, lookup }] of this.#filters) {
      const text = queryValue(request, parameter)
      if (text === undefined || text === '') continue
      const condition = lookup.read(path.column, text, context)
      if (condition) {
        const { dialect } = queryset.database
        const missing = lookup.orMissing?.(text)
        filtered = filtered.filter(pathCondition(path, value => condition(value, dialect), missing))
      } else {
        errors[parameter] = [message('invalid_parameter', { expected: lookup.expected(path.column) })]
      }
    }
    if (Object.keys(errors).length > 0) throw new ValidationError(errors)
    return filtered
  }
}

function refuseLookup({ subject, model }: FilterContext, field: string): void {
  const [, path, lookup] = /^(.+)__([^_]+)$/.exec(field) ?? []
  if (path === undefined || lookup === undefined || !Object.hasOwn(lookups, lookup)) return
  if (resolvePath(subject, 'filterFields', model, path).column.references) return
  throw new ConfigError(subject, 'filterFields', `"${field}" ends with a lookup; write { ${path}: ['${lookup}'] }`)
}

function lookupOf(subject: string, { wire, column }: ColumnPath, name: string): LookupDefinition {
  const refuse = (problem: string) => new ConfigError(subject, 'filterFields', problem)
  if (!Object.hasOwn(lookups, name)) {
    throw refuse(`unknown lookup "${name}" of "${wire}"${suggestion(name, Object.keys(lookups))}`)
  }
  const lookup: LookupDefinition = lookups[name as Lookup]
  if (lookup.needs !== null && !has(column, lookup.needs)) {
    throw refuse(`"${wire}" is of type ${kindOf(column).name}, which has no lookup "${name}"`)
  }
  return lookup
}
