import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { message } from '../../core/messages/message.ts'
import { csvWriter } from '../../tabular/csv/write.ts'
import type { ReadFile, ReadRow, ReadSheet } from '../../tabular/read/file.ts'
import { type CellRow, GreyCell, type PlainCell, type TabularColumn, WrongCell } from '../../tabular/table.ts'
import type { WriteOptions } from '../../tabular/writer.ts'
import type { CellNote } from '../../tabular/xlsx/notes.ts'
import { type Sheet, xlsxWriter } from '../../tabular/xlsx/write.ts'
import { withoutFormat } from '../read/cells.ts'
import { type Layout, shortHeader, textPositions } from '../read/sheet-layout.ts'
import type { ImportRowError } from '../result.ts'
import { isGuide } from '../template/template.ts'
import {
  errorsColumnAt,
  type FailedRowsOptions,
  type KeptRows,
  type RowErrors,
  type WrittenFile,
} from './failed-rows.ts'

interface FailedRowsContent extends FailedRowsOptions {
  readonly nameErrors: (read: readonly string[]) => string
}

/**
 * Writes rows of an upload with their errors, to be corrected and sent again: the same format, sheets, headers and
 * cells. XLS becomes XLSX. CSV that is not UTF-8 becomes UTF-8 with a byte order mark.
 */
export async function writeFailedRows(
  upload: ReadFile,
  layout: Layout,
  target: string,
  content: FailedRowsContent,
): Promise<WrittenFile> {
  const { stream, ...written } = failedRowsFile(upload, layout, content)
  await pipeline(stream, createWriteStream(target, { mode: 0o600 }))
  return written
}

export async function writeWorkbook(
  sheets: AsyncIterable<Sheet>,
  target: string,
  options: WriteOptions,
): Promise<WrittenFile> {
  const { contentType, writeSheets } = xlsxWriter()
  const stream = writeSheets(sheets, options)
  await pipeline(stream, createWriteStream(target, { mode: 0o600 }))
  return { contentType, extension: 'xlsx' }
}

function failedRowsFile(
  { csv, sheets }: ReadFile,
  layout: Layout,
  content: FailedRowsContent,
): WrittenFile & { readonly stream: Readable } {
  const { errors, kept = 'failed', nameErrors, signal } = content
  const options = signal ? { signal } : {}
  // The rows of a template come without its guide: their example is left out, and nothing else needs it.
  const written = sheets.flatMap((sheet, position) => {
    if (isGuide(sheet)) return []
    const imported = layout.sheets.find(imported => imported.position === position)
    const { columns = [], models = [], sensitive, isExample = () => false } = imported ?? {}
    const isLeftOut = ({ row, cells }: ReadRow) => isExample({ row, cells: columns.map(at => cells[at] ?? null) })
    const keys = models.map(({ reader }) => reader.plan.key)
    const texts = imported ? textPositions(imported) : new Map<number, boolean>()
    const read = new Map([...texts].map(([at = 0, isText]) => [columns[at] ?? 0, isText]))
    const omitted = [...(sensitive ?? [])]
    const content = { read, omitted, errors: () => errors(keys), kept, nameErrors, isWorkbook: !csv, isLeftOut }
    return [failedSheet(sheet, content)]
  })
  const [only] = written
  if (!csv || !only) {
    const { contentType, writeSheets } = xlsxWriter()
    return { contentType, extension: 'xlsx', stream: writeSheets(withVisibleSheet(written), options) }
  }
  const { contentType, write } = csvWriter({ delimiter: csv.delimiter, bom: !csv.isPlainUtf8 })
  return { contentType, extension: 'csv', stream: write(only.columns, only.rows, options) }
}

/** Spreadsheet programs open no workbook whose sheets are all hidden. The guide of a template may be its only visible one. */
function withVisibleSheet(sheets: readonly Sheet[]): readonly Sheet[] {
  if (sheets.some(({ isHidden }) => !isHidden)) return sheets
  return sheets.map(sheet => ({ ...sheet, isHidden: false }))
}

/** Cells of a sheet with a note. Spreadsheet programs keep all notes in memory. */
export const MOST_NOTES = 1_000
const LONGEST = 8_000
const ERRORS_WIDTH = 60

/**
 * The column of the errors, which is the first one. In a workbook, its texts are wrapped. In CSV, all separators need quotes,
 * as in the other columns.
 */
export function columnOfErrors(header: string, isWorkbook: boolean): TabularColumn {
  return { header, kind: isWorkbook ? 'text' : 'mixed', width: ERRORS_WIDTH }
}

const NO_MESSAGES: ReadonlyMap<number, string> = new Map()

interface FailedSheetContent {
  /** The columns that feed fields, and whether they take texts. Empty for a sheet that is not imported. */
  readonly read: ReadonlyMap<number, boolean>
  /** Sensitive columns. */
  readonly omitted: readonly number[]
  readonly errors: () => ReturnType<RowErrors>
  readonly kept: KeptRows
  readonly nameErrors: (read: readonly string[]) => string
  /** Whether wrong cells are red and have notes. */
  readonly isWorkbook: boolean
  /** Whether a row without errors is no row of the person who fills in the file. */
  readonly isLeftOut: (row: ReadRow) => boolean
}

