import type { Fonts } from './fonts.ts'
import { graphemes, MARGIN } from './page-layout.ts'
import type { PdfDocument, PdfFont, PdfReference } from './pdfkit.ts'

const SIZE = 7
const LINE = SIZE * 1.4
/** Room for the numbers of rows and pages. */
const NUMBERS = 200
const MOST_TITLE = 60
const COLOR = '#64748B'
const COLOR_OPERATOR = '0.39 0.45 0.55 rg'

/** The words of a document, in the language of the client. */
export interface PdfWords {
  /** With `{page}` and `{pages}`. */
  readonly page: string
  /** With `{rows}`. */
  readonly rows: string
  /** With `{filters}`. */
  readonly filters: string
  /** With `{sign}`. */
  readonly missing: string
  readonly utc: string
  readonly yes: string
  readonly no: string
}

interface FooterTexts {
  readonly title: string
  readonly filters: string
  readonly notes: readonly string[]
}

/**
 * The footer of each page: title, date, filters, and the numbers of rows and pages. Both totals are unknown before the
 * last page, and no page is kept. So each page refers to a form, and the forms are written at the end.
 */
export class PageFooter {
  readonly #document: PdfDocument
  readonly #fonts: Fonts
  readonly #font: PdfFont
  readonly #texts: FooterTexts
  readonly #words: Pick<PdfWords, 'page' | 'rows'>
  readonly #forms: PdfReference[] = []

  constructor(document: PdfDocument, fonts: Fonts, texts: FooterTexts, words: Pick<PdfWords, 'page' | 'rows'>) {
    this.#document = document
    this.#fonts = fonts
    this.#font = fonts.main('regular')
    this.#texts = texts
    this.#words = words
  }

  get pages(): number {
    return this.#forms.length
  }

  draw([width, height]: readonly [number, number]): void {
    const { title, filters, notes } = this.#texts
    const shortTitle = graphemes(title.split('\n')[0]!).slice(0, MOST_TITLE).join('')
    // The first page has the title above.
    const texts = [...notes, ...(this.pages === 0 ? [] : [shortTitle])].filter(text => text !== '')
    const room = width - 2 * MARGIN
    const baseline = height - MARGIN + 14
    this.#document.fillColor(COLOR)
    this.#line(texts.join('  ·  '), baseline, room - NUMBERS)
    this.#line(filters, baseline + LINE, room)
    this.#reserve(width - MARGIN, baseline)
  }

  end(rows: number): void {
    const { page, rows: rowsText } = this.#words
    this.#forms.forEach((form, index) => {
      const numbers = page.replace('{page}', String(index + 1)).replace('{pages}', String(this.pages))
      const text = `${rowsText.replace('{rows}', String(rows))}  ·  ${numbers}`
      const left = -this.#font.width(text, SIZE)
      const shown = this.#font.encode(text) ?? '<>'
      form.end(`${COLOR_OPERATOR} BT /${this.#font.id} ${SIZE} Tf ${left} 0 Td ${shown} Tj ET`)
    })
  }

  #line(text: string, baseline: number, room: number): void {
    const line = this.#fitting(text.replaceAll('\n', ' '), room)
    if (line !== '') this.#fonts.draw(line, MARGIN, baseline, SIZE, 'regular')
  }

  #fitting(text: string, room: number): string {
    const fits = (line: string) => this.#fonts.width(line, SIZE, 'regular') <= room
    if (fits(text)) return text
    const parts = graphemes(text)
    let [shown, cut] = [0, parts.length]
    while (cut - shown > 1) {
      const middle = (shown + cut) >> 1
      if (fits(`${parts.slice(0, middle).join('')}…`)) shown = middle
      else cut = middle
    }
    return `${parts.slice(0, shown).join('')}…`
  }

  /** A place on the current page for text that ends at `right` on `baseline`. */
  #reserve(right: number, baseline: number): void {
    const form = this.#document.ref({
      Type: 'XObject',
      Subtype: 'Form',
      BBox: [-NUMBERS, -SIZE, 0, SIZE],
      Resources: { Font: { [this.#font.id]: this.#font.reference } },
    })
    this.#document.page.xobjects.PageNumber = form
    // As in PdfFont.draw, the page counts from the top.
    this.#document.addContent(`q 1 0 0 -1 ${right} ${baseline} cm /PageNumber Do Q`)
    this.#forms.push(form)
  }
}

const MOST_CODES = 20

/** `U+4E2D U+6587` */
export function characterCodes(characters: readonly string[]): string {
  const codes = characters
    .slice(0, MOST_CODES)
    .map(character => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`)
  return `${codes.join(' ')}${characters.length > MOST_CODES ? ' ...' : ''}`
}
