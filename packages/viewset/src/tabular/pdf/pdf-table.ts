import type { CellRow, TabularColumn } from '../table.ts'
import { displayText } from './display.ts'
import { type FontFiles, Fonts, type Weight } from './fonts.ts'
import { graphemes } from './graphemes.ts'
import { MARGIN, PADDING, type PageLayout, type PageSize, pageLayout } from './page-layout.ts'
import { PageNumbers } from './page-numbers.ts'
import { createDocument, type PdfDocument } from './pdfkit.ts'
import { wrapText } from './wrap.ts'

const SIZE = 8
const TITLE_SIZE = 15
const FOOTER_SIZE = 7
/** Between the baselines of two lines. */
const LINE = SIZE * 1.3
/** Above and below the text of a row. */
const GAP = 3.5
const MOST_HEADER_LINES = 6
const MOST_TITLE_LINES = 3
/** Rows by which columns without a width are measured. */
const SAMPLE = 300

const COLOR = {
  title: '#111827',
  text: '#1F2937',
  header: '#FFFFFF',
  headerFill: '#334155',
  shade: '#F1F5F9',
  footer: '#64748B',
}

export interface PdfTableOptions {
  readonly columns: readonly TabularColumn[]
  readonly title: string
  readonly pageSize: PageSize
  readonly fonts: FontFiles
}

type Lines = readonly (readonly string[])[]

/**
 * One table as a PDF document, page by page: a title, then rows under a header that every page repeats. Its work is
 * all in the calling thread; {@link take} gives what has been made so far.
 */
export class PdfTable {
  /** Texts that were too long for a cell. */
  cuts = 0
  readonly #document: PdfDocument
  readonly #options: PdfTableOptions
  readonly #fonts: Fonts
  readonly #numbers: PageNumbers
  #layout: PageLayout | undefined
  #header: Lines = []
  /** Where the next row begins, from the top of the page. */
  #y = 0
  #isShaded = false

  private constructor(document: PdfDocument, options: PdfTableOptions) {
    this.#document = document
    this.#options = { ...options, title: displayText(options.title, 'text', () => {}) }
    this.#fonts = new Fonts(document, options.fonts)
    this.#numbers = new PageNumbers(document, this.#fonts.main('regular'), FOOTER_SIZE)
  }

  /** @throws TabularError `missing_package` or `bad_font` */
  static async create(options: PdfTableOptions): Promise<PdfTable> {
    return new PdfTable(await createDocument({ title: options.title }), options)
  }

  /** Characters that no font has. */
  get missing(): ReadonlySet<string> {
    return this.#fonts.missing
  }

  add(rows: readonly CellRow[]): void {
    const { columns } = this.#options
    const onCut = () => this.cuts++
    const texts = rows.map(row => columns.map(({ kind }, i) => displayText(row[i] ?? null, kind, onCut)))
    const layout = this.#begin(texts)
    for (const row of texts) this.#addRow(row.map((text, i) => this.#wrap(text, layout.widths[i]!, 'regular')))
  }

  /** Ends the document; nothing can be added any more. */
  end(): void {
    this.#begin([])
    this.#numbers.end()
    this.#document.end()
  }

