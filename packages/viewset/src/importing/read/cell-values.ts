import { ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { ReadCell, ReadFile, ReadRow, ReadSheet } from '../../tabular/read/file.ts'
import type { ImportValues } from '../options.ts'
import { isGuide } from '../template/template.ts'
import { asCell, plainCell } from './cells.ts'
import type { ImportedSheet } from './sheet-layout.ts'
import { hintOf, isRecord, OFFERED, shorten } from './sheet-mapping.ts'
import { HeaderPositions } from './sheet-names.ts'

type Change = (cell: ReadCell) => ReadCell

interface ChangedRow extends ReadRow {
  /** The cells in the file. */
  readonly sent: readonly ReadCell[]
}

/** The cells of a row as they are in the file. */
export function sentCells(row: ReadRow | ChangedRow): readonly ReadCell[] {
  return 'sent' in row ? row.sent : row.cells
}

/** The cells of a sheet that have other values, by the position of their column. */
export type CellChanges = ReadonlyMap<number, Change>

/**
 * The file with other values in its cells. Everything that reads the rows sees only these.
 *
 * @throws ValidationError on `values` for a column that no sheet has
 */
export function withValues(file: ReadFile, values: ImportValues | undefined): ReadFile {
  if (!values) return file
  checkColumns(file, values)
  return { ...file, sheets: file.sheets.map(sheet => withChanges(sheet, changesOf(sheet, values))) }
}

/** Columns with the same header are changed alike. */
export function changesOf({ header }: ReadSheet, values: ImportValues): CellChanges {
  const positions = new HeaderPositions(header)
  const changes = new Map<number, Change>()
  for (const [column, texts] of Object.entries(values)) {
    const change = changeOf(texts)
    for (const at of positions.find(column)) changes.set(at, change)
  }
  return changes
}

/** @param columns the positions of the row's cells; default: all columns of the sheet */
export function withChangedCells(row: ReadRow, changes: CellChanges, columns?: readonly number[]): ChangedRow {
  const cells = [...row.cells]
  if (columns) for (const [index, at] of columns.entries()) changeCell(cells, index, changes.get(at))
  else for (const [at, change] of changes) changeCell(cells, at, change)
  return { ...row, cells, sent: row.cells }
}

function changeCell(cells: ReadCell[], index: number, change: Change | undefined): void {
  if (!change) return
  // The last cells of a row may be left out.
  while (cells.length <= index) cells.push(null)
  cells[index] = change(cells[index] ?? null)
}

function withChanges(sheet: ReadSheet, changes: CellChanges): ReadSheet {
  if (changes.size === 0) return sheet
  return {
    ...sheet,
    async *rows(columns, header) {
      for await (const rows of sheet.rows(columns, header)) {
        yield rows.map(row => withChangedCells(row, changes, columns))
      }
    },
  }
}

function changeOf(texts: ImportValues[string]): Change {
  const byText = new Map(Object.entries(texts).map(([text, value]) => [text.trim(), value]))
  return cell => {
    const value = byText.get(String(plainCell(cell) ?? '').trim())
    return value === undefined ? cell : (asCell(value) as ReadCell)
  }
}

/** @throws ValidationError on `values` for a column that no sheet has */
export function checkColumns({ sheets }: ReadFile, values: ImportValues): void {
  const headers = sheets.filter(sheet => !isGuide(sheet)).map(({ header }) => new HeaderPositions(header))
  const unknown = Object.keys(values).find(column => headers.every(header => header.find(column).length === 0))
  if (unknown === undefined) return
  const known = headers.flatMap(header => header.names()).slice(0, OFFERED)
  const hint = hintOf(shorten(unknown), known.map(shorten))
  throw new ValidationError({ values: [message('invalid_mapping.column', { column: shorten(unknown), hint })] })
}

/** @throws ValidationError on `values` for a sensitive column: a job would keep its texts */
export function refuseSensitive(
  { header }: ReadSheet,
  { sensitive }: Pick<ImportedSheet, 'sensitive'>,
  values: ImportValues,
): void {
  const positions = new HeaderPositions(header)
  const refused = Object.keys(values).find(column => positions.find(column).some(at => sensitive.has(at)))
  if (refused === undefined) return
  throw new ValidationError({ values: [message('invalid_values.sensitive', { column: shorten(refused) })] })
}

/** Whether a value has the shape of {@link ImportValues}. Its headers are not checked. */
export function isImportValues(value: unknown): value is ImportValues {
  return isRecord(value) && Object.values(value).every(texts => isRecord(texts) && Object.values(texts).every(isValue))
}

function isValue(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}
