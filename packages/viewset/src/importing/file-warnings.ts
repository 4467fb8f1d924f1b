import { currentContext } from '../core/context.ts'
import { errorCode, type Message, message } from '../core/messages/message.ts'
import type { CsvStyle, SheetRemarks } from '../tabular/read/file.ts'
import type { RowSource } from './read/row-source.ts'
import { type ImportedSheet, shortHeader } from './read/sheet-layout.ts'
import type { ImportWarning } from './result.ts'

interface ReadRows {
  /** Of a CSV file. */
  readonly csv?: CsvStyle | undefined
  readonly rows: Pick<RowSource, 'remarks'>
  /** The headers of exported columns that an edited file has no longer; `undefined` for another file. */
  readonly lost: readonly string[] | undefined
}

/** Warnings of the whole file. Call it when all rows are read. */
export function fileWarnings({ csv, rows, lost }: ReadRows): readonly ImportWarning[] {
  // People filter, hide and sort rows while they edit a file. Its rows are found by their keys.
  const remarks = lost ? lostColumns(lost) : [...rows.remarks].flatMap(([sheet, found]) => sheetWarnings(sheet, found))
  return [...encodingWarnings(csv), ...remarks.map(fileWarning)]
}

export function encodingWarnings(csv: CsvStyle | undefined): readonly ImportWarning[] {
  return csv?.isGuessed ? [fileWarning(message('guessed_encoding', { encoding: csv.encoding }))] : []
}

function lostColumns(headers: readonly string[]): readonly Message[] {
  return headers.length === 0 ? [] : [message('lost_columns', { columns: headers.map(shortHeader) })]
}

function fileWarning(text: Message): ImportWarning {
  return {
    row: null,
    field: 'file',
    message: String(text),
    ...(currentContext().errorCodes && { code: errorCode(text) }),
    model: null,
  }
}

function sheetWarnings({ name: sheet, headers, columns }: ImportedSheet, found: SheetRemarks): readonly Message[] {
  const { hiddenRows: rows, hiddenColumns, mergedAreas: areas, mergedCells: cells } = found
  const hidden = hiddenColumns.map(at => shortHeader(headers[columns.indexOf(at)] ?? '')).filter(name => name !== '')
  return [
    ...(rows > 0 ? [message('hidden_rows', { sheet, rows })] : []),
    ...(hidden.length > 0 ? [message('hidden_columns', { sheet, columns: hidden })] : []),
    ...(areas > 0 ? [message('merged_cells', { sheet, areas, cells })] : []),
  ]
}
