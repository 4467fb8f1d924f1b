import { and, or, type SQL } from 'drizzle-orm'
import { ConfigError, ValidationError } from '../core/errors.ts'
import { type Message, message } from '../core/messages/message.ts'
import { type ApiRequest, queryValue } from '../core/request.ts'
import { type SettingRules, setting } from '../core/setting-rules.ts'
import { has, kindOf } from '../kinds/kinds.ts'
import type { Dialect } from '../model/dialect/dialect.ts'
import type { FieldPath, Model } from '../model/kit.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { QuerySet } from '../store/queryset.ts'
import { narrowSearch } from '../store/search-index.ts'
import { type FilterBackend, type FilterContext, listOf } from './filter-backend.ts'
import { inAnyCase } from './lookups.ts'
import { pathCondition, type ScopedPath, scopedPath } from './path-condition.ts'
import type { QueryParameters } from './query-parameters.ts'

/** Settings of {@link SearchFilter}. */
export interface SearchSettings<M extends Model = Model> {
  /** The text fields in which the parameter `search` looks. */
  readonly searchFields?: readonly FieldPath<M>[]
}

declare module './filter-backend.ts' {
  interface FilterTypes<M extends Model, S> {
    SearchFilter: SearchSettings<M>
  }
}

export interface SearchedPath extends ScopedPath {
  readonly index: ModelInfo | null
}

/**
 * Searches a list: `?search=são paulo` finds records that contain each word in one of `searchFields`, in any case and
 * script. Commas and blanks separate words. Double quotes make a phrase: `?search="são paulo"`.
 *
 * @example
 * searchFields: ['name', 'country__name']
 */
export class SearchFilter implements FilterBackend {
  static readonly settings: SettingRules = { searchFields: setting.any }
  readonly searchParam: string = 'search'
  /** Most words of a search. Each is a condition over all fields. */
  readonly maxTerms: number = 8
  /** Most characters of a search. */
  readonly maxLength: number = 200
  readonly #paths: readonly SearchedPath[]

  /** @throws ConfigError for an unknown field, and for one that is not a text. */
  constructor(context: FilterContext) {
    const { subject, settings, model } = context
    const { searchFields = [] } = settings
    this.#paths = listOf(subject, 'searchFields', searchFields).map(field => {
      const path = scopedPath(context, 'searchFields', field)
      const owner = path.steps.at(-1)?.model ?? model
      const index = owner.searchIndex.includes(path.column) ? owner : null
      if (has(path.column, 'text')) return { ...path, index }
      const { name } = kindOf(path.column)
      throw new ConfigError(subject, 'searchFields', `"${field}" is of type ${name}; only text can be searched`)
    })
  }

  /** @internal The searched fields. */
  get searchedPaths(): readonly SearchedPath[] {
    return this.#paths
  }

  get queryParameters(): QueryParameters {
    const fields = this.#paths.map(path => path.wire).join(', ')
    return {
      [this.searchParam]: {
        type: 'string',
        maxLength: this.maxLength,
        pattern: `^[\\s,]*(${TERM}[\\s,]+){0,${this.maxTerms - 1}}(${TERM})?[\\s,]*$`,
        purpose: 'search',
        description: `At most ${this.maxTerms} words, each of which is in one of: ${fields}. Double quotes make a phrase one word.`,
      },
    }
  }

  async filterQueryset(request: ApiRequest, queryset: QuerySet): Promise<QuerySet> {
    const terms = this.#terms(queryValue(request, this.searchParam) ?? '')
    if (terms.length === 0) return queryset
    const { database } = queryset
    const models = new Set(this.#paths.flatMap(path => path.index ?? []))
    const narrowed = new Map<ModelInfo | null, readonly (SQL | undefined)[]>()
    for (const model of models) narrowed.set(model, await narrowSearch(database, model, terms))
    return terms.reduce((found, term, index) => {
      const inField = this.#paths.map(path => {
        const narrow = narrowed.get(path.index)?.[index]
        return pathCondition(path, value => contains(database.dialect, path, value, term, narrow))
      })
      return found.filter(or(...inField))
    }, queryset)
  }

  #terms(text: string): readonly string[] {
    if (this.#paths.length === 0) return []
    // As in JSON Schema, a character outside of the basic plane counts once.
    if ([...text].length > this.maxLength) throw this.#refusal(message('search_too_long', { max: this.maxLength }))
    const terms = [...new Set(termsOf(text))]
    if (terms.length > this.maxTerms) throw this.#refusal(message('search_too_long.words', { max: this.maxTerms }))
    return terms
  }

  #refusal(problem: Message): ValidationError {
    return new ValidationError({ [this.searchParam]: [problem] })
  }
}

const TERM = '("[^"]*"|[^\\s,]+)'

/**
 * The words and phrases of a search, as DRF reads them. A quote within a word, or without its pair, belongs to the
 * word: `5" nail`.
 */
function termsOf(text: string): readonly string[] {
  const found = text.matchAll(/(?<![^\s,])"([^"]*)"(?![^\s,])|[^\s,]+/gu)
  return [...found].map(([word, phrase]) => phrase ?? word).filter(term => term.trim() !== '')
}

function contains(dialect: Dialect, path: ScopedPath, value: SQL, term: string, narrow: SQL | undefined): SQL {
  const match = { at: 'anywhere', ignoreCase: true } as const
  const isIn = dialect.matchesText(inAnyCase(dialect, path.column, value), term, match)
  return (narrow && and(narrow, isIn)) ?? isIn
}
