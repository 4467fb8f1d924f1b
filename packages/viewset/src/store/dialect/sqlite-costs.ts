import { BoundedCache } from '../bounded-cache.ts'
import type { Reach } from './sqlite-plan.ts'

/** Milliseconds that a statement may hold the event loop. */
const SLOW = 10

/** Milliseconds after which a plan is asked for again: tables grow, and indexes come and go. */
const LASTING = 10_000

/** Statements of which is known how long they take. */
const KNOWN = 2_000
const BUDGET = { most: 1024 ** 2, sizeOf: (text: string) => text.length }

interface Cost {
  reach: Reach
  until: number
  /** Times in a row that it has been quick in a thread. */
  quick: number
  /** How often that has to be before it comes back. */
  needed: number
}

/**
 * Which statements are left to a thread: those that may go through many rows, until they have shown that they do not.
 * The same statement may be quick with one value and slow with another, so each time that one is slow in the process, it
 * has to be quick in a thread twice as often: in n runs it can hold the event loop about log n times.
 */
export class SqliteCosts {
  readonly #costs = new BoundedCache<string, Cost>(KNOWN, { budget: BUDGET })

  /** Whether the next run belongs into a thread. `reach` is asked for now and then. */
  isLong(text: string, reach: () => Reach): boolean {
    const now = performance.now()
    const cost = this.#costs.get(text, () => ({ reach: 'keys', until: 0, quick: 0, needed: 0 }))
    if (now >= cost.until) {
      cost.reach = reach()
      cost.until = now + LASTING
      if (cost.reach === 'many') cost.needed ||= 1
    }
    return cost.reach !== 'keys' && cost.quick < cost.needed
  }

  /** Takes note of the milliseconds that a run has taken at a stretch. */
  took(text: string, time: number, place: 'process' | 'thread'): void {
    const isSlow = time > SLOW
    // Most runs are in the process and quick.
    if (!isSlow && place === 'process') return
    const cost = this.#costs.get(text, () => ({ reach: 'keys', until: 0, quick: 0, needed: 0 }))
    cost.quick = isSlow ? 0 : cost.quick + 1
    if (isSlow && place === 'process') cost.needed = cost.needed * 2 || 1
  }
}
