import { type Message, message } from '../../core/messages/message.ts'
import { suggestion } from '../../core/suggestion.ts'
import { shownValue } from '../../core/text.ts'
import { CellProblem } from '../../kinds/cells.ts'
import { kindOf } from '../../kinds/kinds.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import type { TabularKind } from '../../tabular/table.ts'
import type { ConfigCheck } from '../plan/config-check.ts'
import { dateReader, timeReader } from './dates.ts'
import { numberReader, plainText } from './locale-text.ts'
import { truthWords } from './truth-words.ts'

export interface LocaleForm {
  read(text: string): string | CellProblem
  write(value: string | number | bigint | boolean): string
  /** A sentence for people; `undefined` if there is nothing to say. */
  readonly note: Message | undefined
}

export type LocaleForms = { readonly [K in TabularKind]?: LocaleForm }

/** A date with the year first is ISO in every locale. */
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/
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
export function formOf({ ownKind, ...info }: ColumnInfo, forms: LocaleForms): LocaleForm | undefined {
  const { tabular, readCell } = kindOf(info)
  return ownKind && ownKind.readCell !== readCell ? undefined : forms[tabular]
}

function numberForm(locale: string, example: number): LocaleForm {
  const plain = plainText(locale)
  const read = numberReader(locale, plain)
  const format = new Intl.NumberFormat(locale, { useGrouping: 'always' })
  const point = format.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.'
  const write = (value: unknown) => String(value).replace('.', plain(point))
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
    ISO_DATE.test(String(value)) ? plain(format.format(new Date(`${value}T00:00:00Z`))) : String(value)
  const local = plain(format.format(EXAMPLE_DAY))
  return {
    read(text) {
      if (ISO_DATE.test(text.trim())) return text
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
  const local = `${writeDay('2026-12-31')} 14:30`
  return {
    read(text) {
      if (ISO_MOMENT.test(text.trim())) return text
      const found = readDay(text)
      if (found?.rest.trim() === '') return found.day
      // Some languages put a word or a comma before the time.
      const time = found && readTime(found.rest.replace(/^[\s,،(]*(?:klo )?|\)$/g, ''))
      if (found && time !== undefined) return `${found.day}T${time}`
      return new CellProblem(message('invalid_datetime.form', { value: shownValue(text), local }))
    },
    write: value => String(value),
    note: message('template.datetime_form', { local }),
  }
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

/** @throws ConfigError for an invalid tag, an unknown language, and a calendar other than the Gregorian */
export function readLocale(check: ConfigCheck, locale: string): LocaleForms {
  const tag = canonical(locale)
  if (tag === undefined) {
    const known = canonical(String(locale).replaceAll('_', '-'))
    const hint = known === undefined ? '; write a language tag, such as "de-DE"' : suggestion(String(locale), [known])
    return check.refuse('locale', `"${locale}" is not a language tag${hint}`)
  }
  const isKnown = Intl.NumberFormat.supportedLocalesOf(tag).length > 0
  check.that(isKnown, 'locale', `nothing is known of "${tag}"; write a language tag, such as "de-DE"`)
  const { calendar } = new Intl.DateTimeFormat(tag).resolvedOptions()
  const gregorian = new Intl.Locale(tag, { calendar: 'gregory' })
  const problem = `dates of the calendar "${calendar}" cannot be read; write "${gregorian}" for files with others`
  check.that(calendar === 'gregory', 'locale', problem)
  return localeForms(tag)
}

function canonical(locale: unknown): string | undefined {
  try {
    return typeof locale === 'string' ? Intl.getCanonicalLocales(locale)[0] : undefined
  } catch {
    return undefined
  }
}
