import { ValidationError } from '../../core/errors.ts'
import { type Message, message } from '../../core/messages/message.ts'
import type { ApiRequest } from '../../core/request.ts'
import { nearest } from '../../core/suggestion.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import { lookups, negatedLookups } from '../../query/lookups.ts'
import type { QueryParameters } from '../../query/query-parameters.ts'
import type { RouteDescription } from '../description/route-description.ts'

/** The answer to an unknown parameter: a 400 that names it, or none, as in DRF. */
export type UnknownParameters = 'refuse' | 'ignore'

const SYNONYMS: Readonly<Record<string, string>> = {
  q: 'search',
  query: 'search',
  sort: 'ordering',
  sort_by: 'ordering',
  order: 'ordering',
  order_by: 'ordering',
  per_page: 'page_size',
  fields: 'includes',
  columns: 'includes',
}

/** The parameters of this package's pagination classes. */
const PAGING = ['page', 'page_size', 'limit', 'offset', 'cursor']

const MOST_REPORTED = 20
const MOST_LISTED = 8
const LONGEST_SHOWN = 60
const LONGEST_PATH = 200

export class KnownParameters {
  readonly #describe: () => RouteDescription
  readonly #tolerated: readonly string[]
  #described: { readonly query: QueryParameters; readonly body: JsonSchema | undefined } | undefined

  /** `tolerated` names have no effect: credentials, and parameters of a route with the same form. */
  constructor(describe: () => RouteDescription, tolerated: readonly string[]) {
    this.#describe = describe
    this.#tolerated = tolerated
  }

  /** `hidden` parameters are as unknown to this user as any other name. */
  checkQuery({ query }: ApiRequest, hidden: () => readonly string[]): void {
    const names = Object.keys(query)
    if (names.length === 0) return
    const { query: all, body } = this.#known
    const removed = hidden()
    const known =
      removed.length === 0 ? all : Object.fromEntries(Object.entries(all).filter(([name]) => !removed.includes(name)))
    const help = (name: string) =>
      Object.hasOwn(body?.properties ?? {}, name) ? message('hint.body') : queryHint(name, known)
    refuse(
      names.filter(name => !this.#isFree(name) && !Object.hasOwn(known, name)),
      help,
    )
  }

  checkBody(names: Iterable<string>): void {
    const properties = this.#known.body?.properties
    if (typeof properties !== 'object' || properties === null) return
    const known = Object.keys(properties)
    refuse(
      [...names].filter(name => !this.#isFree(name) && !known.includes(name)),
      name => hint(name, known),
    )
  }

  /** Clients add names that begin with `_` so that no cache answers the request. No client adds `__proto__` for that. */
  #isFree(name: string): boolean {
    if (Object.hasOwn(Object.prototype, name)) return false
    return name === '' || name.startsWith('_') || this.#tolerated.includes(name)
  }

  get #known() {
    if (this.#described) return this.#described
    const { query = {}, body } = this.#describe()
    this.#described = { query, body }
    return this.#described
  }
}

function refuse(names: readonly string[], help: (name: string) => Message): void {
  if (names.length === 0) return
  const errors = names
    .slice(0, MOST_REPORTED)
    .map(name => [name, [message('unknown_parameter', { name: shorten(name), hint: help(name) })]])
  throw new ValidationError(Object.fromEntries(errors))
}

function shorten(name: string): string {
  return name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name
}

function queryHint(name: string, known: QueryParameters): Message {
  return pagingHint(name, known) ?? lookupHint(name, known) ?? hint(name, pagingLast(known))
}

/** A list of known names is cut. Filters are more often meant than pages. */
function pagingLast(known: QueryParameters): readonly string[] {
  const isOfPages = (name: string) => known[name]?.purpose === 'page'
  const names = Object.keys(known)
  return [...names.filter(name => !isOfPages(name)), ...names.filter(isOfPages)]
}

/** A parameter of another pagination class. The most similar known name would mean something else. */
function pagingHint(name: string, known: QueryParameters): Message | undefined {
  const paging = Object.keys(known).filter(other => known[other]?.purpose === 'page' && other !== 'paginated')
  if (!PAGING.includes(name) || paging.length === 0) return undefined
  return message('hint.paging', { names: paging })
}

/**
 * A lookup that the field does not have, or a path that is not declared. The most similar known name would mean something
 * else.
 */
function lookupHint(name: string, known: QueryParameters): Message | undefined {
  const parts = name.slice(0, LONGEST_PATH).split('__')
  const isOfField = isLookup(parts.at(-1) ?? '')
  for (let depth = parts.length - 1; depth > 0; depth--) {
    const field = parts.slice(0, depth).join('__')
    const filters = filtersOf(field, isOfField && depth === parts.length - 1, known)
    if (filters.length === 0) continue
    const meant = isOfField ? undefined : nearest(name, filters)
    if (meant?.split('__').length === parts.length) return undefined
    return message('hint.lookups', { field, ...listed(filters) })
  }
  return undefined
}

/** The filters of a field, then those of paths through it. A name that ends with a lookup means the field itself. */
function filtersOf(field: string, isOfField: boolean, known: QueryParameters): readonly string[] {
  const names = Object.keys(known)
  const direct = names.filter(name => known[name]?.field === field)
  if (isOfField && direct.length > 0) return direct
  return [...direct, ...names.filter(name => known[name]?.field?.startsWith(`${field}__`))]
}

function isLookup(name: string): boolean {
  return Object.hasOwn(lookups, name) || Object.hasOwn(negatedLookups, name)
}

function hint(name: string, known: readonly string[]): Message {
  if (known.length === 0) return message('hint.none')
  const alias = Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name] : undefined
  const meant = alias !== undefined && known.includes(alias) ? alias : nearest(name.slice(0, LONGEST_SHOWN), known)
  return meant === undefined ? message('hint.known', listed(known)) : message('hint.did_you_mean', { name: meant })
}

function listed(all: readonly string[]): { readonly names: readonly string[]; readonly more: number } {
  const names = all.slice(0, MOST_LISTED)
  return { names, more: all.length - names.length }
}
