import { ServiceUnavailable } from './errors.ts'

/** Wall clock minus monotonic clock, in milliseconds. */
let offset = Date.now() - performance.now()

/** The last second as text: formatting a date is the expensive part. */
let second = Number.NaN
let secondText = ''

/**
 * The current time as ISO 8601 in UTC with microseconds and `Z`, the form of every timestamp in responses.
 *
 * `Date` stops at milliseconds. The fraction comes from the monotonic clock, which is set again when it drifts from the
 * wall clock.
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

let moment: string | undefined

/**
 * The time of a write. All columns and rows of one synchronous run get the same time; code after an `await` gets a new
 * one.
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

/**
 * The value of the promise, if it comes within the time.
 *
 * @throws ServiceUnavailable after the time
 */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new ServiceUnavailable()), milliseconds)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
