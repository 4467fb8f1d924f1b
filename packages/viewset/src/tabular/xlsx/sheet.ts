import { type CellRow, isColored, type RowBatches, type TabularColumn } from '../table.ts'
import { CHUNK_LENGTH, fitCell, type WriteOptions } from '../writer.ts'
import { cellWriter, columnLetters, textCell } from './cells.ts'
import type { ChoiceLists } from './choice-lists.ts'
import { NOTES_RELATION } from './notes.ts'
import { OFFICE_RELATIONS } from './parts.ts'
import { columnStyle, headerStyle, withIndents } from './styles.ts'
import { columnWidths, headerLines, totalWidth } from './widths.ts'

export const MOST_ROWS = 1_048_576
export const MOST_COLUMNS = 16_384
const ROW_HEIGHT = 15
/** Excel's rows have at most 409 points. */
const MOST_LINES = 27
/** The next sheet begins after this many characters of XML. They take 1 to 3 bytes each, and ZIP counts to 4 GiB. */
const LONGEST = 1_300_000_000

interface SheetOptions {
  readonly mostRows: number
  readonly isSelected: boolean
  readonly hasNotes: () => boolean
  readonly onCut: () => void
  readonly choiceLists: ChoiceLists
  readonly localTime?: WriteOptions['localTime']
  /** The number of columns that stay in view beside the header. */
  readonly frozenColumns?: number | undefined
}

/**
 * The XML of a worksheet: widths, a bold frozen header with a filter, and rows from `cursor` until it ends or the sheet
 * is full. It prints one page wide. Widths come before the rows, so missing ones are estimated from the first rows.
 */
export async function* sheetXml(
  given: readonly TabularColumn[],
  cursor: RowCursor,
  { mostRows, isSelected, hasNotes, onCut, choiceLists, localTime, frozenColumns = 0 }: SheetOptions,
): AsyncGenerator<string> {
  const columns = withIndents(given)
  const letters = columns.map((_, index) => columnLetters(index))
  let rows = await cursor.peek()
  const widths = columnWidths(columns, rows)
  const writers = columns.map((column, index) => cellWriter(column, onCut, { width: widths[index], localTime }))
  // Only texts wrap: a moment is written as a number.
  const wraps = columns.map(({ kind, isShrunk }, index) =>
    (kind === 'text' || kind === 'mixed') && !isShrunk ? widths[index] : undefined,
  )
  const writeBeyond = cellWriter({ header: '', kind: 'mixed' }, onCut)
  const header = columns.map((column, i) =>
    textCell(fitCell(column.header, onCut), `${letters[i]}1`, headerStyle(column)),
  )
  const lines = columns.reduce((most, column, i) => Math.max(most, headerLines(column.header, widths[i]!)), 1)
  const view = viewXml(isSelected, frozenColumns)
  let text = `${start(columns, widths, view)}<row r="1"${heightOf(lines)}>${header.join('')}</row>`
  let length = 0
  let rowNumber = 2
  for (; rows.length > 0 && rowNumber <= mostRows && length < LONGEST; rows = await cursor.peek()) {
    let taken = 0
    for (const row of rows) {
      if (rowNumber > mostRows || length >= LONGEST) break
      text += `<row r="${rowNumber}"${rowHeight(row, wraps)}>`
      for (let i = 0; i < writers.length; i++) text += writers[i]!(row[i] ?? null, letters[i]! + rowNumber)
      for (let i = writers.length; i < row.length; i++) text += writeBeyond(row[i]!, columnLetters(i) + rowNumber)
      text += '</row>'
      rowNumber++
      taken++
      if (text.length < CHUNK_LENGTH) continue
      length += text.length
      yield text
      text = ''
    }
    cursor.take(taken)
  }
  // Codes and long digits are text on purpose: no green triangles that offer to convert them.
  const last = letters.at(-1)
  const all = `A1:${last ?? 'A'}${rowNumber}`
  const filter = last === undefined ? '' : `<autoFilter ref="A1:${last}${Math.max(rowNumber - 1, 1)}"/>`
  const ignored = `<ignoredErrors><ignoredError sqref="${all}" numberStoredAsText="1"/></ignoredErrors>`
  const notes = hasNotes() ? `<legacyDrawing r:id="${NOTES_RELATION}"/>` : ''
  yield `${text}</sheetData>${filter}${dropDowns(columns, letters, choiceLists)}${page(widths)}${ignored}${notes}</worksheet>`
}

