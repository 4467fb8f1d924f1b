import { type Message, message } from '../core/messages/message.ts'
import { shownValue } from '../core/text.ts'
import { SheetMoment } from '../tabular/read/file.ts'
import { trimmed } from './cells.ts'
import { bothWays } from './json-schema.ts'
import { type Kind, ordinary, type ValueLine } from './kind.ts'
import { parsed } from './schema-parts.ts'

const DAY = 86_400_000

const FORM = /^(?!0000)\d{4}-\d{2}-\d{2}$/

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
  schema: () => parsed(readDate, value => missingDay(value) ?? message('invalid_date', { value: shownValue(value) })),
  plainCheck: () => value => typeof value === 'string' && PLAIN_DAY.test(value),
  jsonSchema: () => bothWays({ type: 'string', format: 'date' }),
  readText: (_info, text) => readDate(text),
  expected: () => message('expected.date'),
  textSchema: () => ({ type: 'string', format: 'date' }),
  readCell,
  note: () => message('template.date'),
  examples: () => ['2026-01-15', '2000-01-15', '2050-01-15'],
  line: () => pointsInTime(DAY, iso => iso.slice(0, 10)),
}

export function readDate(value: unknown): string | undefined {
  if (typeof value !== 'string' || !FORM.test(value)) return undefined
  const day = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value) ? value : undefined
}

/** The message for a text that begins with a day that the month does not have. */
export function missingDay(value: unknown): Message | undefined {
  const [day] = (typeof value === 'string' && /^(?!0000)\d{4}-\d{2}-\d{2}(?=$|[T ])/i.exec(value)) || []
  return day === undefined || readDate(day) !== undefined ? undefined : message('invalid_date.no_such_day', { day })
}

/** A workbook may store a day with midnight as its time. */
function readCell(cell: unknown): unknown {
  if (cell instanceof SheetMoment) return cell.text.replace(/T00:00:00$/, '')
  return withHyphens(trimmed(cell))
}

const WITHOUT_HYPHENS = /^([1-9]\d{3})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/

/**
 * Writes `20260115` with hyphens; other cells stay. ISO 8601 allows this form. Timetables and accounting programs write it,
 * in workbooks also as a number.
 */
export function withHyphens(cell: unknown): unknown {
  const isDay = (typeof cell === 'string' || typeof cell === 'number') && WITHOUT_HYPHENS.test(String(cell))
  return isDay ? String(cell).replace(WITHOUT_HYPHENS, '$1-$2-$3') : cell
}

/** Points in time in steps of `step` ms, in the years of four digits. */
export function pointsInTime(step: number, write: (iso: string) => string): ValueLine {
  const place = (value: unknown) => BigInt(Math.floor(Date.parse(String(value)) / step))
  return {
    lowest: place('1000-01-01'),
    highest: place('9999-12-31'),
    place,
    valueAt: at => write(new Date(Number(at) * step).toISOString()),
  }
}