/** A sheet that is not imported has only its header. A hidden sheet stays hidden: two visible sheets are ambiguous. */
function failedSheet(sheet: ReadSheet, content: FailedSheetContent): Sheet {
  const { name, header, isHidden = false } = sheet
  const visibility = { isHidden, canBeShown: true }
  const { kept, nameErrors, isWorkbook } = content
  const { read } = content
  const omitted = new Set(content.omitted)
  // The cells of a row that is too wide may have moved to the right.
  const firstOmitted = Math.min(header.length, ...omitted)
  const errorsAt = errorsColumnAt(header)
  const at = [...header.keys()].filter(index => !omitted.has(index) && (read.has(index) || index !== errorsAt))
  const columns = at.map((index): TabularColumn => ({ header: header[index] ?? '', kind: 'mixed' }))
  if (read.size === 0) return { name, ...visibility, columns, rows: [] }
  const headers = header.map(shortHeader)
  const leftOut = content.omitted.map(index => header[index] ?? '')
  const more = leftOut.length === 0 ? undefined : String(message('failed_rows.left_out', { columns: leftOut }))
  const notes: CellNote[] = []
  let written = 1
  const cellsOf = ({ cells, isWider }: ReadRow, errors: readonly ImportRowError[]): CellRow => {
    written++
    const messages = isWorkbook ? messagesByColumn(errors, at, headers) : NO_MESSAGES
    for (const [column, text] of messages)
      if (notes.length < MOST_NOTES) notes.push({ row: written, column: column + 1, text })
    const all = cells.map((cell, index) => withoutFormat(cell, read.get(index)))
    const own = at.map(index => (isWider && index > firstOmitted ? null : (all[index] ?? null)))
    const beyond = omitted.size === 0 ? all.slice(header.length) : []
    if (isWorkbook && isCorrect(errors, kept)) return inGrey([null, ...own, ...beyond])
    const marked = own.map((cell, column) => (messages.has(column) ? new WrongCell(cell) : cell))
    return [errorsText(errors, more), ...marked, ...beyond]
  }
  const errorsColumn = nameErrors(at.map(index => header[index] ?? ''))
  return {
    name,
    ...visibility,
    columns: [columnOfErrors(errorsColumn, isWorkbook), ...columns],
    rows: rowsOf(sheet, content, cellsOf),
    notes,
  }
}

async function* rowsOf(
  sheet: ReadSheet,
  { errors, kept, isLeftOut }: FailedSheetContent,
  cellsOf: (row: ReadRow, errors: readonly ImportRowError[]) => CellRow,
): AsyncGenerator<readonly CellRow[]> {
  const failed = rowByRow(errors())
  try {
    let next = await failed.next()
    if (next.done && kept === 'failed') return
    for await (const rows of sheet.rows()) {
      const written: CellRow[] = []
      for (const row of rows) {
        if (next.value?.[0]?.row === row.row) {
          written.push(cellsOf(row, next.value))
          next = await failed.next()
        } else if (kept !== 'failed' && !isLeftOut(row)) written.push(cellsOf(row, []))
      }
      if (written.length > 0) yield written
      if (next.done && kept === 'failed') return
    }
    if (!next.done) throw new Error(`Row ${next.value[0]?.row} has failed, but the file has no such row.`)
  } finally {
    await failed.return()
  }
}

async function* rowByRow(errors: ReturnType<RowErrors>): AsyncGenerator<readonly ImportRowError[], void, void> {
  let row: ImportRowError[] = []
  for await (const error of errors) {
    if (row[0] && row[0].row !== error.row) {
      yield row
      row = []
    }
    row.push(error)
  }
  if (row.length > 0) yield row
}

/** Whether a row is right, and failed only because of others. */
export function isCorrect(errors: readonly ImportRowError[], kept: KeptRows): boolean {
  return kept === 'undone' && errors.length === 0
}

export function inGrey(cells: readonly PlainCell[]): CellRow {
  return cells.map(cell => new GreyCell(cell))
}

/**
 * All errors of a row, each with its column. Two models that read one column may report the same error.
 *
 * @param more a sentence for people who correct the row
 */
export function errorsText(errors: readonly ImportRowError[], more?: string): string | null {
  if (errors.length === 0) return null
  const all = errors.map(({ column, message }) => (column === undefined ? message : `${column}: ${message}`))
  const text = [...new Set([...all, ...(more === undefined ? [] : [more])])].join('\n')
  return text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}...` : text
}

function messagesByColumn(
  errors: readonly ImportRowError[],
  at: readonly number[],
  headers: readonly string[],
): ReadonlyMap<number, string> {
  const notes = new Map<number, string>()
  for (const { column, message } of errors) {
    const index = column === undefined ? -1 : at.findIndex(position => headers[position] === column)
    const others = notes.get(index)
    if (index !== -1 && others !== message) notes.set(index, others === undefined ? message : `${others}\n${message}`)
  }
  return notes
}
