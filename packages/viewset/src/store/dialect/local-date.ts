import { BoundedCache } from '../bounded-cache.ts'

const formats = new BoundedCache<string, Intl.DateTimeFormat>(50)

/**
 * The calendar date of a stored timestamp as clocks in `timeZone` show it: SQLite knows no time zones.
 *
 * @example
 * localDate('2026-01-31T23:30:00.000000Z', 'Europe/Berlin') // '2026-02-01'
 */
export function localDate(timestamp: unknown, timeZone: unknown): string | null {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
  if (Number.isNaN(time)) return null
  const zone = String(timeZone)
  // The Canadian way to write a date is ISO 8601.
  const format = formats.get(zone, () => new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }))
  return format.format(time)
}
