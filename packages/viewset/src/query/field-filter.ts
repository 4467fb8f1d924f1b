import { and, or, type SQL, sql } from 'drizzle-orm'
import { ConfigError, type FieldErrors, ValidationError } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import { type ApiRequest, queryValue } from '../core/request.ts'
import { type SettingRules, setting } from '../core/setting-rules.ts'
import { suggestion } from '../core/suggestion.ts'
import { type ReadContext, readContextOf } from '../kinds/kind.ts'
import { has, kindOf } from '../kinds/kinds.ts'
import { resolvePath } from '../model/column-path.ts'
import type { Dialect } from '../model/dialect/dialect.ts'
import type { FieldPath, Model } from '../model/kit.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { QuerySet } from '../store/queryset.ts'
import { type FilterBackend, type FilterContext, type FilterView, listOf } from './filter-backend.ts'
import { ExpressionFault, type FilterExpression, readExpression, unknownFilter } from './filter-expression.ts'
import { type FilterPath, filterPath } from './filter-path.ts'
import { arrayLookups, jsonLookups, type Lookup, type LookupDefinition, lookups, negatedLookups } from './lookups.ts'
import type { QueryParameters } from './query-parameters.ts'

/** Settings of {@link FieldFilter}. */
export interface FilterSettings<M extends Model = Model, S = ModelSerializer> {
  /**
   * Fields that a request may filter by: a list, for equality, or the lookups of each, as in `{ rating: ['gte', 'lte'],
   * country__code: ['exact', 'in'] }`. Beside the model's own fields and paths, these are the serializer's expressions
   * and paths through its relations to many (`tags__label`).
   */
  readonly filterFields?:
    | readonly (FieldPath<M> | SerializerPath<S>)[]
    | { readonly [P in FieldPath<M> | SerializerPath<S>]?: readonly Lookup[] }
}

/** What a serializer adds to the paths of its model. */
export type SerializerPath<S> = S extends { readonly '~types'?: { readonly paths: infer P } }
  ? {
      [K in keyof P & string]: P[K] extends { readonly model: infer R extends Model } ? K | `${K}__${FieldPath<R>}` : K
    }[keyof P & string]
  : never

declare module './filter-backend.ts' {
  interface FilterTypes<M extends Model, S> {
    FieldFilter: FilterSettings<M, S>
  }
}

export interface DeclaredFilter {
  readonly path: FilterPath
  readonly name: Lookup
  readonly lookup: LookupDefinition
  /** Matches the other rows, also those without a value. */
  readonly isNegated: boolean
}

/** The query parameter of filter expressions. */
const OR = 'or'

/** Most further tables that the filters of one request may read. */
const MOST_TABLES = 30

/**
 * Filters a list by its fields, with django-filter's names: `?rating__gte=4&country__code=NA&id__in=a,b`. An empty
 * value means no filter.
 *
 * `exact` brings `ne` and `in` brings `not_in`, which match rows without a value, too. `or` takes an expression of all
 * declared filters: `?or=(rating__gte=4,and(kind=x,country__code=NO))`.
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
      const path = filterPath(context, 'filterFields', field)
      for (const name of listOf(subject, `filterFields.${field}`, names)) {
        const declaredFilter = filterOf(subject, path, name)
        const parameter = name === 'exact' || name === 'state' ? path.wire : `${path.wire}__${name}`
        if (this.#filters.has(parameter)) {
          throw new ConfigError(subject, 'filterFields', `"${parameter}" is declared twice, by "${field}" once more`)
        }
        this.#filters.set(parameter, declaredFilter)
      }
    }
    // They come last, because a message shows the first names only.
    for (const filter of [...this.#filters.values()]) {
      for (const name of negationsOf(filter.name)) {
        const parameter = `${filter.path.wire}__${name}`
        if (!this.#filters.has(parameter)) this.#filters.set(parameter, { ...filter, name, isNegated: true })
      }
    }
  }

  /** @internal The filters by query parameter. */
  get declaredFilters(): ReadonlyMap<string, DeclaredFilter> {
    return this.#filters
  }

  get queryParameters(): QueryParameters {
    const described = [...this.#filters].map(([parameter, { path, name, lookup, isNegated }]) => {
      const description = `Only records whose "${path.wire}" ${lookup.meaning}.`
      const negated = `Without the records whose "${path.wire}" ${lookup.meaning}.`
      const schema = lookup.schema(path.value)
      const shown = isNegated ? negated : description
      return [parameter, { ...schema, description: shown, purpose: 'filter', field: path.wire, lookup: name }] as const
    })
    return { ...Object.fromEntries(described), ...this.#expressionParameter }
  }

  get #expressionParameter(): QueryParameters {
    // A field of this name keeps its own filter.
    if (this.#filters.size === 0 || this.#filters.has(OR)) return {}
    const [first = ''] = this.#filters.keys()
    const description =
      `Only records that meet one of these conditions, as in (${first}=1,and(${first}=2,not(${first}=3))). ` +
      'Each condition is a filter of this list with its value. A value with commas or brackets stands in double quotes.'
    return { [OR]: { type: 'string', pattern: '^\\(.*\\)$', description, purpose: 'filter' } }
  }

  filterQueryset(request: ApiRequest, queryset: QuerySet, { settings }: FilterView): QuerySet {
    const conditions = new Conditions(this.#filters, queryset.database.dialect, readContextOf(settings))
    let filtered = queryset
    for (const parameter of this.#filters.keys()) {
      const text = queryValue(request, parameter)
      if (text !== undefined && text !== '') filtered = filtered.filter(conditions.of(parameter, text))
    }
    const expression = this.#filters.has(OR) ? undefined : queryValue(request, OR)
    if (expression !== undefined && expression !== '' && this.#filters.size > 0) {
      filtered = filtered.filter(conditions.ofExpression(expression))
    }
    conditions.refuse()
    return filtered
  }
}

