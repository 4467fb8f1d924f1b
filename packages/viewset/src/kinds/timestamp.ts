import { trimmed } from './cells.ts'
import { missingDay, readDate } from './date.ts'
import type { Kind } from './kind.ts'
import { ordinary } from './ordinary.ts'
import { pointsInTime } from './points-in-time.ts'
import { readTimestamp } from './read-timestamp.ts'
import { parsed } from './schema-parts.ts'

const FORMAT =
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].'

const DESCRIPTION =
  'A point in time, such as 2026-01-15T10:30:00Z. Without an offset, it is in the time zone of the API.'
const DAY = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'
const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]+)?)?'
const PATTERN = `^${DAY}[Tt ]${CLOCK}([Zz]|[+-]([01][0-9]|2[0-3]):?[0-5][0-9])?$`

/** A point in time: an ISO string in UTC, with microseconds. */
export const timestamp: Kind = {
  ...ordinary,
  name: 'timestamp',
  traits: ['comparable', 'calendar', 'item'],
  tabular: 'timestamp',
  recordTypes: {
    date: {
      toRecord: (iso: string) => new Date(iso),
      // A Date has milliseconds; timestamps have six digits everywhere.
      fromRecord: (held: Date) => `${held.toISOString().slice(0, 23)}000Z`,
    },
  },
  schema: (_info, { timeZone }) =>
    parsed(
      value => readTimestamp(value, timeZone),
      value => missingDay(value) ?? FORMAT,
    ),
  jsonSchema: () => ({
    // The format "date-time" would not let the offset be left out, nor the seconds.
    input: { type: 'string', pattern: PATTERN, description: DESCRIPTION },
    output: { type: 'string', format: 'date-time' },
  }),
  readText: (_info, text, { timeZone }) => readTimestamp(readDate(text) ? `${text}T00:00` : text, timeZone),
  textSchema: () => ({
    anyOf: [
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date' },
      { type: 'string', pattern: `^${DAY}[Tt ]${CLOCK}$` },
    ],
  }),
  expected: () => 'a date or a datetime, such as 2026-01-15T10:30:00Z',
  readCell,
  note: () => 'A date and time, such as 2026-01-15T10:30:00Z.',
  examples: () => ['2026-01-15T10:30:00Z', '2000-01-15T10:30:00Z', '2050-01-15T10:30:00Z'],
  line: () => pointsInTime(1000, iso => `${iso.slice(0, 19)}.000000Z`),
}

/** A point in time; a day alone is the midnight that it begins with, as a workbook shows that. */
function readCell(cell: unknown): unknown {
  const text = trimmed(cell)
  return typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text
}
