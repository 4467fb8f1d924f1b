import { ServiceUnavailable } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { Turns } from '../../core/turns.ts'

/** Requests of one user that may wait for others at a time. Each holds a connection of the server. */
const MOST_WAITING = 20

export interface WaitOptions {
  readonly owner: string
  /** In milliseconds. */
  readonly patience: number
  readonly signal: AbortSignal | undefined
}

interface RunningKey {
  readonly turns: Turns
  requests: number
}

/** The keys whose requests run in this process. Of each key one request runs; the others wait without a transaction. */
export class RunningKeys {
  readonly #keys = new Map<string, RunningKey>()
  readonly #waiting = new Map<string, number>()

  /**
   * Waits until no other request of this process has the key. Call the returned function at the end.
   *
   * @returns `undefined` after the patience, and at once if the user has too many requests that wait
   */
  async take(id: string, { owner, patience, signal }: WaitOptions): Promise<(() => void) | undefined> {
    const key = this.#keys.get(id) ?? { turns: new Turns(), requests: 0 }
    const mustWait = key.requests > 0
    if (mustWait && (patience <= 0 || (this.#waiting.get(owner) ?? 0) >= MOST_WAITING)) return undefined
    this.#keys.set(id, key)
    key.requests++
    const leave = () => {
      if (--key.requests === 0) this.#keys.delete(id)
    }
    if (mustWait) this.#count(owner, 1)
    try {
      const text = message('idempotency_key_in_use')
      const end = await key.turns.take({ limit: 1, patience, longestQueue: Infinity, message: text, signal })
      return () => {
        end()
        leave()
      }
    } catch (error) {
      leave()
      if (error instanceof ServiceUnavailable) return undefined
      throw error
    } finally {
      if (mustWait) this.#count(owner, -1)
    }
  }

  #count(owner: string, more: number): void {
    const count = (this.#waiting.get(owner) ?? 0) + more
    if (count === 0) this.#waiting.delete(owner)
    else this.#waiting.set(owner, count)
  }
}
