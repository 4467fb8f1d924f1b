import type { Cell, CellRow, TabularColumn, TabularKind } from '../table.ts'
import { fitCell } from '../writer.ts'
import { type FontFiles, Fonts, type Weight } from './fonts.ts'
import { PageFooter, type PdfWords } from './page-footer.ts'
import { MARGIN, PADDING, type PageLayout, type PageSize, pageLayout, wrapText } from './page-layout.ts'
import { createDocument, type PdfDocument } from './pdfkit.ts'

const SIZE = 8
const TITLE_SIZE = 15
const NOTE_SIZE = 7
const NOTE_LINE = NOTE_SIZE * 1.4
const LINE = SIZE * 1.3
const GAP = 3.5
const MOST_HEADER_LINES = 6
const MOST_TITLE_LINES = 3
/** In points. No character is wider. */
const WIDE = 120
/** A character with its marks and joiners, in UTF-16 units. */
const LONGEST_CHARACTER = 30
/** Rows for measuring columns without a width. */
const SAMPLE = 300

const COLOR = {
  title: '#111827',
  text: '#1F2937',
  header: '#FFFFFF',
  headerFill: '#334155',
  shade: '#F1F5F9',
  note: '#64748B',
}

export interface PdfTableOptions {
  readonly columns: readonly TabularColumn[]
  readonly title: string
  readonly filters: string
  readonly created: string
  readonly pageSize: PageSize
  readonly fonts: FontFiles
  /** English stands in where no font has the letters of the client's language. */
  readonly words: { readonly local: PdfWords; readonly english: PdfWords }
}

type Lines = readonly (readonly string[])[]

/**
 * One table as a PDF document: a title, then rows under a header that every page repeats. Synchronous; {@link take}
 * returns the bytes so far.
 */
export class PdfTable {
  cuts = 0
  readonly #document: PdfDocument
  readonly #options: PdfTableOptions
  readonly #fonts: Fonts
  readonly #words: PdfWords
  readonly #footer: PageFooter
  #rows = 0
  #layout: PageLayout | undefined
  #header: Lines = []
  #y = 0
  #isShaded = false

