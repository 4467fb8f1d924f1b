import type { Readable } from 'node:stream'
import { currentContext } from '../../core/context.ts'
import { message } from '../../core/messages/message.ts'
import { TabularError } from '../errors.ts'
import type { RowBatches, TabularColumn } from '../table.ts'
import { byteStream, cutWarning, limitRows, type TabularWriter, type WriteOptions } from '../writer.ts'
import { ChoiceLists } from './choice-lists.ts'
import { type CellNote, headerNotes, noteParts } from './notes.ts'
import {
  contentTypesXml,
  type NamedSheet,
  propertiesXml,
  rootRelationsXml,
  workbookRelationsXml,
  workbookXml,
} from './parts.ts'
import { MOST_COLUMNS, MOST_ROWS, RowCursor, sheetXml } from './sheet.ts'
import { stylesXml } from './styles.ts'
import { ZipWriter } from './zip.ts'

/** Options of a workbook. */
export interface XlsxOptions {
  /** Rows of a sheet with its header. Further rows go to another sheet. Default and maximum 1,048,576. */
  readonly maxRowsPerSheet?: number
  /** Compression, 1 (fast) to 9 (small). Default 3. */
  readonly level?: number
}

/** A sheet of a workbook. A name that Excel rejects is changed minimally. */
export interface Sheet {
  readonly name: string
  readonly columns: readonly TabularColumn[]
  readonly rows: RowBatches
  /** Whether people do not see it. */
  readonly isHidden?: boolean
  /** Whether people can show it again if it is hidden. By default, programs do not list hidden sheets. */
  readonly canBeShown?: boolean
  /** The number of columns that stay in view beside the header. Default 0. */
  readonly frozenColumns?: number
  /** Notes on its cells. Notes on rows may be added while the rows are read. */
  readonly notes?: readonly CellNote[]
}

/** Writes the sheets of one workbook. */
export interface XlsxWriter extends TabularWriter {
  /** Writes one workbook with several sheets, in their order; at least one. `maxRows` counts for each. */
  writeSheets(sheets: Iterable<Sheet> | AsyncIterable<Sheet>, options?: WriteOptions): Readable
}

/**
 * Writes XLSX workbooks: a bold frozen header with a filter, column widths, typed cells, wrapped long texts. They print
 * one page wide, with the header on each page. Timestamps are shown in UTC, or in the `localTime` of the options. The
 * author is the `name` of the user. Needs no package.
 *
 * @example
 * xlsxWriter().writeSheets([{ name: 'Cities', columns, rows }, { name: 'Countries', columns: others, rows: [] }])
 */
export function xlsxWriter(options: XlsxOptions = {}): XlsxWriter {
  const writeSheets: XlsxWriter['writeSheets'] = (sheets, writeOptions = {}) =>
    byteStream(workbookChunks(sheets, { ...options, author: author() }, writeOptions), writeOptions.signal)
  return {
    format: 'xlsx',
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    missingPackages: () => [],
    write: (columns, rows, writeOptions = {}) =>
      writeSheets([{ name: writeOptions.title ?? 'Sheet1', columns, rows }], writeOptions),
    writeSheets,
  }
}