/** Reads the values of a request into conditions, and collects the errors of all of them. */
class Conditions {
  readonly #filters: ReadonlyMap<string, DeclaredFilter>
  readonly #dialect: Dialect
  readonly #context: ReadContext
  readonly #errors: FieldErrors = {}
  #tables = 0

  constructor(filters: ReadonlyMap<string, DeclaredFilter>, dialect: Dialect, context: ReadContext) {
    this.#filters = filters
    this.#dialect = dialect
    this.#context = context
  }

  /** `place` comes before the parameter's name in errors. */
  of(parameter: string, text: string, place = ''): SQL | undefined {
    const filter = this.#filters.get(parameter)
    if (!filter) {
      this.#errors[place + parameter] = [unknownFilter(parameter, [...this.#filters.keys()])]
      return undefined
    }
    const { path, lookup, isNegated } = filter
    this.#tables += path.tables
    const condition = lookup.read(path.value, text, this.#context)
    if (!condition) {
      const expected = lookup.expected(path.value, text)
      this.#errors[place + parameter] = [message('invalid_parameter', { expected })]
      return undefined
    }
    const holds = path.condition(value => condition(value, this.#dialect), lookup.orMissing?.(text))
    return isNegated ? isNotTrue(holds) : holds
  }

  ofExpression(text: string): SQL | undefined {
    const expression = readExpression(text)
    if (!(expression instanceof ExpressionFault)) return this.#compiled(expression)
    this.#errors[OR] = [expression.text]
    return undefined
  }

  #compiled(expression: FilterExpression): SQL | undefined {
    if (expression.kind === 'filter') return this.of(expression.name, expression.value, `${OR}.`)
    const parts = expression.parts.map(part => this.#compiled(part)).filter(part => part !== undefined)
    if (expression.kind === 'and') return and(...parts)
    if (expression.kind === 'or') return or(...parts)
    return parts[0] && isNotTrue(parts[0])
  }

  /** @throws ValidationError */
  refuse(): void {
    if (Object.keys(this.#errors).length > 0) throw new ValidationError(this.#errors)
    if (this.#tables > MOST_TABLES) throw new ValidationError(message('too_many_tables', { max: MOST_TABLES }))
  }
}

/** Also true for NULL, unlike NOT. */
function isNotTrue(condition: SQL): SQL {
  return sql`((${condition}) is not true)`
}

function refuseLookup({ subject, model }: FilterContext, field: string): void {
  const [, path, lookup] = /^(.+)__([^_]+)$/.exec(field) ?? []
  if (path === undefined || lookup === undefined) return
  if (!Object.hasOwn(lookups, lookup) && !Object.hasOwn(negatedLookups, lookup)) return
  const [first = ''] = path.split('__')
  if (model.byKey.has(first) && resolvePath(subject, 'filterFields', model, path).column.references) return
  throw new ConfigError(subject, 'filterFields', `"${field}" ends with a lookup; write { ${path}: ['${lookup}'] }`)
}

function filterOf(subject: string, path: FilterPath, name: string): DeclaredFilter {
  const { wire, value } = path
  const refuse = (problem: string) => new ConfigError(subject, 'filterFields', problem)
  const ofKind = value.kind === 'array' ? arrayLookups : value.kind === 'json' ? jsonLookups : {}
  const known: Readonly<Record<string, LookupDefinition>> = { ...lookups, ...ofKind }
  const isNegated = Object.hasOwn(negatedLookups, name)
  const compared = isNegated ? negatedLookups[name as keyof typeof negatedLookups] : name
  const lookup = Object.hasOwn(known, compared) ? known[compared] : undefined
  if (!lookup && !Object.hasOwn(arrayLookups, name) && !Object.hasOwn(jsonLookups, name)) {
    throw refuse(
      `unknown lookup "${name}" of "${wire}"${suggestion(name, Object.keys({ ...known, ...negatedLookups }))}`,
    )
  }
  if (!lookup || (lookup.needs !== null && !has(value, lookup.needs))) {
    throw refuse(`"${wire}" is of type ${kindOf(value).name}, which has no lookup "${name}"`)
  }
  return { path, name: name as Lookup, lookup, isNegated }
}

function negationsOf(name: Lookup): readonly (keyof typeof negatedLookups)[] {
  const negations = Object.keys(negatedLookups) as (keyof typeof negatedLookups)[]
  return negations.filter(negation => negatedLookups[negation] === name)
}
