/** Wall clock minus monotonic clock, in milliseconds. */
let offset = Date.now() - performance.now()

/** The second that was last asked for, as text: formatting a date costs more than all the rest. */
let second = Number.NaN
let secondText = ''

/**
 * The current time as ISO 8601 UTC with microseconds and `Z`, the form of every timestamp on the wire.
 *
 * `Date` stops at milliseconds, so the fraction comes from the monotonic clock, which is set right again whenever it
 * has drifted from the wall clock.
 *
 * @example
 * timestampNow() // '2026-01-15T10:30:00.123456Z'
 */
export function timestampNow(): string {
  const monotonic = performance.now()
  const wall = Date.now()
  if (Math.abs(offset + monotonic - wall) > 2) offset = wall - monotonic
  const microseconds = Math.trunc((offset + monotonic) * 1000)
  const now = Math.trunc(microseconds / 1_000_000)
  if (now !== second) {
    second = now
    secondText = new Date(now * 1000).toISOString().slice(0, 20)
  }
  return `${secondText}${String(microseconds % 1_000_000).padStart(6, '0')}Z`
}

/** What {@link momentOfWrite} has told in the code that is running. */
let moment: string | undefined

/**
 * The time of a write: the same for all of its columns and rows, which ask for it one after the other in code that
 * nothing interrupts. What runs later, after an `await`, gets a time of its own.
 */
export function momentOfWrite(): string {
  if (moment === undefined) {
    moment = timestampNow()
    queueMicrotask(forgetMoment)
  }
  return moment
}

function forgetMoment(): void {
  moment = undefined
}
