/** Signs, also with letters (`US$`, `$US`), and the abbreviations that stand for a sign. Currencies have codes, too. */
const SIGN = '\\p{L}{0,3}\\p{Sc}\\p{L}{0,3}|kr\\.?|zł|Kč|Ft|Fr\\.|lei|лв\\.|руб\\.|[A-Z]{3}'
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
