import { readDate } from '../date.ts'
import { literally, type Plain } from './locale-text.ts'

interface DateForm {
  readonly order: readonly DatePart[]
  readonly separator: string
  readonly tail: string
}

const DATE_PARTS = ['year', 'month', 'day'] as const
type DatePart = (typeof DATE_PARTS)[number]

interface FoundDate {
  readonly day: string
  readonly rest: string
}

/**
 * Reads a date with digits at the beginning of a text. A year must have four digits, because the century of two is
 * ambiguous.
 */
type DateReader = (text: string) => FoundDate | undefined

/** Reads dates as {@link Intl.DateTimeFormat} writes them, with one or two digits for days and months. */
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
    // The column reports a day that its month does not have.
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

/** Reads a time of day to `14:30:00` or `14:30:00.5`; `undefined` if it is not valid or ambiguous. */
type TimeReader = (text: string) => string | undefined

/** Searching a longer text for words like "a. m." would take long. */
const LONGEST = 100

/**
 * Reads times as {@link Intl.DateTimeFormat} writes them, and 24-hour times with colons. In a 12-hour locale, `2:30` is
 * ambiguous and rejected; `14:30` is clear.
 */
export function timeReader(locale: string, plain: Plain): TimeReader {
  const format = new Intl.DateTimeFormat(locale, {
    hour: 'numeric',
    minute: '2-digit',
    second: '2-digit',
    timeZone: 'UTC',
  })
  const [night, noon] = [1, 13].map(hour => format.formatToParts(Date.UTC(2026, 0, 1, hour)))
  const periodOf = (parts = night) => bare(plain(parts?.find(({ type }) => type === 'dayPeriod')?.value ?? ''))
  const [am, pm] = [periodOf(night), periodOf(noon)]
  const isTwelve = am !== pm
  const pattern = timePattern(night ?? [], plain)
  return text => {
    if (text.length > LONGEST) return undefined
    const word = isTwelve
      ? [pm, am].find(period => bare(text).startsWith(period) || bare(text).endsWith(period))
      : undefined
    const clock = word === undefined ? text.trim() : withoutWord(text, word)
    const [, hours = '', minutes, seconds = '00', fraction] = pattern.exec(clock) ?? []
    const hour = Number(hours)
    if (minutes === undefined || hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
    const isUnclear = isTwelve && word === undefined && hour >= 1 && hour <= 12
    if (isUnclear || (word !== undefined && (hour < 1 || hour > 12))) return undefined
    const counted = word === undefined ? hour : (hour % 12) + (word === pm ? 12 : 0)
    const time = `${String(counted).padStart(2, '0')}:${minutes}:${seconds}`
    return fraction === undefined ? time : `${time}.${fraction}`
  }
}

function timePattern(parts: readonly Intl.DateTimeFormatPart[], plain: Plain): RegExp {
  const literalBehind = (type: string) => {
    const next = parts[parts.findIndex(part => part.type === type) + 1]
    const text = next?.type === 'literal' ? plain(next.value) : ''
    return text === '' ? ':' : `(?::|\\s?${literally(text)}\\s?)`
  }
  const last = parts.findLast(({ type }) => type === 'second' || type === 'literal')
  const end = last?.type === 'literal' && plain(last.value) !== '' ? `(?:\\s?${literally(plain(last.value))})?` : ''
  return new RegExp(
    `^(\\d{1,2})${literalBehind('hour')}(\\d{2})(?:${literalBehind('minute')}(\\d{2})(?:[.,\u066B](\\d{1,6}))?${end})?$`,
  )
}

/** A word without case, dots and blanks: `a. m.` and `AM` are equal. */
function bare(text: string): string {
  return text.toLowerCase().replace(/[.\s]/g, '')
}

function withoutWord(text: string, word: string): string {
  const pattern = [...word].map(literally).join('[.\\s]*')
  return text
    .trim()
    .replace(new RegExp(`^${pattern}[.\\s]*|[.\\s]*${pattern}[.\\s]*$`, 'iu'), '')
    .trim()
}

/** Writes a moment in a zone, with its digits behind the second: `31.12.2026 14:30:00,5`. */
type MomentWriter = (second: Date, fraction: string, timeZone: string) => string

export function momentWriter(locale: string, plain: Plain, point: string): MomentWriter {
  const days = new Map<string, Intl.DateTimeFormat>()
  const clocks = new Map<string, Intl.DateTimeFormat>()
  const formatOf = (
    formats: Map<string, Intl.DateTimeFormat>,
    timeZone: string,
    options: Intl.DateTimeFormatOptions,
  ) => {
    const known = formats.get(timeZone)
    if (known) return known
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone })
    formats.set(timeZone, format)
    return format
  }
  return (second, fraction, timeZone) => {
    const day = formatOf(days, timeZone, DAY_PARTS).format(second)
    const clock = formatOf(clocks, timeZone, CLOCK_PARTS)
      .formatToParts(second)
      .map(({ type, value }) => (type === 'second' && fraction !== '' ? `${value}${point}${fraction}` : value))
    return plain(`${day} ${clock.join('')}`)
  }
}

const DAY_PARTS = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
const CLOCK_PARTS = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
