import { BoundedCache } from '../../core/bounded-cache.ts'
import { type Message, message } from '../../core/messages/message.ts'
import { shorten, shownValue } from '../../core/text.ts'
import type { TabularKind } from '../../tabular/table.ts'
import { CellProblem } from '../cells.ts'
import { withHyphens } from '../date.ts'
import type { ValueInfo } from '../kind.ts'
import { kindOf } from '../kinds.ts'
import { readTimestamp } from '../timestamp.ts'
import { dateReader, momentWriter, timeReader } from './dates.ts'
import { numberReader, type Plain, plainText } from './locale-text.ts'
import { truthWords } from './truth-words.ts'

export interface LocaleForm {
  read(text: string): string | CellProblem
  write(value: string | number | bigint | boolean): string
  /** Writes a moment in a time zone, if `read` gives the same moment there. */
  writeIn?(value: string, timeZone: string): string
  /** A sentence for people; `undefined` if there is nothing to say. */
  readonly note: Message | undefined
}

export type LocaleForms = { readonly [K in TabularKind]?: LocaleForm }

/** A date with the year first is ISO in every locale. */
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/
/** Other years have fewer digits in a locale's form, and are not read. */
const LOCAL_DATE = /^[1-9]\d{3}-\d{2}-\d{2}$/
const STORED_MOMENT = /^([1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\.(\d{6})Z$/
const ISO_MOMENT = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?$/i
const EXAMPLE_DAY = new Date('2026-12-31T14:30:00Z')

export function localeForms(locale: string): LocaleForms {
  const decimal = numberForm(locale, 1234.5)
  return {
    integer: numberForm(locale, 1234),
    decimal,
    float: decimal,
    date: dateForm(locale),
    timestamp: momentForm(locale),
    boolean: truthForm(locale),
  }
}

/** The form of a column's values. A custom kind with its own `readCell` has none. */
export function formOf({ ownKind, ...info }: ValueInfo, forms: LocaleForms): LocaleForm | undefined {
  const { tabular, readCell } = kindOf(info)
  return ownKind && ownKind.readCell !== readCell ? undefined : forms[tabular]
}

function decimalSign(locale: string, plain: Plain): string {
  const parts = new Intl.NumberFormat(locale).formatToParts(0.5)
  return plain(parts.find(({ type }) => type === 'decimal')?.value ?? '.')
}

function numberForm(locale: string, example: number): LocaleForm {
  const plain = plainText(locale)
  const read = numberReader(locale, plain)
  const format = new Intl.NumberFormat(locale, { useGrouping: 'always' })
  const point = decimalSign(locale, plain)
  const write = (value: unknown) => String(value).replace('.', point)
  const forms = { grouped: plain(format.format(example)), plain: write(example) }
  const problem = (text: string) => message('invalid_number.form', { value: shownValue(text), ...forms })
  return {
    read: text => read(text) ?? new CellProblem(problem(text)),
    write,
    note: message('template.number_form', forms),
  }
}

function dateForm(locale: string): LocaleForm {
  const plain = plainText(locale)
  const read = dateReader(locale, plain)
  const format = new Intl.DateTimeFormat(locale, { year: 'numeric', month: '2-digit', day: '2-digit', timeZone: 'UTC' })
  const write = (value: unknown) =>
    LOCAL_DATE.test(String(value)) ? plain(format.format(new Date(`${value}T00:00:00Z`))) : String(value)
  const local = plain(format.format(EXAMPLE_DAY))
  return {
    read(text) {
      if (ISO_DATE.test(String(withHyphens(text.trim())))) return text
      const found = read(text)
      if (found?.rest.trim() === '') return found.day
      return new CellProblem(message('invalid_date.form', { value: shownValue(text), local }))
    },
    write,
    note: message('template.date_form', { local }),
  }
}

function momentForm(locale: string): LocaleForm {
  const plain = plainText(locale)
  const [readDay, readTime] = [dateReader(locale, plain), timeReader(locale, plain)]
  const { write: writeDay } = dateForm(locale)
  const writeMoment = momentWriter(locale, plain, decimalSign(locale, plain))
  const local = `${writeDay('2026-12-31')} 14:30`
  const form: LocaleForm = {
    read(text) {
      if (ISO_MOMENT.test(String(withHyphens(text.trim())))) return text
      const found = readDay(text)
      if (found?.rest.trim() === '') return found.day
      // Some languages put a word or a comma before the time.
      const time = found && readTime(found.rest.replace(/^[\s,،(]*(?:klo )?|\)$/g, ''))
      if (found && time !== undefined) return `${found.day}T${time}`
      return new CellProblem(message('invalid_datetime.form', { value: shownValue(text), local }))
    },
    write: value => String(value),
    writeIn(value, timeZone) {
      const [, second, fraction = ''] = STORED_MOMENT.exec(value) ?? []
      if (second === undefined) return value
      const text = writeMoment(new Date(`${second}Z`), fraction.replace(/0+$/, ''), timeZone)
      // When clocks are set back, an hour occurs twice.
      return readTimestamp(form.read(text), timeZone) === value ? text : value
    },
    note: message('template.datetime_form', { local }),
  }
  return form
}

function truthForm(locale: string): LocaleForm {
  const [yes, no] = truthWords(new Intl.Locale(locale).language)
  const lower = (text: string) => bareWord(text, locale)
  const words = new Map([
    ...yes.map(word => [lower(word), 'true'] as const),
    ...no.map(word => [lower(word), 'false'] as const),
  ])
  const [yesWord = 'true', noWord = 'false'] = [yes.at(-1), no.at(-1)]
  return {
    // Forms without a locale also work.
    read: text => words.get(lower(text)) ?? text,
    write: value => (value === true || value === 'true' ? yesWord : noWord),
    note: yes.length === 0 ? undefined : message('template.boolean_form', { yes: yesWord, no: noWord }),
  }
}

/** Lower case without accents, which capitals often lack. */
function bareWord(text: string, locale: string): string {
  return text.trim().toLocaleLowerCase(locale).normalize('NFD').replace(/\p{M}/gu, '').replace(/ς/g, 'σ')
}

/** A locale that files cannot have. */
export class LocaleFault {
  /** For an application's configuration. */
  readonly problem: string
  /** For a client. */
  readonly text: Message

  constructor(problem: string, text: Message) {
    this.problem = problem
    this.text = text
  }
}

/** Clients may name any. */
const MOST_LOCALES = 50
const known = new BoundedCache<string, LocaleForms>(MOST_LOCALES)

/** The forms of a language tag, of a known language with the Gregorian calendar. */
export function formsOfLocale(locale: unknown): LocaleForms | LocaleFault {
  const tag = canonical(locale)
  const name = shorten(String(locale))
  const isKnown = tag !== undefined && Intl.NumberFormat.supportedLocalesOf(tag).length > 0
  const named = isKnown ? undefined : tagNamed(String(locale))
  if (tag === undefined || named !== undefined) {
    const meant = named ?? canonical(String(locale).replaceAll('_', '-'))
    const hint = meant === undefined ? '; write a language tag, such as "de-DE"' : `; did you mean "${meant}"?`
    const text = message('invalid_locale', { locale: name, example: meant ?? 'de-DE' })
    return new LocaleFault(`"${locale}" is not a language tag${hint}`, text)
  }
  if (!isKnown) {
    const problem = `nothing is known of "${tag}"; write a language tag, such as "de-DE"`
    return new LocaleFault(problem, message('invalid_locale.unknown', { locale: name }))
  }
  const { calendar } = new Intl.DateTimeFormat(tag).resolvedOptions()
  if (calendar !== 'gregory') {
    const gregorian = String(new Intl.Locale(tag, { calendar: 'gregory' }))
    const problem = `dates of the calendar "${calendar}" cannot be read; write "${gregorian}" for files with others`
    return new LocaleFault(problem, message('invalid_locale.calendar', { locale: name, calendar, gregorian }))
  }
  return known.get(tag, () => localeForms(tag))
}

const NAMES_IN = ['en', 'de', 'es', 'fr', 'ja']
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz'
let tagsByName: ReadonlyMap<string, string> | undefined

/** The tag of a language by its name: `german` and `Deutsch` are `de`. */
function tagNamed(name: string): string | undefined {
  tagsByName ??= namedTags()
  return tagsByName.get(name.trim().toLowerCase())
}

function namedTags(): ReadonlyMap<string, string> {
  const tags = [...ALPHABET].flatMap(first => [...ALPHABET].map(second => first + second))
  const known = Intl.NumberFormat.supportedLocalesOf(tags)
  return new Map(
    NAMES_IN.flatMap(language => {
      const names = new Intl.DisplayNames(language, { type: 'language', fallback: 'none' })
      return known.flatMap((tag): [string, string][] => {
        const name = names.of(tag)?.toLowerCase()
        return name === undefined ? [] : [[name, tag]]
      })
    }),
  )
}

function canonical(locale: unknown): string | undefined {
  try {
    return typeof locale === 'string' ? Intl.getCanonicalLocales(locale)[0] : undefined
  } catch {
    return undefined
  }
}
