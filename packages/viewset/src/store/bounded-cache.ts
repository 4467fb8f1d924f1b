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
  readonly #forget: ((key: K, value: V) => void) | undefined

  /** `forget` is called with each entry that has to go. */
  constructor(limit: number, forget?: (key: K, value: V) => void) {
    this.#limit = limit
    this.#forget = forget
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
      const [oldest] = this.#entries
      if (oldest !== undefined) {
        this.#entries.delete(oldest[0])
        this.#forget?.(...oldest)
      }
    }
    this.#entries.set(key, value)
    return value
  }
}
