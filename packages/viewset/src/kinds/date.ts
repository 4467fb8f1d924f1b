import { SheetMoment } from '../tabular/read/file.ts'
import { trimmed } from './cells.ts'
import { bothWays } from './json-schema.ts'
import type { Kind } from './kind.ts'
import { ordinary } from './ordinary.ts'
import { pointsInTime } from './points-in-time.ts'
import { parsed } from './schema-parts.ts'

const DAY = 86_400_000

const FORMAT = 'Date has wrong format. Use one of these formats instead: YYYY-MM-DD.'
const FORM = /^(?!0000)\d{4}-\d{2}-\d{2}$/

/** A day that every month has. */
const PLAIN_DAY = /^(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])$/

export const date: Kind = {
  ...ordinary,
  name: 'date',
  traits: ['comparable', 'calendar', 'item'],
  tabular: 'date',
  recordTypes: {
    date: {
      toRecord: (day: string) => new Date(`${day}T00:00:00Z`),
      fromRecord: (held: Date) => held.toISOString().slice(0, 10),
    },
  },
  schema: () => parsed(readDate, value => missingDay(value) ?? FORMAT),
  plainCheck: () => value => typeof value === 'string' && PLAIN_DAY.test(value),
  jsonSchema: () => bothWays({ type: 'string', format: 'date' }),
  readText: (_info, text) => readDate(text),
  expected: () => 'a date, such as 2026-01-15',
  textSchema: () => ({ type: 'string', format: 'date' }),
  readCell,
  note: () => 'A date: YYYY-MM-DD.',
  examples: () => ['2026-01-15', '2000-01-15', '2050-01-15'],
  line: () => pointsInTime(DAY, iso => iso.slice(0, 10)),
}

/** Reads a day of the calendar, in the years 1 to 9999; `undefined` for what is none. */
export function readDate(value: unknown): string | undefined {
  if (typeof value !== 'string' || !FORM.test(value)) return undefined
  const day = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value) ? value : undefined
}

/** What is said of a text that begins as a day does, and names one that the month does not have. */
export function missingDay(value: unknown): string | undefined {
  const [day] = (typeof value === 'string' && /^(?!0000)\d{4}-\d{2}-\d{2}(?=$|[T ])/i.exec(value)) || []
  return day === undefined || readDate(day) !== undefined ? undefined : `The day ${day} does not exist.`
}

/** A day; a workbook may have it with the midnight that it begins with. */
function readCell(cell: unknown): unknown {
  if (cell instanceof SheetMoment) return cell.text.replace(/T00:00:00$/, '')
  return trimmed(cell)
}
