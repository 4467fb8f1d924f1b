import type { SQL } from 'drizzle-orm'
import type { Settings } from '../core/settings.ts'
import type { RawRow } from '../store/driver.ts'
import type { Projection } from '../store/projection.ts'
import type { QuerySet } from '../store/queryset.ts'

/** A row that a {@link PageList} has read. What is in it only the resource knows, which shows it. */
export type ListedRow = RawRow

/**
 * The rows of one request's list, filtered and ordered, as a pagination style sees them: nothing is read before the
 * style asks for it.
 *
 * @example
 * const rows = await list.filter(sql`${events.happenedAt} >= ${start}`).window(100, 0)
 */
export class PageList {
  /** What the list shows a part of: to count it, or to narrow it. */
  readonly queryset: QuerySet
  readonly settings: Settings
  readonly #projection: Projection

  /** @internal The list action makes it. */
  constructor(queryset: QuerySet, settings: Settings, projection: Projection) {
    this.queryset = queryset
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
}
