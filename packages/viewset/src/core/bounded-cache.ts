export interface CacheOptions<K, V> {
  readonly forget?: (key: K, value: V) => void
  readonly budget?: { readonly most: number; sizeOf(key: K, value: V): number }
}

/**
 * A map that evicts the least recently used entry above `limit` entries, or above its budget.
 *
 * @example
 * const statements = new BoundedCache<string, Statement>(500)
 * statements.get(text, () => prepare(text))
 */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, V>()
  readonly #limit: number
  readonly #forget: CacheOptions<K, V>['forget']
  readonly #budget: NonNullable<CacheOptions<K, V>['budget']>
  #held = 0

  constructor(limit: number, { forget, budget = { most: 0, sizeOf: () => 0 } }: CacheOptions<K, V> = {}) {
    this.#limit = limit
    this.#forget = forget
    this.#budget = budget
  }

  get(key: K, make: () => V): V {
    const known = this.#entries.get(key)
    if (known !== undefined) {
      // Only a full cache needs the order of use. Before that, moving entries is wasted work.
      if (this.#isFull) {
        this.#entries.delete(key)
        this.#entries.set(key, known)
      }
      return known
    }
    const value = make()
    this.#entries.set(key, value)
    this.#held += this.#budget.sizeOf(key, value)
    while (this.#entries.size > this.#limit || this.#held > this.#budget.most) this.#forgetOldest()
    return value
  }

  /** Replaces the value of the key. */
  set(key: K, value: V): void {
    const before = this.#entries.get(key)
    if (before !== undefined) this.#evict(key, before)
    this.get(key, () => value)
  }

  peek(key: K): V | undefined {
    return this.#entries.get(key)
  }

  /** If sizes count, the cache is full a little earlier, because the next entry may be large. */
  get #isFull(): boolean {
    return this.#entries.size >= this.#limit || this.#held * 2 > this.#budget.most
  }

  #forgetOldest(): void {
    const [oldest] = this.#entries
    if (oldest) this.#evict(...oldest)
  }

  #evict(key: K, value: V): void {
    this.#entries.delete(key)
    this.#held -= this.#budget.sizeOf(key, value)
    this.#forget?.(key, value)
  }
}
