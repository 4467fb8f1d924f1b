import { BoundedCache } from '../store/bounded-cache.ts'
import type { Database } from '../store/database.ts'
import type { QuerySet } from '../store/queryset.ts'
import { isInTransaction } from '../store/session.ts'

/** How a pagination class counts the results of a list. Write your own, or take one of these. */
export interface CountStrategy {
  /**
   * Whether the count is the number of rows at the time of the request. Where it is not, a list's end is found by its
   * rows: no page is refused and no link is left out because of a count that is wrong.
   */
  readonly isExact: boolean
  /** Says that there always is a count, and never `null`. Default false. */
  readonly alwaysCounts?: boolean
  /** `null` for no count at all, which leaves the spec: it wants an integer. */
  count(queryset: QuerySet): Promise<number | null>
}

/** Counts for each request. */
export const exactCount: CountStrategy = {
  isExact: true,
  alwaysCounts: true,
  count: queryset => queryset.count(),
}

/** Does not count: `count` is null in the envelope. */
export const noCount: CountStrategy = { isExact: false, count: async () => null }

/** A count that is running, and the one that will follow it for whoever has asked since. */
interface Flight {
  readonly running: Promise<number>
  next: Promise<number> | undefined
}

const flights = new WeakMap<Database, Map<string, Flight>>()

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
    const { database } = queryset
    // Inside a transaction the count sees what nobody else does.
    if (isInTransaction(database)) return queryset.count()
    const known = flights.get(database) ?? new Map<string, Flight>()
    flights.set(database, known)
    return joinFlight(known, queryset)
  },
}

function joinFlight(known: Map<string, Flight>, queryset: QuerySet): Promise<number> {
  const { key } = queryset
  const flight = known.get(key)
  if (!flight) return startFlight(known, key, queryset)
  // What the count before comes to, also its failure, is no business of the next one.
  flight.next ??= flight.running.then(
    () => startFlight(known, key, queryset),
    () => startFlight(known, key, queryset),
  )
  return flight.next
}

function startFlight(known: Map<string, Flight>, key: string, queryset: QuerySet): Promise<number> {
  const flight: Flight = { running: queryset.count(), next: undefined }
  known.set(key, flight)
  const land = () => {
    if (!flight.next) known.delete(key)
  }
  flight.running.then(land, land)
  return flight.running
}

/** Counts that {@link cachedCount} remembers for each database. */
const REMEMBERED = 1_000

/** Characters of the conditions that they are of; values to filter by can be long. */
const REMEMBERED_BUDGET = { most: 1024 ** 2, sizeOf: (conditions: string) => conditions.length }

interface CachedCount {
  count: Promise<number | null> | undefined
  /** When it must be counted again, on the clock of `performance.now`. */
  until: number
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
  const caches = new WeakMap<Database, BoundedCache<string, CachedCount>>()
  return {
    isExact: false,
    alwaysCounts: true,
    count: queryset => {
      const { database } = queryset
      if (isInTransaction(database)) return queryset.count()
      const cache =
        caches.get(database) ?? new BoundedCache<string, CachedCount>(REMEMBERED, { budget: REMEMBERED_BUDGET })
      caches.set(database, cache)
      const entry = cache.get(queryset.key, () => ({ count: undefined, until: 0 }))
      if (entry.count && performance.now() < entry.until) return entry.count
      const count = sharedCount.count(queryset)
      Object.assign(entry, { count, until: performance.now() + seconds * 1000 })
      // A failure is not worth remembering.
      count.catch(() => Object.assign(entry, { count: undefined }))
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
