import { BoundedCache } from '../bounded-cache.ts'
import type { Plan } from './sqlite-plan.ts'

/** Rows that are gone through in less time than a thread takes to be asked. */
const FEW = 2_000

/** Milliseconds that a statement may hold the event loop. */
const SLOW = 10

/** Milliseconds after which a plan is asked for again: tables grow, and indexes come and go. */
const LASTING = 10_000

/** Statements whose plans are known. */
const KNOWN = 2_000
const BUDGET = { most: 1024 ** 2, sizeOf: (text: string) => text.length }

/**
 * Which statements are left to a thread: those that may go through many rows, by their plans. How long one took before
 * does not count: the same statement is quick with one value and slow with another, and a client may know both.
 */
export class SqlitePlans {
  readonly #plans = new BoundedCache<string, KnownPlan>(KNOWN, { budget: BUDGET })

  of(text: string): KnownPlan {
    return this.#plans.get(text, () => new KnownPlan())
  }
}

/** The plan of one statement, as long as it lasts. */
export class KnownPlan {
  #plan: Plan | undefined
  /** When the plan is asked for again. */
  #until = 0
  #isSlow = false

  /** Whether a run with these values belongs into a thread. `ask` tells the plan; it is asked now and then. */
  isLong(values: readonly unknown[], ask: () => Plan): boolean {
    const now = performance.now()
    if (this.#plan === undefined || now >= this.#until) {
      this.#plan = ask()
      this.#until = now + LASTING
      this.#isSlow = false
    }
    return !this.#plan.isByKeys && (this.#isSlow || this.#plan.rows(values) > FEW)
  }

  /** Takes note of the milliseconds that a run has held the process: few rows may be wide, or a function slow. */
  held(time: number): void {
    this.#isSlow ||= time > SLOW
  }
}
