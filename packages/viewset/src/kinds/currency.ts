/** Signs, also with letters (`US$`, `$US`), and the abbreviations that stand for a sign. Currencies have codes, too. */
const SIGN = '\\p{Lu}{0,3}\\p{Sc}\\p{Lu}{0,3}|kr\\.?|zł|Kč|Ft|Fr\\.|lei|лв\\.|руб\\.|[A-Z]{3}'
const MONEY = new RegExp(`^([+\u2212-]?)\\s*(?:(${SIGN})\\s*)?([+\u2212-]?[.\\p{Nd}].*?)\\s*(${SIGN})?$`, 'u')
/** Bounds the time for a text of many blanks. */
const LONGEST = 60

let codes: ReadonlySet<string> | undefined

/** The number of `89.90 €`, `-$5` or `EUR 1,000`. Other texts, also those with another unit, stay as they are. */
export function withoutCurrency(text: string): string {
  if (text.length > LONGEST) return text
  const [, sign = '', before, number, after] = MONEY.exec(text) ?? []
  const currency = before ?? after
  if (number === undefined || currency === undefined || (before !== undefined && after !== undefined)) return text
  return isCurrency(currency) ? sign + number : text
}

function isCurrency(sign: string): boolean {
  if (!/^[A-Z]{3}$/.test(sign)) return true
  codes ??= new Set(Intl.supportedValuesOf('currency'))
  return codes.has(sign)
}

const WITH_SIGN = /^[+\u2212-]?\s*(?:\p{Sc}\s*[+\u2212-]?\d.*|[+\u2212-]?\d.*\p{Sc})$/u

/**
 * The number of `5 €`, for whole numbers. A code may be part of a key (`TOP 2` is no amount in Tongan pa'anga), so only a
 * sign counts.
 */
export function withoutCurrencySign(text: string): string {
  return WITH_SIGN.test(text) ? withoutCurrency(text) : text
}
