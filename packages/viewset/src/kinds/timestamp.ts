import { BoundedCache } from '../core/bounded-cache.ts'
import { message } from '../core/messages/message.ts'
import { shownValue } from '../core/text.ts'
import { trimmed } from './cells.ts'
import { missingDay, pointsInTime, readDate, withHyphens } from './date.ts'
import { type Kind, ordinary } from './kind.ts'
import { parsed } from './schema-parts.ts'

const DESCRIPTION =
  'A point in time, such as 2026-01-15T10:30:00Z. Without an offset, it is in the time zone of the API.'
const DAY_PATTERN = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'
const CLOCK_PATTERN = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]+)?)?'
const PATTERN = `^${DAY_PATTERN}[Tt ]${CLOCK_PATTERN}([Zz]|[+-]([01][0-9]|2[0-3]):?[0-5][0-9])?$`

export const timestamp: Kind = {
  ...ordinary,
  name: 'timestamp',
  traits: ['comparable', 'calendar', 'item'],
  tabular: 'timestamp',
  recordTypes: {
    date: {
      toRecord: (iso: string) => new Date(iso),
      // A Date has milliseconds. Timestamps in JSON always have six digits.
      fromRecord: (held: Date) => `${held.toISOString().slice(0, 23)}000Z`,
    },
  },
  schema: (_info, { timeZone }) =>
    parsed(
      value => readTimestamp(value, timeZone),
      value => missingDay(value) ?? message('invalid_datetime', { value: shownValue(value) }),
    ),
  jsonSchema: () => ({
    // The format "date-time" requires the offset and the seconds.
    input: { type: 'string', pattern: PATTERN, description: DESCRIPTION },
    output: { type: 'string', format: 'date-time' },
  }),
  readText: (_info, text, { timeZone }) => readTimestamp(readDate(text) ? `${text}T00:00` : text, timeZone),
  textSchema: () => ({
    anyOf: [
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date' },
      { type: 'string', pattern: `^${DAY_PATTERN}[Tt ]${CLOCK_PATTERN}$` },
    ],
  }),
  expected: () => message('expected.datetime'),
  readCell,
  note: () => message('template.datetime'),
  examples: () => ['2026-01-15T10:30:00Z', '2000-01-15T10:30:00Z', '2050-01-15T10:30:00Z'],
  line: () => pointsInTime(1000, iso => `${iso.slice(0, 19)}.000000Z`),
}

/** A day alone is its midnight, as in a workbook. */
function readCell(cell: unknown): unknown {
  const text = withHyphens(trimmed(cell))
  return typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text
}

const TIMESTAMP = /^(?!0000)(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,6})\d*)?)?(Z|[+-]\d{2}:?\d{2})?$/i

/**
 * Reads an ISO 8601 datetime and returns it in UTC with microseconds; `undefined` if it is not valid. A datetime
 * without an offset is read in `timeZone`.
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
  // Date.parse reads February 30 as March 2.
  if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(local)) return undefined
  const offset = zone === undefined ? zoneOffset(asUtc, timeZone) : explicitOffset(zone)
  if (offset === undefined) return undefined
  const utc = new Date(asUtc - offset).toISOString()
  return utc.length === 24 && !utc.startsWith('0000') ? `${utc.slice(0, 19)}.${fraction.padEnd(6, '0')}Z` : undefined
}

/**
 * A timestamp as the local time in a zone, without an offset.
 *
 * @example
 * localTime('2026-01-15T10:30:00.000000Z', 'Europe/Oslo') // '2026-01-15T11:30:00.000000'
 */
export function localTime(timestamp: string, timeZone: string): string {
  const utc = Date.parse(timestamp)
  if (timeZone === 'UTC' || Number.isNaN(utc)) return timestamp.replace(/Z$/, '')
  // Offsets are whole seconds.
  const seconds = Math.floor(utc / 1000) * 1000
  const local = new Date(seconds + offsetAt(seconds, timeZone)).toISOString()
  return local.slice(0, 19) + timestamp.slice(19).replace(/Z$/, '')
}

/**
 * A timestamp as the local time in a zone, for a cell without a zone. `undefined` if that would be read as another time:
 * when clocks are set back, an hour occurs twice.
 *
 * @example
 * localMoment('2026-10-25T00:30:00.000000Z', 'Europe/Berlin') // '2026-10-25T02:30:00.000000'
 * localMoment('2026-10-25T01:30:00.000000Z', 'Europe/Berlin') // undefined
 */
export function localMoment(timestamp: string, timeZone: string): string | undefined {
  const utc = readTimestamp(timestamp, timeZone)
  const local = utc && localTime(utc, timeZone)
  return local && readTimestamp(local, timeZone) === utc ? local : undefined
}

function explicitOffset(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(-2))
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

const DAY = 86_400_000

/**
 * Milliseconds that local time in `timeZone` is ahead of UTC at the local time `wall` (as if it were UTC). A time that
 * occurs twice, when clocks are set back, means the first one. A skipped time is read as if clocks had not been set
 * forward.
 */
function zoneOffset(wall: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0
  const [before, after] = [wall - DAY, wall + DAY].map(instant => offsetAt(instant, timeZone)) as [number, number]
  return [before, after].find(offset => offsetAt(wall - offset, timeZone) === offset) ?? before
}

/** The days of a lifetime. */
const MOST_DAYS = 30_000
/** Offsets at the beginning of days in UTC, by zone. */
const dayOffsets = new Map<string, BoundedCache<number, number>>()

/** The offset of a zone. Only on a day whose beginning and end differ, the instant itself is asked for: that is slow. */
function offsetAt(instant: number, timeZone: string): number {
  const day = Math.floor(instant / DAY)
  const offset = dayOffset(day, timeZone)
  return offset === dayOffset(day + 1, timeZone) ? offset : exactOffset(instant, timeZone)
}

function dayOffset(day: number, timeZone: string): number {
  const known = dayOffsets.get(timeZone) ?? new BoundedCache(MOST_DAYS)
  dayOffsets.set(timeZone, known)
  return known.get(day, () => exactOffset(day * DAY, timeZone))
}

function exactOffset(instant: number, timeZone: string): number {
  const parts = formatterOf(timeZone).formatToParts(instant)
  const part = (type: string) => Number(parts.find(candidate => candidate.type === type)?.value)
  // `Date.UTC` reads the year 50 as 1950.
  const local = new Date(Date.UTC(2000, part('month') - 1, part('day'), part('hour'), part('minute'), part('second')))
  return local.setUTCFullYear(part('year')) - instant
}

/** A formatter is expensive to make. There are only as many as zones. */
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
