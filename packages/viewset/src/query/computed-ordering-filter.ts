import { is, SQL } from 'drizzle-orm'
import { ConfigError, ValidationError } from '../core/errors.ts'
import { type Message, message } from '../core/messages/message.ts'
import { type ApiRequest, queryValue } from '../core/request.ts'
import { type SettingRules, setting } from '../core/setting-rules.ts'
import { has } from '../kinds/kinds.ts'
import { resolvePath } from '../model/column-path.ts'
import type { FieldPath, Model } from '../model/kit.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { DeclaredExpression } from '../serializer/fields.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { QuerySet } from '../store/queryset.ts'
import { type Ordering, withTotalOrder } from '../store/select-rows.ts'
import { type FilterBackend, type FilterContext, listOf } from './filter-backend.ts'
import type { QueryParameters } from './query-parameters.ts'

const MAX_TERMS = 16

/** A computed ordering: an SQL expression, an `ExpressionField` of the serializer, a path, or a list of these. */
export type ComputedOrdering<Path extends string = string> = ComputedTerm<Path> | readonly ComputedTerm<Path>[]
type ComputedTerm<Path extends string> = SQL | DeclaredExpression | Path

/** Settings of {@link ComputedOrderingFilter}. */
export interface OrderingSettings<M extends Model = Model> {
  /** Default ordering, by fields, paths or computed names. `-` means descending. */
  readonly ordering?: string | readonly string[]
  /** Fields that clients may order by. Default: the serializer's readable columns. */
  readonly orderingFields?: readonly FieldPath<M>[]
  /**
   * `'last'` puts records without a value last in both directions. Default: last ascending and first descending, as
   * PostgreSQL has it.
   */
  readonly orderingNulls?: 'last'
  /** Further orderings that clients may use, by their names in the query. */
  readonly computedOrderingFields?: { readonly [name: string]: ComputedOrdering<FieldPath<M>> }
}

declare module './filter-backend.ts' {
  interface FilterTypes<M extends Model, S> {
    ComputedOrderingFilter: OrderingSettings<M>
  }
}

type Term = Ordering['by']

/**
 * Orders a list by the `ordering` query parameter: by columns, by paths through foreign keys and by computed values.
 * Every ordering ends with the primary key.
 *
 * An unknown field is rejected. A subclass may ignore it, as DRF does.
 *
 * @example
 * computedOrderingFields: {
 *   city_count: sql`(select count(*) from ${cities} where ${cities.country} = ${countries.id})`,
 *   place: ['continent__name', 'name'],
 * },
 * @example
 * class Lenient extends ComputedOrderingFilter {
 *   override readonly ignoreUnknown = true
 * }
 */
export class ComputedOrderingFilter implements FilterBackend {
  static readonly settings: SettingRules = {
    ordering: setting.names,
    orderingFields: setting.any,
    computedOrderingFields: setting.any,
    orderingNulls: setting.oneOf('last'),
  }
  readonly orderingParam: string = 'ordering'
  /** Whether unknown fields are ignored instead of rejected. */
  readonly ignoreUnknown: boolean = false
  readonly #offered: ReadonlyMap<string, readonly Term[]>
  readonly #default: readonly Ordering[]
  readonly #standard: readonly string[]
  readonly #model: ModelInfo
  readonly #nullsLast: boolean

  /** @throws ConfigError for a field that the model does not have, and for a name that a query cannot contain. */
  constructor({ subject, model, serializer, settings }: FilterContext) {
    this.#model = model
    this.#nullsLast = settings.orderingNulls === 'last'
    const computed = computedTerms(subject, model, settings)
    const { orderingFields } = settings
    const paths = orderingFields && listOf(subject, 'orderingFields', orderingFields)
    const fields = paths?.map(path => pathTerm(subject, 'orderingFields', model, path))
    const offered = (fields ?? readableColumns(serializer)).map(term => [term.wire, [term]] as const)
    this.#offered = new Map<string, readonly Term[]>([...offered, ...computed])
    const standard = [settings.ordering ?? []].flat().map(term => {
      const name = term.replace(/^-/, '')
      const terms = computed.get(name)
      if (terms) return { written: term, orderings: directed(terms, term) }
      const path = pathTerm(subject, 'ordering', model, name)
      return { written: term.replace(name, path.wire), orderings: directed([path], term) }
    })
    this.#default = this.#withKey(standard.flatMap(({ orderings }) => orderings))
    this.#standard = standard.map(({ written }) => written)
  }

