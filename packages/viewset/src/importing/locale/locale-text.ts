/** Marks for the direction of writing, which are not to be seen. */
const MARKS = /[\u061C\u200E\u200F]/g
/** Blanks of all widths, that keep a line together or not. */
const BLANKS = /[\s\u00A0\u2009\u202F]+/g

/** Text as it looks: without marks that cannot be seen, with plain blanks, and with the digits 0 to 9. */
export type Plain = (text: string) => string

/** How the text of a locale becomes plain, whatever digits it is written in. */
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

/** A pattern that matches just this text. */
export function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** Reads a number that is written as people of a locale do; as code writes it, or `undefined` for a text that is none. */
type NumberReader = (text: string) => string | undefined

/** Long enough to show how many digits stand between two marks: three, or two in India. */
const LONG = 12_345_678_901.5

/**
 * Reads what {@link Intl.NumberFormat} writes, with or without marks between the thousands. Marks that stand elsewhere
 * make it another number, or none: that is refused.
 */
export function numberReader(locale: string, plain: Plain): NumberReader {
  const parts = new Intl.NumberFormat(locale, { useGrouping: 'always' }).formatToParts(LONG)
  const textOf = (type: string) => plain(`x${parts.find(part => part.type === type)?.value ?? ''}x`).slice(1, -1)
  const groups = parts.filter(({ type }) => type === 'integer').map(({ value }) => plain(value).length)
  const last = groups.at(-1) ?? 3
  const middle = groups.at(-2) ?? last
  const group = oneOf(textOf('group'))
  const decimal = literally(textOf('decimal'))
  // `0,001` is a fraction to whoever writes it, and no thousand.
  const grouped = `[1-9]\\d{0,${middle - 1}}(?:${group}\\d{${middle}})*${group}\\d{${last}}`
  const pattern = new RegExp(`^([+-]?)(\\d+|${grouped})(?:${decimal}(\\d+))?(e[+-]?\\d{1,3})?$`, 'i')
  return text => {
    const [, sign, whole, fraction, exponent = ''] = pattern.exec(plain(text).replace('\u2212', '-')) ?? []
    if (whole === undefined) return undefined
    const digits = whole.replace(/\D/g, '')
    return `${sign}${digits}${fraction === undefined ? '' : `.${fraction}`}${exponent}`
  }
}

/** An apostrophe is typed in two ways. */
function oneOf(group: string): string {
  return group === "'" || group === '’' ? "['’]" : literally(group)
}