/** Lists to choose from, below the header. */
function dropDowns(columns: readonly TabularColumn[], letters: readonly string[], choiceLists: ChoiceLists): string {
  const lists = columns.flatMap(({ choices = [] }, index) => {
    const source = choiceLists.sourceOf(choices)
    if (source === undefined) return []
    const cells = `${letters[index]}2:${letters[index]}${MOST_ROWS}`
    const options = 'type="list" errorStyle="warning" allowBlank="1" showErrorMessage="1"'
    return [`<dataValidation ${options} sqref="${cells}"><formula1>${source}</formula1></dataValidation>`]
  })
  return lists.length === 0 ? '' : `<dataValidations count="${lists.length}">${lists.join('')}</dataValidations>`
}

/** Characters that fit side by side on a page in portrait. */
const PORTRAIT = 95

/** One page wide, with the numbers of the pages below. Paper 9 is A4. */
function page(widths: readonly number[]): string {
  const orientation = totalWidth(widths) > PORTRAIT ? 'landscape' : 'portrait'
  return (
    '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.6" header="0.3" footer="0.3"/>' +
    `<pageSetup paperSize="9" orientation="${orientation}" fitToWidth="1" fitToHeight="0"/>` +
    '<headerFooter><oddFooter>&amp;L&amp;A&amp;R&amp;P / &amp;N</oddFooter></headerFooter>'
  )
}

/** Not every program fits the row to its lines. */
function rowHeight(row: CellRow, widths: readonly (number | undefined)[]): string {
  let lines = 1
  for (let i = 0; i < row.length; i++) {
    const given = row[i] ?? null
    const cell = isColored(given) ? given.value : given
    if (typeof cell === 'string') lines = Math.max(lines, linesOf(cell, widths[i]))
  }
  return heightOf(lines)
}

function heightOf(lines: number): string {
  return lines === 1 ? '' : ` ht="${Math.min(lines, MOST_LINES) * ROW_HEIGHT}"`
}

/** The lines of a text in a column of this width, at most {@link MOST_LINES}. */
function linesOf(text: string, width: number | undefined): number {
  const isWide = width !== undefined && text.length > width
  if (!isWide && !text.includes('\n')) return 1
  let lines = 0
  for (const line of text.split('\n', MOST_LINES)) {
    lines += isWide ? Math.max(1, Math.ceil(Math.min(line.length, MOST_LINES * width) / width)) : 1
  }
  return Math.min(lines, MOST_LINES)
}

/** The header stays in view, and so do the first columns if they are frozen. */
function viewXml(isSelected: boolean, frozenColumns: number): string {
  const first = `${columnLetters(frozenColumns)}2`
  const split = frozenColumns > 0 ? `xSplit="${frozenColumns}" ` : ''
  const [active, others] = frozenColumns > 0 ? ['bottomRight', ['topRight', 'bottomLeft']] : ['bottomLeft', []]
  return (
    `<sheetViews><sheetView${isSelected ? ' tabSelected="1"' : ''} workbookViewId="0">` +
    `<pane ${split}ySplit="1" topLeftCell="${first}" activePane="${active}" state="frozen"/>` +
    `${others.map(pane => `<selection pane="${pane}"/>`).join('')}` +
    `<selection pane="${active}" activeCell="${first}" sqref="${first}"/></sheetView></sheetViews>`
  )
}

function start(columns: readonly TabularColumn[], widths: readonly number[], view: string): string {
  const cols = columns.map((column, index) => {
    const at = index + 1
    return `<col min="${at}" max="${at}" width="${widths[index]}" style="${columnStyle(column)}" customWidth="1"/>`
  })
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ' +
    `xmlns:r="${OFFICE_RELATIONS}">` +
    '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>' +
    `${view}<sheetFormatPr defaultRowHeight="${ROW_HEIGHT}"/>` +
    `${cols.length > 0 ? `<cols>${cols.join('')}</cols>` : ''}<sheetData>`
  )
}

/** Takes rows across batches: a sheet may end within a batch. */
export class RowCursor {
  readonly #batches: AsyncIterator<readonly CellRow[]> | Iterator<readonly CellRow[]>
  #batch: readonly CellRow[] = []
  #next = 0

  constructor(rows: RowBatches) {
    this.#batches = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  }

  async peek(): Promise<readonly CellRow[]> {
    while (this.#next >= this.#batch.length) {
      const { done, value } = await this.#batches.next()
      if (done) return []
      this.#batch = value
      this.#next = 0
    }
    return this.#next === 0 ? this.#batch : this.#batch.slice(this.#next)
  }

  take(count: number): void {
    this.#next += count
  }

  async close(): Promise<void> {
    await this.#batches.return?.()
  }
}
