import { or } from 'drizzle-orm'
import { ConfigError, ValidationError } from '../core/errors.ts'
import { type ApiRequest, queryValue } from '../core/request.ts'
import { type SettingRules, setting } from '../core/setting-rules.ts'
import { has, kindOf } from '../kinds/kinds.ts'
import type { FieldPath, Model } from '../model/kit.ts'
import type { QuerySet } from '../store/queryset.ts'
import { type FilterBackend, type FilterContext, listOf } from './filter-backend.ts'
import { inAnyCase } from './letter-case.ts'
import { pathCondition } from './path-condition.ts'
import type { QueryParameters } from './query-parameters.ts'
import { type ScopedPath, scopedPath } from './scoped-path.ts'

/** Settings of {@link SearchFilter}. */
export interface SearchSettings<M extends Model = Model> {
  /** Fields of text that the parameter `search` looks into. */
  readonly searchFields?: readonly FieldPath<M>[]
}

declare module './filter-backend.ts' {
  interface FilterTypes<M extends Model> {
    SearchFilter: SearchSettings<M>
  }
}

/**
 * Searches a list: `?search=são paulo` finds what contains each of the words in one of `searchFields`, in any case and
 * any script.
 *
 * @example
 * searchFields: ['name', 'country__name']
 */
export class SearchFilter implements FilterBackend {
  static readonly settings: SettingRules = { searchFields: setting.any }
  readonly searchParam: string = 'search'
  /** Words of one search; each is a condition over all fields. */
  readonly maxTerms: number = 8
  /** Characters of one search. */
  readonly maxLength: number = 200
  readonly #paths: readonly ScopedPath[]

  /** @throws ConfigError for a field that the model does not have and for one that holds no text. */
  constructor(context: FilterContext) {
    const { subject, settings } = context
    const { searchFields = [] } = settings
    this.#paths = listOf(subject, 'searchFields', searchFields).map(field => {
      const path = scopedPath(context, 'searchFields', field)
      if (has(path.column, 'text')) return path
      const { name } = kindOf(path.column)
      throw new ConfigError(subject, 'searchFields', `"${field}" is of type ${name}; only text can be searched`)
    })
  }

  get queryParameters(): QueryParameters {
    const fields = this.#paths.map(path => path.wire).join(', ')
    return {
      [this.searchParam]: {
        type: 'string',
        maxLength: this.maxLength,
        pattern: `^\\s*(\\S+\\s+){0,${this.maxTerms - 1}}\\S*\\s*$`,
        purpose: 'search',
        description: `At most ${this.maxTerms} words, each of which is in one of: ${fields}.`,
      },
    }
  }

  filterQueryset(request: ApiRequest, queryset: QuerySet): QuerySet {
    const text = queryValue(request, this.searchParam) ?? ''
    const { dialect } = queryset.database
    return this.#terms(text).reduce((found, term) => {
      const match = { at: 'anywhere', ignoreCase: true } as const
      const inField = this.#paths.map(path =>
        pathCondition(path, value => dialect.matchesText(inAnyCase(dialect, path.column, value), term, match)),
      )
      return found.filter(or(...inField))
    }, queryset)
  }

  /** The words to look for, each once. */
  #terms(text: string): readonly string[] {
    if (this.#paths.length === 0) return []
    // As in a JSON Schema, a letter outside the basic plane is one character.
    if ([...text].length > this.maxLength) throw this.#refusal(`Search for at most ${this.maxLength} characters.`)
    const terms = [...new Set(text.split(/\s+/u).filter(term => term !== ''))]
    if (terms.length > this.maxTerms) throw this.#refusal(`Search for at most ${this.maxTerms} words.`)
    return terms
  }

  #refusal(message: string): ValidationError {
    return new ValidationError({ [this.searchParam]: [message] }, 'A query parameter is not valid.')
  }
}
