import { BoundedCache } from '../core/bounded-cache.ts'
import { currentContext } from '../core/context.ts'
import type { Database } from '../store/connection/database.ts'
import { isInTransaction, readsAsAll } from '../store/connection/session.ts'
import type { QuerySet } from '../store/queryset.ts'

/** How a pagination class counts the results of a list. Use one of the strategies below or write your own. */
export interface CountStrategy {
  /**
   * Whether the count equals the number of rows at the time of the request, or a function that decides this for a
   * count. If not, the rows decide where the list ends. An inexact count rejects no page and omits no link. If the page
   * disproves the count, the count is corrected.
   */
  readonly isExact: boolean | ((count: number) => boolean)
  /** The count is never `null`. Default false. */
  readonly alwaysCounts?: boolean
  /** A sentence for clients about `count`. */
  readonly description?: string | undefined
  /** `null` for no count. */
  count(queryset: QuerySet): Promise<number | null>
}

/**
 * Counts all rows. Requests that arrive while the same count runs share the next one. So each count includes everything
 * written before its request.
 *
 * @example
 * class ExactPages extends StandardPageNumberPagination {
 *   override readonly countStrategy = exactCount
 * }
 */
export const exactCount: CountStrategy = {
  isExact: true,
  alwaysCounts: true,
  count: queryset => shareCount(queryset, queryset.key, () => queryset.count()),
}

/** Does not count: `count` is null in the response. */
export const noCount: CountStrategy = { isExact: false, count: async () => null }

const USUAL_LIMIT = 250_000

/**
 * Counts exactly up to a limit, once for all requests that wait for the same count, as {@link exactCount} does. Beyond
 * the limit it stops and estimates the number. The estimate is up to a minute old and always above the limit. Only
 * counts up to the limit are exact.
 *
 * PostgreSQL asks its planner. SQLite estimates from the table's rowids; of a list with conditions it only knows that
 * there is one row more than the limit.
 *
 * `limit`: rows; by default the setting `COUNT_LIMIT`, or else 250,000.
 *
 * @example
 * class QuickPages extends StandardPageNumberPagination {
 *   override readonly countStrategy = boundedCount({ limit: 10_000 })
 * }
 */
export function boundedCount({ limit }: { readonly limit?: number } = {}): CountStrategy {
  const most = () => limit ?? currentContext().settings.COMMON.COUNT_LIMIT ?? USUAL_LIMIT
  return {
    isExact: count => count <= most(),
    alwaysCounts: true,
    get description() {
      return `Exact up to ${most()}; about right above it.`
    },
    count: async queryset => {
      const counting = () => queryset.countTo(most())
      if (isInTransaction(queryset.database)) return counting()
      const key = `${most()} ${queryset.key}`
      const { large } = countsOf(queryset.database)
      const known = large.peek(key)
      if (known && performance.now() < known.until) return known.count
      const count = await shareCount(queryset, key, counting)
      if (count > most()) {
        const cached = large.get(key, () => ({ count, until: 0 }))
        cached.count = count
        cached.until = performance.now() + LARGE_FOR
      }
      return count
    },
  }
}

const bounded = boundedCount()

function strategyOfApi(): CountStrategy {
  return currentContext().settings.COMMON.COUNT_LIMIT === null ? exactCount : bounded
}

/** The default: {@link exactCount}, or {@link boundedCount} if the API sets `COUNT_LIMIT`. */
export const usualCount: CountStrategy = {
  get isExact() {
    return strategyOfApi().isExact
  },
  alwaysCounts: true,
  get description() {
    return strategyOfApi().description
  },
  count: queryset => strategyOfApi().count(queryset),
}

interface Counts {
  readonly running: Map<string, RunningCount>
  readonly large: BoundedCache<string, LargeCount>
}

interface RunningCount {
  readonly current: Promise<number>
  next: Promise<number> | undefined
}

interface LargeCount {
  count: number
  until: number
}

const LARGE_FOR = 60_000

/** For each database. */
const CACHED = 1_000

const BUDGET = { most: 1024 ** 2, sizeOf: (conditions: string) => conditions.length }

const databases = new WeakMap<Database, Counts>()

function countsOf(database: Database): Counts {
  const known = databases.get(database) ?? { running: new Map(), large: new BoundedCache(CACHED, { budget: BUDGET }) }
  databases.set(database, known)
  return known
}

/**
 * Shares a count among the requests that wait for it. A running count may miss new rows, so later requests share the
 * next one. Requests in a transaction or on a replica see other rows, so they count alone.
 */
function shareCount({ database }: QuerySet, key: string, count: () => Promise<number>): Promise<number> {
  if (!readsAsAll(database)) return count()
  const { running } = countsOf(database)
  const known = running.get(key)
  if (!known) return startCount(running, key, count)
  // The next count runs even if this one fails.
  const start = () => startCount(running, key, count)
  known.next ??= known.current.then(start, start)
  return known.next
}

function startCount(running: Counts['running'], key: string, count: () => Promise<number>): Promise<number> {
  const started: RunningCount = { current: count(), next: undefined }
  running.set(key, started)
  const end = () => {
    if (!started.next) running.delete(key)
  }
  started.current.then(end, end)
  return started.current
}
