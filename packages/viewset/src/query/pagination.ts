import type { PageLinks } from '../core/envelope.ts'
import { type FieldErrors, ValidationError } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import { type ApiRequest, queryValue } from '../core/request.ts'
import { isClass } from '../core/setting-rules.ts'
import { readBoolean } from '../kinds/boolean.ts'
import type { JsonSchema } from '../kinds/json-schema.ts'
import type { ListedRow, PageList } from './page-list.ts'
import type { QueryParameters } from './query-parameters.ts'

/** A page: its rows, and its parts of the envelope. */
export interface PageParts extends PageLinks {
  readonly rows: readonly ListedRow[]
  /** The first row's position in the whole list, from 1. Without it, items have no `index`. */
  readonly firstIndex?: number
}

/**
 * The parts of a style's pages beside the records, for the description of the API. Omitted properties are uncertain.
 */
export interface PageShape {
  /** The type of `count`: a number, a number or null, or absent. */
  readonly count?: 'number' | 'nullable' | 'none'
  /** A sentence for clients about `count`. */
  readonly countNote?: string
  /** Whether items have an `index` if the resource wants it. */
  readonly hasIndex?: boolean
}

/**
 * A style of dividing a list into pages. Subclass `StandardPageNumberPagination`, `LimitOffsetPaginationWithFormat`,
 * `CursorPagination`, or this class for your own style.
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
  /** The query parameters of this style. A filter of the resource cannot share one. */
  abstract readonly queryParameters: QueryParameters

  /** The parts of its pages beside the records, for the description of the API. By default, nothing is certain. */
  pageShape(): PageShape {
    return {}
  }

  /**
   * Rejects query parameters before rows are read, so a client gets these errors together with those of filters. Does
   * nothing by default.
   */
  check(_request: ApiRequest): void {}

  /** The requested page. @throws NotFound for one that does not exist */
  abstract paginate(list: PageList, request: ApiRequest): Promise<PageParts>
}

/** A pagination style as a class. One instance serves all requests of a resource. */
export type PaginationClass = new () => Pagination

/** A value of `paginationClass`: a class or an instance. */
export type PaginationSource = PaginationClass | Pagination

export function isPagination(value: unknown): value is PaginationSource {
  return value instanceof Pagination || (isClass(value) && value.prototype instanceof Pagination)
}

export function paginationFrom(source: PaginationSource): Pagination {
  return isClass(source) ? new source() : source
}

export const SIZE = message('invalid_parameter', { expected: message('expected.page') })

/** Larger numbers are not exact in JavaScript. */
export const MAX_OFFSET: number = Number.MAX_SAFE_INTEGER

export function sizeSchema(standard: number, max: number): JsonSchema {
  const description = `Most records of a page. More than ${max} are taken for ${max}.`
  return { type: 'integer', minimum: 1, default: standard, description }
}

/** Reads a page size or limit, capped at `max`; `undefined` if it is not a positive whole number. */
export function readSize(request: ApiRequest, parameter: string, standard: number, max: number): number | undefined {
  const text = queryValue(request, parameter)
  if (text === undefined) return standard
  return /^\d{1,16}$/.test(text) && Number(text) > 0 ? Math.min(Number(text), max) : undefined
}

export function badParameters(errors: FieldErrors): ValidationError {
  return new ValidationError(errors)
}

/** The value of the parameter `paginated`; `undefined` if it is absent. */
export function readPaginated(request: ApiRequest): boolean | undefined {
  const text = queryValue(request, 'paginated')
  if (text === undefined) return undefined
  const value = readBoolean(text)
  if (value === undefined)
    throw badParameters({ paginated: [message('invalid_parameter', { expected: message('expected.boolean') })] })
  return value
}
