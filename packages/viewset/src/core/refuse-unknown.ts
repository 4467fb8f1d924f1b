import { ConfigError } from './errors.ts'
import { suggestion } from './suggestion.ts'

/** @throws ConfigError for the first of `names` that is not known, saying which one may have been meant. */
export function refuseUnknown(
  subject: string,
  what: 'option' | 'setting',
  names: readonly string[],
  known: readonly string[],
): void {
  const stranger = names.find(name => !known.includes(name))
  if (stranger !== undefined) throw new ConfigError(subject, stranger, `unknown ${what}${suggestion(stranger, known)}`)
}
