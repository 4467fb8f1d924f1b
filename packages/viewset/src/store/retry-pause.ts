import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds of the first pause at most. */
const FIRST = 20

/**
 * Waits before a transaction that has lost against another one is run again: up to twice as long each time, by chance
 * between half of that and all of it, so that two that have met do not meet again.
 *
 * @throws the signal's `AbortError` when nobody waits for the outcome any more.
 */
export function retryPause(attempt: number, signal?: AbortSignal): Promise<void> {
  return sleep(pauseOf(attempt, Math.random()), undefined, signal && { signal })
}

/** The pause behind an attempt, the first of which is 1, in milliseconds. `chance` is from 0 to 1. */
export function pauseOf(attempt: number, chance: number): number {
  return FIRST * 2 ** (attempt - 1) * (0.5 + chance / 2)
}
