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
