import { withoutCurrency } from '../currency.ts'

const MARKS = /[\u061C\u200E\u200F]/g
const BLANKS = /[\s\u00A0\u2009\u202F]+/g

export type Plain = (text: string) => string

/** Converts text of a locale: without invisible marks, with plain blanks, and with the digits 0 to 9. */
export function plainText(locale: string): Plain {
  const format = new Intl.NumberFormat(locale, { useGrouping: false })
  const digits = [...Array(10).keys()].map(digit => format.format(digit).replace(MARKS, ''))
  const byDigit = new Map(digits.map((written, digit) => [written, String(digit)]))
  const isLatin = digits.join('') === '0123456789'
  return text => {
    const seen = text.replace(MARKS, '').replace(BLANKS, ' ').trim()
    return isLatin ? seen : [...seen].map(character => byDigit.get(character) ?? character).join('')
  }
}

export function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

type NumberReader = (text: string) => string | undefined

/** Long enough to show the group sizes: three digits, or two in India. */
const LONG = 12_345_678_901.5

/**
 * Reads numbers as {@link Intl.NumberFormat} writes them, with or without group separators and a currency. Separators in
 * other places are rejected.
 */
export function numberReader(locale: string, plain: Plain): NumberReader {
  const parts = new Intl.NumberFormat(locale, { useGrouping: 'always' }).formatToParts(LONG)
  const textOf = (type: string) => plain(`x${parts.find(part => part.type === type)?.value ?? ''}x`).slice(1, -1)
  const groups = parts.filter(({ type }) => type === 'integer').map(({ value }) => plain(value).length)
  const last = groups.at(-1) ?? 3
  const middle = groups.at(-2) ?? last
  const group = oneOf(textOf('group'))
  const decimal = literally(textOf('decimal'))
  // `0,001` is a fraction and not a grouped number.
  const grouped = `[1-9]\\d{0,${middle - 1}}(?:${group}\\d{${middle}})*${group}\\d{${last}}`
  const pattern = new RegExp(`^([+-]?)(\\d+|${grouped})(?:${decimal}(\\d+))?(e[+-]?\\d{1,3})?$`, 'i')
  return text => {
    const seen = plain(text).replace('\u2212', '-')
    const [, sign, whole, fraction, exponent = ''] = pattern.exec(seen) ?? pattern.exec(withoutCurrency(seen)) ?? []
    if (whole === undefined) return undefined
    const digits = whole.replace(/\D/g, '')
    return `${sign}${digits}${fraction === undefined ? '' : `.${fraction}`}${exponent}`
  }
}

/** People type two kinds of apostrophe. */
function oneOf(group: string): string {
  return group === "'" || group === '’' ? "['’]" : literally(group)
}
