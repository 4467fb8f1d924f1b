/**
 * A map that forgets what was not used for longest once it holds `limit` entries.
 *
 * @example
 * const statements = new BoundedCache<string, Statement>(500)
 * statements.get(text, () => prepare(text))
 */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, V>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The value of `key`, made by `make` when it is not there. */
  get(key: K, make: () => V): V {
    const known = this.#entries.get(key)
    if (known !== undefined) {
      // Only a full cache needs to know the order of use; below that, moving entries would be work for nothing.
      if (this.#entries.size >= this.#limit) {
        this.#entries.delete(key)
        this.#entries.set(key, known)
      }
      return known
    }
    const value = make()
    if (this.#entries.size >= this.#limit) {
      const [oldest] = this.#entries.keys()
      if (oldest !== undefined) this.#entries.delete(oldest)
    }
    this.#entries.set(key, value)
    return value
  }
}
