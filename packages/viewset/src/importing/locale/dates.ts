import { readDate } from '../../kinds/date.ts'
import { literally, type Plain } from './locale-text.ts'

/** The parts of a date in their order, and what stands between and behind them. */
interface DateForm {
  readonly order: readonly DatePart[]
  readonly separator: string
  readonly tail: string
}

const DATE_PARTS = ['year', 'month', 'day'] as const
type DatePart = (typeof DATE_PARTS)[number]

/** A date that is read from the beginning of a text, and the text behind it. */
export interface FoundDate {
  /** `2026-12-31` */
  readonly day: string
  readonly rest: string
}

/**
 * Reads a date with digits at the beginning of a text; `undefined` where there is none. A year has four digits: which
 * century is meant by two is not guessed at.
 */
export type DateReader = (text: string) => FoundDate | undefined

/** Reads what {@link Intl.DateTimeFormat} writes, with days and months of one digit or two. */
export function dateReader(locale: string, plain: Plain): DateReader {
  const { order, separator, tail } = dateForm(locale, plain)
  const groups = order.map(part => (part === 'year' ? '(?<year>\\d{4})' : `(?<${part}>\\d{1,2})`))
  const end = `(?:\\s?${literally(tail)})?\\.?`
  const pattern = new RegExp(`^${groups.join(`\\s?${literally(separator)}\\s?`)}(?!\\d)${end}`)
  return text => {
    const seen = plain(text)
    const found = pattern.exec(seen)
    const { year = '', month = '', day = '' } = found?.groups ?? {}
    const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
    // A day that its month does not have is left to the column, which says so.
    const isDay = readDate(iso) !== undefined || readDate(iso.replace(/-(29|3[01])$/, '-28')) !== undefined
    return found && isDay ? { day: iso, rest: seen.slice(found[0].length) } : undefined
  }
}

function dateForm(locale: string, plain: Plain): DateForm {
  const format = new Intl.DateTimeFormat(locale, { year: 'numeric', month: '2-digit', day: '2-digit' })
  const parts = format.formatToParts().map(({ type, value }) => ({ type, text: plain(value) }))
  const order = parts.flatMap(({ type }) => DATE_PARTS.filter(part => part === type))
  const [first = '', second = ''] = order
  const from = parts.findIndex(({ type }) => type === first)
  const to = parts.findIndex(({ type }) => type === second)
  const between = parts.slice(from + 1, to).map(({ text }) => text)
  const end = parts.findLastIndex(({ type }) => order.some(part => part === type))
  return {
    order,
    separator: between.join(''),
    tail: parts
      .slice(end + 1)
      .map(({ text }) => text)
      .join(''),
  }
}
