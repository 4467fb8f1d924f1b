import { suggestion } from '../../core/suggestion.ts'
import type { ConfigCheck } from '../plan/config-check.ts'
import { type LocaleForms, localeForms } from './locale-forms.ts'

/** @throws ConfigError for a tag that is none, for an unknown language, and for a calendar that is not read */
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
