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

/** Words that stand beside one of totals, in all languages of the messages. `Total Quartz` may be a product. */
const FURTHER: ReadonlySet<string> = new Set([
  ...[
    'grand',
    'net',
    'gross',
    'overall',
    'final',
    'sub',
    'running',
    'amount',
    'sum',
    'all',
    'excl',
    'incl',
    'vat',
    'tax',
  ],
  ...['netto', 'brutto', 'betrag', 'zzgl', 'inkl', 'exkl', 'mwst'],
  ...['général', 'générale', 'sous', 'ht', 'ttc', 'montant', 'hors', 'brut', 'nette'],
  ...['general', 'neto', 'bruto', 'importe', 'iva', 'parcial'],
  ...['eur', 'usd', 'gbp', 'chf', 'jpy'],
])

/** A part of each word, so that most texts need no closer look. */
const MAY_HAVE_WORD = /tota|sum|somm|gesamt|[合総小累]計/iu

/** Characters beside a Japanese word that count as one further word. */
const FURTHER_CHARACTERS = 3

/** Whether a text is the label of a row of totals: such a word, also with a colon, a year or a word such as `net`. */
export function isTotalsLabel(text: string): boolean {
  if (text.length > LONGEST || !MAY_HAVE_WORD.test(text) || !hasTotalsWord(text)) return false
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  const isOfTotals = (word: string) => WORDS.has(word) || FURTHER.has(word) || /^\p{N}+$/u.test(word)
  const japanese = JAPANESE.find(word => text.includes(word))
  if (japanese === undefined) return words.every(isOfTotals)
  return text.replace(/[:：\s]/gu, '').length <= japanese.length + FURTHER_CHARACTERS
}

/** Digits with separators, perhaps with a sign, a currency or a percent sign, in any language. */
const NUMBER = /^[-+−(]?\s*(?:\p{Sc}|[A-Z]{3}\s)?\s*[-+−]?\d[\d.,'’\s]*(?:\p{Sc}|[A-Z]{3}|%)?\)?-?$/u

/** Whether a text looks like a number. Which one does not matter. */
export function isNumberText(text: string): boolean {
  return text.length <= LONGEST && NUMBER.test(text)
}