async function* workbookChunks(
  sheets: Iterable<Sheet> | AsyncIterable<Sheet>,
  { maxRowsPerSheet = MOST_ROWS, level = 3, author }: XlsxOptions & { readonly author: string },
  { title = '', maxRows, onWarning, localTime }: WriteOptions,
): AsyncGenerator<Buffer> {
  const zip = new ZipWriter(level)
  const written: NamedSheet[] = []
  const withNotes: number[] = []
  const nameFor = sheetNames()
  const choiceLists = new ChoiceLists(nameFor)
  const mostRows = Math.min(Math.max(maxRowsPerSheet, 2), MOST_ROWS)
  let cuts = 0
  const onCut = () => cuts++
  for await (const { name, columns, rows, notes: ofCells = [], frozenColumns, ...visibility } of sheets) {
    if (columns.length > MOST_COLUMNS)
      throw new TabularError('too_large', message('too_large.columns', { max: MOST_COLUMNS }))
    const cursor = new RowCursor(limitRows(rows, maxRows))
    try {
      if (written.length === 0) {
        // If reading the rows fails, no byte is written.
        await cursor.peek()
        yield* firstParts(zip, title, author)
      }
      do {
        const state = stateOf(visibility)
        const isSelected = state === 'visible' && written.every(other => other.state !== 'visible')
        const notes = () => [...headerNotes(columns), ...ofCells]
        const hasNotes = () => notes().length > 0
        written.push({ name: nameFor(name), state })
        yield* zip.stream(
          `xl/worksheets/sheet${written.length}.xml`,
          sheetXml(columns, cursor, {
            mostRows,
            isSelected,
            hasNotes,
            onCut,
            choiceLists,
            localTime,
            frozenColumns,
          }),
        )
        if (!hasNotes()) continue
        withNotes.push(written.length)
        for (const [path, xml] of noteParts(written.length, notes())) yield* zip.text(path, xml)
      } while ((await cursor.peek()).length > 0)
    } finally {
      await cursor.close()
    }
  }
  if (written.length === 0) throw new TypeError('A workbook needs a sheet.')
  const { sheet: choices } = choiceLists
  if (choices !== undefined) {
    written.push({ name: choices, state: 'hidden' })
    yield* zip.text(`xl/worksheets/sheet${written.length}.xml`, choiceLists.sheetXml())
  }
  yield* zip.text('xl/workbook.xml', workbookXml(written))
  yield* zip.text('xl/_rels/workbook.xml.rels', workbookRelationsXml(written.length))
  yield* zip.text('[Content_Types].xml', contentTypesXml(written.length, withNotes))
  if (cuts > 0) onWarning?.(cutWarning(cuts))
  yield zip.end()
}

function stateOf({ isHidden, canBeShown }: Pick<Sheet, 'isHidden' | 'canBeShown'>): NamedSheet['state'] {
  if (!isHidden) return 'visible'
  return canBeShown ? 'hidden' : 'veryHidden'
}

/** The `name` of the user, which applications declare themselves. */
function author(): string {
  const { user } = currentContext()
  const name: unknown = user && Reflect.get(user, 'name')
  return typeof name === 'string' && name !== '' ? name : 'Viewset'
}

/** Programs that recognize a workbook (such as libmagic) look for `xl/` in the third and fourth entry. */
function* firstParts(zip: ZipWriter, title: string, author: string): Generator<Buffer> {
  yield* zip.text('_rels/.rels', rootRelationsXml)
  yield* zip.text('docProps/core.xml', propertiesXml(title, author, new Date()))
  yield* zip.text('xl/styles.xml', stylesXml)
}

const LONGEST = 31

/**
 * Returns sheet names that Excel accepts: 1 to 31 characters, none of `: \ / ? * [ ]`, and no `'` at either end. A name
 * is not "History", and unique regardless of case.
 *
 * @example
 * const nameFor = sheetNames()
 * nameFor('Q1/Q2') // 'Q1 Q2'
 * nameFor('q1 q2') // 'q1 q2 (2)'
 */
export function sheetNames(): (wanted: string) => string {
  const taken = new Set<string>(['history'])
  return wanted => {
    const base = acceptable(wanted)
    let name = cut(base, LONGEST)
    for (let number = 2; taken.has(name.toLowerCase()); number++) {
      const suffix = ` (${number})`
      name = cut(base, LONGEST - suffix.length) + suffix
    }
    taken.add(name.toLowerCase())
    return name
  }
}

function acceptable(wanted: string): string {
  const name = wanted
    .slice(0, 100)
    .toWellFormed()
    .replace(/[:\\/?*[\]\p{Cc}\uFFFE\uFFFF]+/gu, ' ')
    .replace(/^[\s']+|[\s']+$/g, '')
  return name === '' ? 'Sheet' : name
}

/** The first `length` UTF-16 units, without half a surrogate pair, a blank or a `'` at the end. */
function cut(name: string, length: number): string {
  return name
    .slice(0, length)
    .replace(/[\uD800-\uDBFF]$/, '')
    .replace(/[\s']+$/, '')
}
