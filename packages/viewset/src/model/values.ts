/**
 * PostgreSQL's text of a timestamp (`2026-01-15 10:30:00.12+00`) as ISO 8601 in UTC with microseconds, in any time zone
 * of the session.
 *
 * Works on the text because JavaScript's `Date` has no microseconds.
 *
 * @throws Error if the session does not write ISO dates.
 */
export function isoFromPgTimestamp(text: string): string {
  if (text.charCodeAt(10) !== 0x20 || text.charCodeAt(4) !== 0x2d) return dateFromPg(text)
  let end = text.length
  if (text.endsWith('+00')) end -= 3
  else if (end > 19 && !isOfFraction(text.charCodeAt(end - 3))) return inUtc(text)
  const fraction = text.charCodeAt(19) === 0x2e ? text.slice(20, end) : ''
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(6, '0')}Z`
}

/** A point or a digit. In an offset or an era, the character at this position is neither. */
function isOfFraction(code: number): boolean {
  return code === 0x2e || (code >= 0x30 && code <= 0x39)
}

const WITH_OFFSET = /^(.{10}) (.{8})(?:\.(\d+))?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/

function inUtc(text: string): string {
  const [, date, time, fraction = '', sign, hours, minutes = 0, seconds = 0] = WITH_OFFSET.exec(text) ?? []
  // Years before Christ and beyond 9999 stay in PostgreSQL's form.
  if (sign === undefined) return text
  const offset = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * (sign === '-' ? -1_000 : 1_000)
  const utc = new Date(Date.parse(`${date}T${time}Z`) - offset).toISOString()
  return `${utc.slice(0, 19)}.${fraction.padEnd(6, '0')}Z`
}

/**
 * PostgreSQL's text of a date: ISO 8601, `infinity` or beyond the year 9999.
 *
 * @throws Error if the session does not write ISO dates: 02/03 can be February or March.
 */
export function dateFromPg(text: string): string {
  if (text.charCodeAt(4) === 0x2d || /^(?:\d{5,}-|-?infinity$)/.test(text)) return text
  throw new Error('PostgreSQL does not write dates as ISO 8601 here: set "datestyle" to ISO on your own connections.')
}

export function pgArrayText(items: readonly unknown[]): string {
  const texts = items.map(item =>
    item === null || item === undefined ? 'NULL' : `"${String(item).replace(/[\\"]/g, '\\$&')}"`,
  )
  return `{${texts.join(',')}}`
}

export function bytesFromPg(raw: string | Uint8Array): Uint8Array {
  return new Uint8Array(typeof raw === 'string' ? readPgBytes(raw) : raw)
}

/** PostgreSQL's text of bytes: `\x00ff`, or `\000\377` if the session's `bytea_output` is `escape`. */
export function readPgBytes(text: string): Buffer {
  if (text.startsWith('\\x')) return Buffer.from(text.slice(2), 'hex')
  const unescaped = text.replace(/\\(\\|[0-7]{3})/g, (_, code: string) =>
    code === '\\' ? code : String.fromCharCode(Number.parseInt(code, 8)),
  )
  return Buffer.from(unescaped, 'latin1')
}

/**
 * A number of an SQLite NUMERIC column as the text of a decimal with `scale` places.
 *
 * SQLite stores an integer or a double, which keeps up to 15 digits.
 */
export function decimalFromNumber(value: number | bigint | string, scale: number | undefined): string {
  if (scale === undefined || typeof value === 'string') return String(value)
  if (typeof value === 'bigint') return scale === 0 ? String(value) : `${value}.${'0'.repeat(scale)}`
  return value.toFixed(scale)
}

/** Drizzle's columns expect a number. Beyond 2^53 it stays a bigint. */
export function numberIfSafe(value: unknown): unknown {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
}
