import { setTimeout as sleep } from 'node:timers/promises'
import { BoundedCache } from '../bounded-cache.ts'
import type { Reach } from './sqlite-plan.ts'

/** Milliseconds that a statement may hold the event loop. */
const SLOW = 10

/** Quick runs that make up for a millisecond. */
const MAKING_UP = 5

/** Milliseconds that pauses of the garbage collector, or of a busy machine, may come to. */
const PAUSES = 500

/** Milliseconds after which a plan is asked for again: tables grow, and indexes come and go. */
const LASTING = 10_000

/** Statements of which is known how long they take. */
const KNOWN = 2_000
const BUDGET = { most: 1024 ** 2, sizeOf: (text: string) => text.length }

/**
 * Which statements are left to a thread: those that may go through many rows, until they have shown that they do not.
 * The same statement may be quick with one value and slow with another, so one that is slow has to be quick for as long as
 * it takes to make up for that: beyond one run, it holds the event loop for a fifth of a millisecond each time that it runs.
 */
export class SqliteCosts {
  readonly #costs = new BoundedCache<string, SqliteCost>(KNOWN, { budget: BUDGET })

  of(text: string): SqliteCost {
    return this.#costs.get(text, () => new SqliteCost())
  }
}

/** What is known of one statement. */
export class SqliteCost {
  #reach: Reach = 'keys'
  /** When the plan is asked for again. */
  #until = 0
  /** Quick runs until it comes back to the process. */
  #owed = 0
  #wasQuick = false
  #isKnown = false
  #firstRun: Promise<unknown> | undefined

  /** What is waited for by those who ask while nothing is known; it is never rejected. */
  get firstRun(): Promise<unknown> | undefined {
    return this.#firstRun
  }

  /** A run in a thread has begun; where it is the first one, others wait for it, for `patience` milliseconds at most. */
  begins(run: Promise<unknown>, patience: number): void {
    if (this.#isKnown || this.#firstRun) return
    const over = () => {
      this.#firstRun = undefined
    }
    this.#firstRun = Promise.race([run, sleep(patience, undefined, { ref: false })]).then(over, over)
  }

  /** Whether the next run belongs into a thread. `reach` is asked for now and then. */
  isLong(reach: () => Reach): boolean {
    const now = performance.now()
    if (now >= this.#until) {
      const known = this.#reach
      this.#reach = reach()
      this.#until = now + LASTING
      if (this.#reach === 'many' && known !== 'many') this.#owed ||= 1
    }
    return this.#reach !== 'keys' && this.#owed > 0
  }

  /**
   * Whether one that belongs into a thread may as well run in the process where no thread has room. The clock does not
   * tell a slow statement from a pause in which the process did not run at all; the former soon is slow again.
   */
  get mayBeQuick(): boolean {
    return this.#wasQuick && this.#owed <= PAUSES * MAKING_UP
  }

  /** Takes note of the milliseconds that a run has taken at a stretch. */
  took(time: number, place: 'process' | 'thread'): void {
    this.#isKnown = true
    if (time <= SLOW) {
      this.#wasQuick = true
      if (this.#owed > 0) this.#owed--
      return
    }
    const owed = Math.ceil(time * MAKING_UP)
    // In a thread it has held nobody.
    this.#owed = place === 'process' ? this.#owed + owed : Math.max(this.#owed, owed)
  }

  /** Takes note of a run whose thread was ended after so many milliseconds: no pause takes that long. */
  wasEnded(time: number): void {
    this.took(time, 'thread')
    this.#wasQuick = false
  }
}
