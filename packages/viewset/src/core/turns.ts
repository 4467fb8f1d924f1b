import { ServiceUnavailable } from './errors.ts'
import type { Text } from './messages/message.ts'

export interface TurnOptions {
  readonly limit: number
  readonly patience: number
  readonly longestQueue?: number
  readonly message: Text
  readonly signal?: AbortSignal | undefined
}

class NoTurn extends ServiceUnavailable {}

interface Waiting {
  readonly limit: number
  start(): void
}

/**
 * Limits how many callers do expensive work at the same time. The others wait in line, for a limited time and in
 * limited number.
 *
 * @example
 * const turns = new Turns()
 * const release = await turns.take({ limit: 2, patience: 30_000, message: 'Two are being made. Please try again.' })
 */
export class Turns {
  #taken = 0
  readonly #waiting: Waiting[] = []

  /**
   * Waits for a turn. Call the returned function to end it.
   *
   * @throws NoTurn after the patience, and at once if many callers wait; the signal's reason if it aborts first.
   */
  async take(options: TurnOptions): Promise<() => void> {
    options.signal?.throwIfAborted()
    if (this.#taken < options.limit && this.#waiting.length === 0) this.#taken++
    else await this.#wait(options)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#taken--
      this.#startWaiting()
    }
  }

  #startWaiting(): void {
    for (let [next] = this.#waiting; next && this.#taken < next.limit; [next] = this.#waiting) {
      this.#waiting.shift()
      this.#taken++
      next.start()
    }
  }

  #wait({ limit, patience, longestQueue = 100, message, signal }: TurnOptions): Promise<void> {
    const inVain = () => new NoTurn(message, Math.ceil(patience / 1000))
    if (this.#waiting.length >= longestQueue) throw inVain()
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      }
      const giveUp = (reason: unknown) => {
        stop()
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        reject(reason)
      }
      const abort = () => giveUp(signal?.reason)
      const timer = setTimeout(() => giveUp(inVain()), patience)
      const waiting: Waiting = {
        limit,
        start: () => {
          stop()
          resolve()
        },
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiting.push(waiting)
    })
  }
}
