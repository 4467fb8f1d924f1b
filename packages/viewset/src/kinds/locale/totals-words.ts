/** Words of rows with totals, in all languages of the messages: the file's language is not that of the client. */
const WORDS: ReadonlySet<string> = new Set([
  // English
  'total',
  'totals',
  'sum',
  'subtotal',
  'subtotals',
  // German
  'summe',
  'gesamt',
  'insgesamt',
  'gesamtsumme',
  'gesamtbetrag',
  'zwischensumme',
  'endsumme',
  // French
  'totaux',
  'somme',
  // Spanish
  'totales',
  'subtotales',
  'suma',
])

/** Japanese has no blanks between words. */
const JAPANESE = ['合計', '総計', '小計', '累計']

const LONGEST = 60

/** Whether a text has a word like `Total` or `Summe`. Long texts are no labels. */
export function hasTotalsWord(text: string): boolean {
  if (text.length > LONGEST) return false
  return (
    text
      .toLowerCase()
      .split(/[^\p{L}]+/u)
      .some(word => WORDS.has(word)) || JAPANESE.some(word => text.includes(word))
  )
}

/** A part of each word, so that most texts need no closer look. */
const MAY_HAVE_WORD = /tota|sum|somm|gesamt|[合総小累]計/iu

/** Characters beside a Japanese word that count as one further word. */
const FURTHER_CHARACTERS = 3

/** Whether a text is the label of a row of totals: such a word, also with a colon and with one further word. */
export function isTotalsLabel(text: string): boolean {
  if (text.length > LONGEST || !MAY_HAVE_WORD.test(text)) return false
  const words = text.split(/\s+/u).filter(part => /[\p{L}\p{N}]/u.test(part))
  if (words.length > 2 || !hasTotalsWord(text)) return false
  const japanese = JAPANESE.find(word => text.includes(word))
  return japanese === undefined || text.replace(/[:：\s]/gu, '').length <= japanese.length + FURTHER_CHARACTERS
}

/** Digits with separators, perhaps with a sign, a currency or a percent sign, in any language. */
const NUMBER = /^[-+−(]?\s*(?:\p{Sc}|[A-Z]{3}\s)?\s*[-+−]?\d[\d.,'’\s]*(?:\p{Sc}|[A-Z]{3}|%)?\)?-?$/u

/** Whether a text looks like a number. Which one does not matter. */
export function isNumberText(text: string): boolean {
  return text.length <= LONGEST && NUMBER.test(text)
}
