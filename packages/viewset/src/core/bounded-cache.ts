export interface CacheOptions<K, V> {
  /** Called with each entry that has to go. */
  readonly forget?: (key: K, value: V) => void
  /** How much the entries may hold together, where that depends on what is asked for. */
  readonly budget?: { readonly most: number; sizeOf(key: K, value: V): number }
}

/**
 * A map that forgets what was not used for longest once it holds `limit` entries, or more than its budget.
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

  /** The value of `key`, made by `make` when it is not there. */
  get(key: K, make: () => V): V {
    const known = this.#entries.get(key)
    if (known !== undefined) {
      // Only a full cache needs to know the order of use; below that, moving entries would be work for nothing.
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

  /** The value of `key`, if it is there; that it was asked for does not count as use. */
  peek(key: K): V | undefined {
    return this.#entries.get(key)
  }

  /** Nearly so, where sizes count: the next entry may be a large one. */
  get #isFull(): boolean {
    return this.#entries.size >= this.#limit || this.#held * 2 > this.#budget.most
  }

  #forgetOldest(): void {
    const [oldest] = this.#entries
    if (!oldest) return
    this.#entries.delete(oldest[0])
    this.#held -= this.#budget.sizeOf(...oldest)
    this.#forget?.(...oldest)
  }
}
