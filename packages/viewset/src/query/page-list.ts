import type { SQL } from 'drizzle-orm'
import type { ApiSettings } from '../core/settings.ts'
import type { RawRow } from '../store/connection/driver.ts'
import type { ListPosition } from '../store/keyset.ts'
import type { Projection } from '../store/projection.ts'
import type { QuerySet } from '../store/queryset.ts'

/** A row of a {@link PageList}. Only its resource can read it. */
export type ListedRow = RawRow

/** Rows after or before a position in a list, in the list's order. */
export interface ListSlice {
  readonly rows: readonly ListedRow[]
  readonly hasMore: boolean
  readonly first: ListPosition | null
  readonly last: ListPosition | null
}

/**
 * The filtered and ordered list of one request. Nothing is read before the pagination style asks for it.
 *
 * @example
 * const rows = await list.filter(sql`${events.happenedAt} >= ${start}`).window(100, 0)
 */
export class PageList {
  /** The complete queryset, for counting or for its ordering. */
  readonly queryset: QuerySet
  readonly settings: ApiSettings
  readonly #projection: Projection

  /** @internal The list action makes it. */
  constructor(queryset: QuerySet, settings: ApiSettings, projection: Projection) {
    this.queryset = queryset.inTotalOrder()
    this.settings = settings
    this.#projection = projection
  }

  filter(condition: SQL | undefined): PageList {
    return new PageList(this.queryset.filter(condition), this.settings, this.#projection)
  }

  /** The number of rows. */
  count(): Promise<number> {
    return this.queryset.count()
  }

  /** At most `limit` rows after the first `offset` rows. */
  window(limit: number, offset: number): Promise<readonly ListedRow[]> {
    return this.queryset.rows(this.#projection, { limit, offset })
  }

  /** The first `limit` rows after a position, or of the list. */
  after(position: ListPosition | null, limit: number): Promise<ListSlice> {
    return this.#slice(position, limit, false)
  }

  /** The last `limit` rows before a position, or of the list. */
  before(position: ListPosition | null, limit: number): Promise<ListSlice> {
    return this.#slice(position, limit, true)
  }

  async #slice(from: ListPosition | null, limit: number, backward: boolean): Promise<ListSlice> {
    const { width } = this.#projection
    const read = await this.queryset.slice(this.#projection, { from, backward, limit: limit + 1 })
    const kept = read.slice(0, limit)
    if (backward) kept.reverse()
    return {
      rows: kept.map(row => row.slice(0, width)),
      hasMore: read.length > limit,
      first: kept[0]?.slice(width) ?? null,
      last: kept.at(-1)?.slice(width) ?? null,
    }
  }
}
