import type { PageLinks } from '../core/envelope.ts'
import { type FieldErrors, ValidationError } from '../core/errors.ts'
import { type ApiRequest, queryValue } from '../core/request.ts'
import { isClass } from '../core/setting-rules.ts'
import { readBoolean } from '../kinds/boolean.ts'
import type { JsonSchema } from '../kinds/json-schema.ts'
import type { ListedRow, PageList } from './page-list.ts'
import type { QueryParameters } from './query-parameters.ts'

/** A page: its rows, and what the envelope says beside them. */
export interface PageParts extends PageLinks {
  readonly rows: readonly ListedRow[]
  /** The first row's position in the whole list, from 1; without it, items carry no `index`. */
  readonly firstIndex?: number
}

/** What each page of a style has beside its records and the links around it. What it does not say may be so or not. */
export interface PageShape {
  /** What `count` in the envelope is: a number, a number or null, or not there. */
  readonly count?: 'number' | 'nullable' | 'none'
  /** What clients have to know of `count`, as a sentence. */
  readonly countNote?: string
  /** Whether items carry their position as `index`, where the resource wants that. */
  readonly hasIndex?: boolean
}

/**
 * A style of cutting a list into pages. `StandardPageNumberPagination`, `LimitOffsetPaginationWithFormat` and
 * `CursorPagination` are three; subclass one of them, or this one for a style of your own.
 *
 * @example
 * class Letters extends Pagination {
 *   readonly queryParameters = { letter: { type: 'string', pattern: '^[A-Z]$' } }
 *   async paginate(list: PageList, request: ApiRequest) {
 *     const letter = String(request.query.letter ?? 'A')
 *     const rows = await list.filter(like(authors.name, `${letter}%`)).window(1000, 0)
 *     return { rows, next: null, previous: null }
 *   }
 * }
 */
export abstract class Pagination {
  /** The query parameters that this style reads; no filter of the resource reads the same ones. */
  abstract readonly queryParameters: QueryParameters

  /** What pages have beside their records, for a description of the API. By default, nothing is certain. */
  pageShape(): PageShape {
    return {}
  }

  /**
   * Refuses query parameters before anything is read, so that a client is told of them together with what filters
   * refuse. Nothing by default.
   */
  check(_request: ApiRequest): void {}

  /** The page that a request asks for. @throws NotFound for one that does not exist */
  abstract paginate(list: PageList, request: ApiRequest): Promise<PageParts>
}

/** A pagination style as a class; one object of it serves all requests of a resource. */
export type PaginationClass = new () => Pagination

/** What `paginationClass` takes: a class, or an object of one. */
export type PaginationSource = PaginationClass | Pagination

/** Whether a setting names a pagination style. */
export function isPagination(value: unknown): value is PaginationSource {
  return value instanceof Pagination || (isClass(value) && value.prototype instanceof Pagination)
}

export function paginationFrom(source: PaginationSource): Pagination {
  return isClass(source) ? new source() : source
}

/** What a page size or limit must be. */
export const SIZE = 'Enter a whole number above 0.'

/** Where an offset ends; beyond it, arithmetic would no longer be exact. */
export const MAX_OFFSET: number = Number.MAX_SAFE_INTEGER

/** What a page size or limit is, for which `standard` stands where it is not sent. */
export function sizeSchema(standard: number, max: number): JsonSchema {
  const description = `Most records of a page. More than ${max} are taken for ${max}.`
  return { type: 'integer', minimum: 1, default: standard, description }
}

/** Reads a page size or limit, capped at `max`; `undefined` for what is not a positive whole number. */
export function readSize(request: ApiRequest, parameter: string, standard: number, max: number): number | undefined {
  const text = queryValue(request, parameter)
  if (text === undefined) return standard
  return /^\d{1,16}$/.test(text) && Number(text) > 0 ? Math.min(Number(text), max) : undefined
}

export function badParameters(errors: FieldErrors): ValidationError {
  return new ValidationError(errors, 'A query parameter is not valid.')
}

/** Reads the `paginated` switch (SPEC, "List query parameters"); `undefined` when it is absent. */
export function readPaginated(request: ApiRequest): boolean | undefined {
  const text = queryValue(request, 'paginated')
  if (text === undefined) return undefined
  const value = readBoolean(text)
  if (value === undefined) throw badParameters({ paginated: ['Enter "true" or "false".'] })
  return value
}
