import type { SQL } from 'drizzle-orm'
import type { ApiSettings } from '../core/settings.ts'
import type { RawRow } from '../store/driver.ts'
import type { ListPosition } from '../store/keyset.ts'
import type { Projection } from '../store/projection.ts'
import type { QuerySet } from '../store/queryset.ts'

/** A row that a {@link PageList} has read. What is in it only the resource knows, which shows it. */
export type ListedRow = RawRow

/** Rows next to a position in a list, in the list's order. */
export interface ListedStretch {
  readonly rows: readonly ListedRow[]
  /** Whether there are more in the direction in which they were read. */
  readonly hasMore: boolean
  /** Where the first and the last row stand; `null` where there are none. */
  readonly first: ListPosition | null
  readonly last: ListPosition | null
}

/**
 * The rows of one request's list, filtered and ordered, as a pagination style sees them: nothing is read before the
 * style asks for it.
 *
 * @example
 * const rows = await list.filter(sql`${events.happenedAt} >= ${start}`).window(100, 0)
 */
export class PageList {
  /** What the list shows a part of: to count it, or to look at its ordering. */
  readonly queryset: QuerySet
  readonly settings: ApiSettings
  readonly #projection: Projection

  /** @internal The list action makes it. */
  constructor(queryset: QuerySet, settings: ApiSettings, projection: Projection) {
    this.queryset = queryset.inTotalOrder()
    this.settings = settings
    this.#projection = projection
  }

  /** The rows that also meet `condition`, in the same order. */
  filter(condition: SQL | undefined): PageList {
    return new PageList(this.queryset.filter(condition), this.settings, this.#projection)
  }

  /** How many rows there are. */
  count(): Promise<number> {
    return this.queryset.count()
  }

  /** At most `limit` rows, behind the first `offset` ones. */
  window(limit: number, offset: number): Promise<readonly ListedRow[]> {
    return this.queryset.rows(this.#projection, { limit, offset })
  }

  /** The first `limit` rows behind a position, or of the whole list. */
  after(position: ListPosition | null, limit: number): Promise<ListedStretch> {
    return this.#stretch(position, limit, false)
  }

  /** The last `limit` rows before a position, or of the whole list. */
  before(position: ListPosition | null, limit: number): Promise<ListedStretch> {
    return this.#stretch(position, limit, true)
  }

  async #stretch(from: ListPosition | null, limit: number, backward: boolean): Promise<ListedStretch> {
    const { width } = this.#projection
    // One row more tells whether there is one.
    const read = await this.queryset.stretch(this.#projection, { from, backward, limit: limit + 1 })
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
