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
