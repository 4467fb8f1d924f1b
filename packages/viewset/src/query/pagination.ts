import type { PageLinks } from '../core/envelope.ts'
import type { ApiRequest } from '../core/request.ts'
import { isClass } from '../core/setting-rules.ts'
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
