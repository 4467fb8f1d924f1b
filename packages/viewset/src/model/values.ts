/**
 * PostgreSQL's text of a timestamp in a session in UTC (`2026-01-15 10:30:00.12+00`) as ISO 8601 with microseconds.
 *
 * Done on the text because JavaScript's `Date` would drop the microseconds.
 */
export function isoFromPgTimestamp(text: string): string {
  const end = text.endsWith('+00') ? text.length - 3 : text.length
  if (text.charCodeAt(10) !== 0x20) return text // 'infinity' and years beyond 9999
  const fraction = text.charCodeAt(19) === 0x2e ? text.slice(20, end) : ''
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(6, '0')}Z`
}

/**
 * A number of an SQLite NUMERIC column as the text of a decimal with `scale` digits behind the point.
 *
 * SQLite keeps such a number as an integer or a double; up to 15 digits come back exactly.
 */
export function decimalFromNumber(value: number | bigint | string, scale: number | undefined): string {
  if (scale === undefined || typeof value === 'string') return String(value)
  if (typeof value === 'bigint') return scale === 0 ? String(value) : `${value}.${'0'.repeat(scale)}`
  return value.toFixed(scale)
}

/** An integer of SQLite as Drizzle's columns expect them; one beyond 2^53 stays exact. */
export function numberIfSafe(value: unknown): unknown {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
}
