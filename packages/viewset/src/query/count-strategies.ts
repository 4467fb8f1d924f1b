import { currentContext } from '../core/context.ts'
import { BoundedCache } from '../store/bounded-cache.ts'
import type { Database } from '../store/database.ts'
import type { QuerySet } from '../store/queryset.ts'
import { isInTransaction, readsAsAll } from '../store/session.ts'

/** Counts by the conditions that they are of, for so many seconds each. */
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

/** How a pagination class counts the results of a list. Write your own, or take one of these. */
export interface CountStrategy {
  /**
   * Whether the count is the number of rows at the time of the request, or which counts are. Where one is not, a list's
   * end is found by its rows: no page is refused and no link is left out because of a count that is wrong, and a count
   * that the page itself disproves is put right.
   */
  readonly isExact: boolean | ((count: number) => boolean)
  /** Says that there always is a count, and never `null`. Default false. */
  readonly alwaysCounts?: boolean
  /** What clients have to know of `count`, as a sentence. */
  readonly description?: string | undefined
  /** `null` for no count at all, which leaves the spec: it wants an integer. */
  count(queryset: QuerySet): Promise<number | null>
}

/** Counts for each request, however many rows that takes. */
export const exactCount: CountStrategy = {
  isExact: true,
  alwaysCounts: true,
  count: queryset => queryset.count(),
}

/** Does not count: `count` is null in the envelope. */
export const noCount: CountStrategy = { isExact: false, count: async () => null }

/**
 * Counts once for all requests that wait for the same count. As exact as {@link exactCount}: a count that has already
 * begun may not know what was written since, so a request never joins it but the one that begins after it.
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
    // Elsewhere the count sees what others do not, or less than they may count on.
    return readsAsAll(database) ? shareCount(database, key, () => queryset.count()) : queryset.count()
  },
}

/** Seconds for which it is remembered that there are more rows than are counted. */
const LARGE_FOR = 60

/** The limit of {@link boundedCount} if neither the class nor the API sets one. */
const USUAL_LIMIT = 250_000

/**
 * Counts exactly up to a limit, once for all requests that wait for the same count, as {@link sharedCount} does. If there
 * are more rows, it reads no more of them and estimates the number. The estimate is up to a minute old and always above
 * the limit. So a count up to the limit is exact, and a count above it is not.
 *
 * PostgreSQL asks its planner. SQLite goes by the numbers of a table's rows; of a list with conditions it knows no more
 * than that there is one row more than the limit.
 *
 * `limit`: rows; by default the setting `COUNT_LIMIT`, or 250,000 if that is not set.
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

/** What the running API counts by: the setting `COUNT_LIMIT` bounds all counts whose class does not say otherwise. */
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
 * Counts at most once in so many seconds for the same conditions. Between, the count may lag behind the rows.
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
      // A failure is not worth remembering.
      count.catch(() => remembered.forget(database, key))
      return count
    },
  }
}

/**
 * Asks the planner about how many rows there are, where the database has one that tells (PostgreSQL), and counts where
 * it answers less than `exactBelow` (1,000 by default) or where there is none (SQLite).
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

/** Counts that are remembered for each database. */
const REMEMBERED = 1_000

/** Characters of the conditions that they are of; values to filter by can be long. */
const BUDGET = { most: 1024 ** 2, sizeOf: (conditions: string) => conditions.length }

interface RememberedCount<T> {
  count: T
  /** When it is forgotten, on the clock of `performance.now`. */
  until: number
}

/** A count that is running, and the one that will follow it for whoever has asked since. */
interface Flight {
  readonly running: Promise<number>
  next: Promise<number> | undefined
}

const flights = new WeakMap<Database, Map<string, Flight>>()

/**
 * Counts once for all who wait for the same count. A count that has already begun may not know what was written since, so
 * nobody joins it but the one that begins after it. Inside a transaction a count sees what nobody else does, and is not
 * to be shared.
 */
function shareCount(database: Database, key: string, count: () => Promise<number>): Promise<number> {
  const known = flights.get(database) ?? new Map<string, Flight>()
  flights.set(database, known)
  const flight = known.get(key)
  if (!flight) return startFlight(known, key, count)
  // What the count before comes to, also its failure, is no business of the next one.
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
