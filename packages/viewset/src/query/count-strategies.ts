import { BoundedCache } from '../core/bounded-cache.ts'
import { currentContext } from '../core/context.ts'
import type { Database } from '../store/connection/database.ts'
import { isInTransaction, readsAsAll } from '../store/connection/session.ts'
import type { QuerySet } from '../store/queryset.ts'

/** How a pagination class counts the results of a list. Use one of the strategies below or write your own. */
export interface CountStrategy {
  /**
   * Whether the count equals the number of rows at the time of the request, or a function that says so of a count. If
   * not, the rows decide where the list ends: no page is rejected and no link omitted because of a wrong count, and a
   * count that the page disproves is corrected.
   */
  readonly isExact: boolean | ((count: number) => boolean)
  /** The count is never `null`. Default false. */
  readonly alwaysCounts?: boolean
  /** A sentence for clients about `count`. */
  readonly description?: string | undefined
  /** `null` for no count. */
  count(queryset: QuerySet): Promise<number | null>
}

const REMEMBERED = 1_000

const BUDGET = { most: 1024 ** 2, sizeOf: (conditions: string) => conditions.length }

interface RememberedCount<T> {
  count: T
  until: number
}

class RememberedCounts<T> {
  readonly #milliseconds: number
  readonly #caches = new WeakMap<Database, BoundedCache<string, RememberedCount<T>>>()

  constructor(seconds: number) {
    this.#milliseconds = seconds * 1000
  }

  get(database: Database, key: string): T | undefined {
    const entry = this.#caches.get(database)?.peek(key)
    return entry && performance.now() < entry.until ? entry.count : undefined
  }

  set(database: Database, key: string, count: T): void {
    const cache = this.#caches.get(database) ?? new BoundedCache(REMEMBERED, { budget: BUDGET })
    this.#caches.set(database, cache)
    const entry = cache.get(key, () => ({ count, until: 0 }))
    Object.assign(entry, { count, until: performance.now() + this.#milliseconds })
  }

  forget(database: Database, key: string): void {
    const entry = this.#caches.get(database)?.peek(key)
    if (entry) entry.until = 0
  }
}

/** Counts for each request, however long that takes. */
export const exactCount: CountStrategy = {
  isExact: true,
  alwaysCounts: true,
  count: queryset => queryset.count(),
}

/** Does not count: `count` is null in the response. */
export const noCount: CountStrategy = { isExact: false, count: async () => null }

/**
 * Counts once for all requests that wait for the same count. As exact as {@link exactCount}: a running count may miss
 * new rows, so a request never joins it but shares the next one.
 *
 * @example
 * class BusyPages extends StandardPageNumberPagination {
 *   override readonly countStrategy = sharedCount
 * }
 */
export const sharedCount: CountStrategy = {
  isExact: true,
  alwaysCounts: true,
  count: queryset => {
    const { database, key } = queryset
    // In a transaction, a count sees uncommitted rows or an older snapshot.
    return readsAsAll(database) ? shareCount(database, key, () => queryset.count()) : queryset.count()
  },
}

/** Seconds for which a count above the limit is cached. */
const LARGE_FOR = 60

const USUAL_LIMIT = 250_000

/**
 * Counts exactly up to a limit, once for all requests that wait for the same count, as {@link sharedCount} does. Beyond
 * the limit it stops and estimates the number. The estimate is up to a minute old and always above the limit. So a
 * count up to the limit is exact, and a count above it is not.
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
  const large = new RememberedCounts<number>(LARGE_FOR)
  return {
    isExact: count => count <= most(),
    alwaysCounts: true,
    get description() {
      return `Exact up to ${most()}; about right above it.`
    },
    count: async queryset => {
      const { database } = queryset
      if (isInTransaction(database)) return queryset.countTo(most())
      const key = `${most()} ${queryset.key}`
      const known = large.get(database, key)
      if (known !== undefined) return known
      const counting = () => queryset.countTo(most())
      const count = await (readsAsAll(database) ? shareCount(database, key, counting) : counting())
      if (count > most()) large.set(database, key, count)
      return count
    },
  }
}

const bounded = boundedCount()

function strategyOfApi(): CountStrategy {
  return currentContext().settings.COMMON.COUNT_LIMIT === null ? sharedCount : bounded
}

/** The default: {@link sharedCount}, or {@link boundedCount} if the API sets `COUNT_LIMIT`. */
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

/**
 * Counts at most once in this time for the same conditions. In between, the count may lag behind the rows.
 *
 * @example
 * class CalmPages extends StandardPageNumberPagination {
 *   override readonly countStrategy = cachedCount({ seconds: 30 })
 * }
 */
export function cachedCount({ seconds }: { readonly seconds: number }): CountStrategy {
  const remembered = new RememberedCounts<Promise<number | null>>(seconds)
  return {
    isExact: false,
    alwaysCounts: true,
    count: queryset => {
      const { database, key } = queryset
      if (isInTransaction(database)) return queryset.count()
      const known = remembered.get(database, key)
      if (known) return known
      const count = sharedCount.count(queryset)
      remembered.set(database, key, count)
      // Failed counts are not cached.
      count.catch(() => remembered.forget(database, key))
      return count
    },
  }
}

/**
 * Uses the planner's estimate (PostgreSQL). Counts exactly if the estimate is less than `exactBelow` (1,000 by
 * default), or if the database has none (SQLite).
 *
 * @example
 * class HugePages extends StandardPageNumberPagination {
 *   override readonly countStrategy = estimatedCount({ exactBelow: 10_000 })
 * }
 */
export function estimatedCount({ exactBelow = 1_000 }: { readonly exactBelow?: number } = {}): CountStrategy {
  return {
    isExact: false,
    alwaysCounts: true,
    count: async queryset => {
      const estimate = await queryset.estimate()
      return estimate === null || estimate < exactBelow ? queryset.count() : estimate
    },
  }
}

/** A running count, and the next one for requests that arrived since. */
interface Flight {
  readonly running: Promise<number>
  next: Promise<number> | undefined
}

const flights = new WeakMap<Database, Map<string, Flight>>()

/**
 * Shares a count among the requests that wait for it. A running count may miss new rows, so later requests share the
 * next one. Not for counts inside a transaction, which see other rows.
 */
function shareCount(database: Database, key: string, count: () => Promise<number>): Promise<number> {
  const known = flights.get(database) ?? new Map<string, Flight>()
  flights.set(database, known)
  const flight = known.get(key)
  if (!flight) return startFlight(known, key, count)
  // The next count runs even if this one fails.
  flight.next ??= flight.running.then(
    () => startFlight(known, key, count),
    () => startFlight(known, key, count),
  )
  return flight.next
}

function startFlight(known: Map<string, Flight>, key: string, count: () => Promise<number>): Promise<number> {
  const flight: Flight = { running: count(), next: undefined }
  known.set(key, flight)
  const land = () => {
    if (!flight.next) known.delete(key)
  }
  flight.running.then(land, land)
  return flight.running
}