  private constructor(document: PdfDocument, options: PdfTableOptions) {
    this.#document = document
    this.#fonts = new Fonts(document, options.fonts)
    const { columns, created, words } = options
    this.#words = this.#fonts.covers(Object.values(words.local).join('')) ? words.local : words.english
    const asText = (text: string) => displayText(text, 'text', { words: this.#words })
    this.#options = { ...options, title: asText(options.title) }
    const hasTimes = columns.some(({ kind }) => kind === 'timestamp')
    const texts = {
      title: this.#options.title,
      filters: options.filters === '' ? '' : asText(this.#words.filters.replace('{filters}', () => options.filters)),
      notes: [created, ...(hasTimes ? [this.#words.utc] : [])],
    }
    // The numbers are set in the main font.
    const { page, rows } = words.local
    const isInMain =
      this.#fonts.main('regular').encode(page + rows) !== undefined && this.#fonts.mainCovers(page + rows)
    this.#footer = new PageFooter(document, this.#fonts, texts, isInMain ? words.local : words.english)
  }

  static async create(options: PdfTableOptions): Promise<PdfTable> {
    return new PdfTable(await createDocument({ title: options.title }), options)
  }

  get missing(): ReadonlySet<string> {
    return this.#fonts.missing
  }

  add(rows: readonly CellRow[]): void {
    const { columns } = this.#options
    const shown = { words: this.#words, onCut: () => this.cuts++ }
    const texts = rows.map(row => columns.map(({ kind }, i) => displayText(row[i] ?? null, kind, shown)))
    this.#rows += rows.length
    const layout = this.#begin(texts)
    for (const row of texts) this.#addRow(row.map((text, i) => this.#wrap(text, layout.widths[i]!, 'regular')))
  }

  end(): void {
    this.#begin([])
    this.#drawMissing()
    this.#footer.end(this.#rows)
    this.#document.end()
  }

  take(): Uint8Array<ArrayBuffer> {
    const bytes: unknown = this.#document.read()
    return bytes instanceof Uint8Array ? new Uint8Array(bytes) : new Uint8Array()
  }

  /** Starts the first page. Only the available rows are measured. */
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
        displayText(header, 'text', { words: this.#words, onCut: () => this.cuts++ }),
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
      // Only a row higher than a page is split.
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
    this.#document.addPage({ size: this.#layout!.size, margin: 0 })
    this.#y = MARGIN
    if (this.#footer.pages === 0) this.#drawTitle()
    this.#footer.draw(this.#layout!.size)
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

  /** Says below the rows what the sign for missing characters stands for. */
  #drawMissing(): void {
    if (this.missing.size === 0) return
    const text = this.#words.missing.replace('{sign}', this.#fonts.missingSign)
    const width = this.#layout!.size[0] - 2 * MARGIN
    const lines = wrapText(text, width, line => this.#fonts.width(line, NOTE_SIZE, 'regular'))
    if (this.#y + (lines.length + 1) * NOTE_LINE > this.#bottom) this.#addPage()
    this.#document.fillColor(COLOR.note)
    for (const line of lines) {
      this.#y += NOTE_LINE
      this.#fonts.draw(line, MARGIN, this.#y, NOTE_SIZE, 'regular')
    }
  }

  #drawLines(lines: Lines, weight: Weight): void {
    const first = this.#y + GAP + SIZE
    let x = MARGIN
    this.#options.columns.forEach((column, i) => {
      const width = this.#layout!.widths[i]!
      const share = leftShare(column)
      lines[i]?.forEach((line, n) => {
        const room = width - 2 * PADDING
        const mayBeWide = room < WIDE && line.length <= LONGEST_CHARACTER
        const needed = share === 0 && !mayBeWide ? 0 : this.#fonts.width(line, SIZE, weight)
        // A character that is wider than its column becomes smaller.
        const size = needed > room + 0.1 ? (SIZE * room) / needed : SIZE
        const rest = needed > room ? 0 : room - needed
        this.#fonts.draw(line, x + PADDING + share * rest, first + n * LINE, size, weight)
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
    // Slightly wider, because floating-point sums differ in their last digits.
    return text === '' ? [] : wrapText(text, width - 2 * PADDING + 0.01, this.#measure(weight))
  }

  #measure(weight: Weight): (text: string) => number {
    return text => this.#fonts.width(text, SIZE, weight)
  }

  get #top(): number {
    return MARGIN + rowHeight(this.#header)
  }

  get #bottom(): number {
    return this.#layout!.size[1] - MARGIN
  }
}

const LEFT_SHARES = { left: 0, center: 0.5, right: 1 }

/** The share of a cell's free width at the left of its text. Default: all for numbers. */
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

interface DisplayOptions {
  readonly words: PdfWords
  readonly onCut?: () => void
}

/** A cell for people: times without fraction and zone (UTC), words for booleans, tabs as blanks. */
export function displayText(cell: Cell, kind: TabularKind, { words, onCut = () => {} }: DisplayOptions): string {
  if (cell === null) return ''
  if (typeof cell === 'boolean') return cell ? words.yes : words.no
  if (typeof cell !== 'string') return String(cell)
  if (kind === 'timestamp') return cell.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2')
  const text = fitCell(cell, onCut)
  return /[\t\r]/.test(text) ? text.replace(/\r\n?/g, '\n').replaceAll('\t', '  ') : text
}

/** The worker answers each message with an {@link Answer} before it reads the next. */
export type Task = { readonly rows: readonly CellRow[] } | 'end'

export type Answer =
  /** The bytes so far. */
  | { readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly missing: readonly string[]; readonly cuts: number }