  /** @internal The order of a list without the parameter `ordering`. */
  get standardOrdering(): readonly Ordering[] {
    return this.#default
  }

  /** @internal The complete ordering for each name that a request may send. */
  get offeredOrderings(): ReadonlyMap<string, readonly Ordering[]> {
    return new Map([...this.#offered].map(([name, terms]) => [name, this.#withKey(directed(terms, name))]))
  }

  get queryParameters(): QueryParameters {
    const names = [...this.#offered.keys()].flatMap(name => [name, `-${name}`])
    const standard = this.#standard.length > 0 ? ` Without it: ${this.#standard.join(',')}.` : ''
    return {
      [this.orderingParam]: {
        type: 'array',
        items: { type: 'string', ...(names.length > 0 && { enum: names }) },
        maxItems: names.length > 0 ? MAX_TERMS : 0,
        purpose: 'ordering',
        description: `Fields to order by, one after the other; "-" in front of one is for descending.${standard}`,
      },
    }
  }

  filterQueryset(request: ApiRequest, queryset: QuerySet): QuerySet {
    const terms = this.#parse(queryValue(request, this.orderingParam) ?? '')
    return queryset.orderBy(terms.length === 0 ? this.#default : this.#withKey(terms))
  }

  #parse(text: string): readonly Ordering[] {
    if (text === '') return []
    const terms = new Map<string, readonly Ordering[]>()
    for (const part of text.split(',')) {
      const term = part.trim()
      const name = term.replace(/^-/, '')
      const offered = this.#offered.get(name)
      if (!offered && this.ignoreUnknown) continue
      if (!offered) throw this.#refusal(this.#unknown(name))
      // The first mention of a field decides.
      if (!terms.has(name)) terms.set(name, directed(offered, term))
      if (terms.size > MAX_TERMS)
        throw this.#refusal(message('unknown_ordering.too_many', { max: MAX_TERMS, known: this.#known }))
    }
    return [...terms.values()].flat()
  }

  #unknown(name: string): Message {
    const [, field = '', direction = ''] = /^(\S+)\s+(asc|desc)$/i.exec(name) ?? []
    if (!this.#offered.has(field)) return message('unknown_ordering', { name: name.slice(0, 100), known: this.#known })
    return message('unknown_ordering.direction', { name, meant: /^d/i.test(direction) ? `-${field}` : field })
  }

  get #known(): string {
    return [...this.#offered.keys()].join(', ')
  }

  #refusal(problem: Message): ValidationError {
    return new ValidationError({ [this.orderingParam]: [problem] })
  }

  /** The primary key breaks ties. Otherwise equal rows could appear on two pages or on none. */
  #withKey(terms: readonly Ordering[]): readonly Ordering[] {
    const placed = this.#nullsLast ? terms.map(term => ({ ...term, nullsLast: true })) : terms
    return withTotalOrder(this.#model, placed)
  }
}

function directed(terms: readonly Term[], requested: string): readonly Ordering[] {
  return terms.map(by => ({ by, descending: requested.startsWith('-') }))
}

function pathTerm(subject: string, setting: string, model: ModelInfo, name: string): Exclude<Term, SQL> {
  const path = resolvePath(subject, setting, model, name)
  return path.steps.length === 0 ? path.column : path
}

function computedTerms(
  subject: string,
  model: ModelInfo,
  { computedOrderingFields = {} }: OrderingSettings,
): ReadonlyMap<string, readonly Term[]> {
  const setting = 'computedOrderingFields'
  return new Map(
    Object.entries(computedOrderingFields).map(([name, value]) => {
      // Commas, minus signs and blanks have a meaning in the parameter.
      if (!/^[a-z_]\w*$/i.test(name)) {
        throw new ConfigError(subject, setting, `"${name}" is no name: use letters, digits and underscores`)
      }
      const terms = [value].flat().map(part => {
        if (is(part, SQL)) return part
        if (typeof part === 'string') return pathTerm(subject, setting, model, part)
        if (part?.kind === 'expression') return part.expression
        const problem = `"${name}" must be an SQL expression, an ExpressionField, a path or a list of them`
        throw new ConfigError(subject, setting, problem)
      })
      return [name, terms]
    }),
  )
}

/** Without JSON and database-specific types: some have no order in the database. */
function readableColumns(serializer: ModelSerializer): readonly ColumnInfo[] {
  return serializer.fields.flatMap(field => {
    if (field.kind !== 'stored' || field.nested || field.writeOnly) return []
    return has(field.column, 'comparable') ? [field.column] : []
  })
}