  /** The bytes made since the last call. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes: unknown = this.#document.read()
    return bytes instanceof Uint8Array ? new Uint8Array(bytes) : new Uint8Array()
  }

  /** Starts the first page. Only the rows at hand can be measured for it. */
  #begin(texts: Lines): PageLayout {
    if (this.#layout) return this.#layout
    const { columns, pageSize } = this.#options
    const sample = texts.slice(0, SAMPLE)
    const measure = { header: this.#measure('bold'), body: this.#measure('regular') }
    const layout = pageLayout(
      columns,
      columns.map((_, i) => sample.map(row => row[i]!)),
      measure,
      pageSize,
    )
    this.#layout = layout
    this.#header = columns.map(({ header }, i) => {
      const lines = this.#wrap(
        displayText(header, 'text', () => this.cuts++),
        layout.widths[i]!,
        'bold',
      )
      return firstLines(lines, MOST_HEADER_LINES)
    })
    this.#addPage()
    return layout
  }

  #addRow(lines: Lines): void {
    const room = this.#bottom - this.#top
    let rest = lines
    while (this.#y + rowHeight(rest) > this.#bottom) {
      // A row is cut in two only if it is higher than a page.
      const fitting = rowHeight(rest) > room ? Math.floor((this.#bottom - this.#y - 2 * GAP) / LINE) : 0
      if (fitting > 0) {
        this.#drawRow(rest.map(cell => cell.slice(0, fitting)))
        rest = rest.map(cell => cell.slice(fitting))
      }
      this.#addPage()
    }
    this.#drawRow(rest)
  }

  #drawRow(lines: Lines): void {
    if (this.#isShaded) this.#band(rowHeight(lines), COLOR.shade)
    this.#document.fillColor(COLOR.text)
    this.#drawLines(lines, 'regular')
    this.#isShaded = !this.#isShaded
  }

  #addPage(): void {
    const isFirst = this.#numbers.count === 0
    this.#document.addPage({ size: this.#layout!.size, margin: 0 })
    this.#y = MARGIN
    if (isFirst) this.#drawTitle()
    this.#drawFooter(isFirst)
    this.#band(rowHeight(this.#header), COLOR.headerFill)
    this.#document.fillColor(COLOR.header)
    this.#drawLines(this.#header, 'bold')
    this.#isShaded = false
  }

  #drawTitle(): void {
    const { title } = this.#options
    if (title === '') return
    const width = this.#layout!.size[0] - 2 * MARGIN
    const lines = wrapText(title, width, text => this.#fonts.width(text, TITLE_SIZE, 'bold'))
    this.#document.fillColor(COLOR.title)
    for (const line of firstLines(lines, MOST_TITLE_LINES)) {
      this.#fonts.draw(line, MARGIN, this.#y + TITLE_SIZE, TITLE_SIZE, 'bold')
      this.#y += TITLE_SIZE * 1.3
    }
    this.#y += 8
  }

  #drawFooter(isFirst: boolean): void {
    const [width, height] = this.#layout!.size
    const baseline = height - MARGIN + 14
    const notes = [isFirst ? '' : graphemes(this.#options.title.split('\n')[0]!).slice(0, 60).join('')]
    if (this.#options.columns.some(({ kind }) => kind === 'timestamp')) notes.push('Times are in UTC')
    this.#document.fillColor(COLOR.footer)
    this.#fonts.draw(notes.filter(note => note !== '').join('  ·  '), MARGIN, baseline, FOOTER_SIZE, 'regular')
    this.#numbers.reserve(width - MARGIN, baseline)
  }

  /** Draws the lines of each cell and moves below them. */
  #drawLines(lines: Lines, weight: Weight): void {
    const first = this.#y + GAP + SIZE
    let x = MARGIN
    this.#options.columns.forEach((column, i) => {
      const width = this.#layout!.widths[i]!
      const share = leftShare(column)
      lines[i]?.forEach((line, n) => {
        const rest = share === 0 ? 0 : width - 2 * PADDING - this.#fonts.width(line, SIZE, weight)
        this.#fonts.draw(line, x + PADDING + share * rest, first + n * LINE, SIZE, weight)
      })
      x += width
    })
    this.#y += rowHeight(lines)
  }

  #band(height: number, color: string): void {
    const width = this.#layout!.widths.reduce((sum, each) => sum + each, 0)
    this.#document.rect(MARGIN, this.#y, width, height).fill(color)
  }

  #wrap(text: string, width: number, weight: Weight): readonly string[] {
    // A hair more than was measured: sums of the same numbers may differ in their last digits.
    return text === '' ? [] : wrapText(text, width - 2 * PADDING + 0.01, this.#measure(weight))
  }

  #measure(weight: Weight): (text: string) => number {
    return text => this.#fonts.width(text, SIZE, weight)
  }

  /** Where rows begin on every page but the first. */
  get #top(): number {
    return MARGIN + rowHeight(this.#header)
  }

  get #bottom(): number {
    return this.#layout!.size[1] - MARGIN
  }
}

const LEFT_SHARES = { left: 0, center: 0.5, right: 1 }

/** How much of a cell's free room is at the left of its text: all of it for numbers, where nothing is said. */
function leftShare({ kind, align }: TabularColumn): number {
  const isNumber = kind === 'integer' || kind === 'decimal' || kind === 'float'
  return LEFT_SHARES[align ?? (isNumber ? 'right' : 'left')]
}

function rowHeight(lines: Lines): number {
  return lines.reduce((most, { length }) => Math.max(most, length), 1) * LINE + 2 * GAP
}

function firstLines(lines: readonly string[], most: number): readonly string[] {
  return lines.length > most ? [...lines.slice(0, most - 1), '…'] : lines
}
