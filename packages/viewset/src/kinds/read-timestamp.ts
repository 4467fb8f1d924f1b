const TIMESTAMP = /^(?!0000)(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,6})\d*)?)?(Z|[+-]\d{2}:?\d{2})?$/i

/**
 * Reads an ISO 8601 datetime and returns it in UTC with microseconds; `undefined` when it is none. A datetime without
 * an offset is read in `timeZone` (CONTRACT, "Envelope").
 *
 * @example
 * readTimestamp('2026-01-15T11:30+01:00') // '2026-01-15T10:30:00.000000Z'
 */
export function readTimestamp(value: unknown, timeZone = 'UTC'): string | undefined {
  const match = typeof value === 'string' ? TIMESTAMP.exec(value) : null
  if (!match) return undefined
  const [, day, minutes, seconds = '00', fraction = '', zone] = match
  const local = `${day}T${minutes}:${seconds}`
  const asUtc = Date.parse(`${local}Z`)
  // Date.parse lets the 30th of February pass as the 2nd of March.
  if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(local)) return undefined
  const offset = zone === undefined ? zoneOffset(asUtc, timeZone) : explicitOffset(zone)
  if (offset === undefined) return undefined
  const utc = new Date(asUtc - offset).toISOString()
  return utc.length === 24 && !utc.startsWith('0000') ? `${utc.slice(0, 19)}.${fraction.padEnd(6, '0')}Z` : undefined
}

/** Milliseconds of `+01:00`, `-0530` or `Z`; `undefined` beyond a day. */
function explicitOffset(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(-2))
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

const DAY = 86_400_000

/**
 * Milliseconds that local time in `timeZone` is ahead of UTC at the local time `wall` (as if it were UTC). Where clocks
 * are put back and a time comes twice, the first is meant; one that they skip is read as if they had not been put forward.
 */
function zoneOffset(wall: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0
  const [before, after] = [wall - DAY, wall + DAY].map(instant => offsetAt(instant, timeZone)) as [number, number]
  return [before, after].find(offset => offsetAt(wall - offset, timeZone) === offset) ?? before
}

function offsetAt(instant: number, timeZone: string): number {
  const parts = formatterOf(timeZone).formatToParts(instant)
  const part = (type: string) => Number(parts.find(candidate => candidate.type === type)?.value)
  // `Date.UTC` takes the year 50 for 1950.
  const local = new Date(Date.UTC(2000, part('month') - 1, part('day'), part('hour'), part('minute'), part('second')))
  return local.setUTCFullYear(part('year')) - instant
}

/** A formatter takes longer to make than to use, and there are no more of them than zones. */
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formatters.set(timeZone, formatter)
  }
  return formatter
}
