import { BoundedCache } from '../store/bounded-cache.ts'
import type { Database } from '../store/database.ts'

/** Counts that are remembered for each database. */
const REMEMBERED = 1_000

/** Characters of the conditions that they are of; values to filter by can be long. */
const BUDGET = { most: 1024 ** 2, sizeOf: (conditions: string) => conditions.length }

interface RememberedCount<T> {
  count: T
  /** When it is forgotten, on the clock of `performance.now`. */
  until: number
}

/** Counts by the conditions that they are of, for so many seconds each. */
export class RememberedCounts<T> {
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
