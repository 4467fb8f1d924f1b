import { NON_FIELD_ERRORS, ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { CellProblem } from '../../kinds/cells.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import { EMPTY_CELL } from '../../model/empty-cell.ts'
import { type ReadRow, SheetError, SheetNumber } from '../../tabular/read/file.ts'
import type { TotalsRows } from '../config.ts'
import { skipRow } from '../import-hooks.ts'
import type { ImportRowProblem } from '../result.ts'
import { asCell, errorCellMessage, plainCell, takesText, withoutFormat } from './cells.ts'
import { type ImportRow, rowError } from './import-row.ts'
import type { ColumnReader } from './model-reader.ts'
import { type OpenRow, type Prepared, type RowFunctions, RowPreparation } from './prepare-rows.ts'
import { nameTotals, skippedRow } from './rows-without-record.ts'
import type { ImportedSheet, SheetColumn, SheetModel } from './sheet-layout.ts'

export interface RowReading extends RowFunctions {
  readonly context: ReadContext
  readonly failOnWarnings: boolean
  readonly totalsRows: TotalsRows
}

/** Reads rows cell by cell. A wrong cell becomes an error of its row. `fixed` columns ignore the file. */
export async function readRows(
  sheet: ImportedSheet,
  rows: readonly ReadRow[],
  reading: RowReading,
  fixed: ReadonlySet<SheetColumn>,
): Promise<ImportRow[]> {
  const preparation = sheet.isOpen ? new RowPreparation(sheet, reading) : undefined
  const read: ImportRow[] = []
  for (const row of rows) {
    const reads = skippedRow(sheet, row) ?? readOne(row)
    const made = reads instanceof Promise ? await reads : reads
    if (reading.failOnWarnings) failWarned(made)
    read.push(made)
  }
  return read

  function readOne(row: ReadRow): ImportRow | Promise<ImportRow> {
    if (!preparation) return readNamed(row, undefined)
    const warnings: ImportRowProblem[] = []
    const finish = (prepared: Prepared) => {
      const made = isOpenRow(prepared) ? readNamed(row, prepared) : leftRow(sheet, row, prepared)
      // A computed field may warn while the row is read.
      made.warnings.unshift(...warnings)
      return made
    }
    const preparing = preparation.prepare(row, warnings)
    return preparing instanceof Promise ? preparing.then(finish) : finish(preparing)
  }

  function readNamed(row: ReadRow, open: OpenRow | undefined): ImportRow {
    const made = readRow(sheet, row, reading, fixed, open)
    nameTotals(sheet, made, row, open, { fixed, totalsRows: reading.totalsRows })
    return made
  }
}

/** Makes the warnings of a row its errors. */
export function failWarned(row: ImportRow): void {
  if (row.warnings.length === 0) return
  row.errors.push(...row.warnings.splice(0))
  row.isSkipped = false
}

function isOpenRow(prepared: Prepared): prepared is OpenRow {
  return prepared !== skipRow && 'cells' in prepared
}

function leftRow({ models }: ImportedSheet, { row: number }: ReadRow, why: Exclude<Prepared, OpenRow>): ImportRow {
  const isSkipped = why === skipRow
  const cells = models.map(({ columns }) => new Array<unknown>(columns.length))
  return { number, cells, errors: isSkipped ? [] : [...why], warnings: [], isSkipped }
}

function readRow(
  { position, name, models }: ImportedSheet,
  { row: number, cells, isWider, warning }: ReadRow,
  { context, faults }: RowReading,
  fixed: ReadonlySet<SheetColumn>,
  open: OpenRow | undefined,
): ImportRow {
  const idOf = (column: SheetColumn, error: unknown) => faults.idOf(position, column, error)
  const errors: ImportRowProblem[] = []
  const warnings = warning ? [rowError(models.at(-1)!, { number }, NON_FIELD_ERRORS, warning)] : []
  const read: unknown[][] = new Array(models.length)
  const hasFixed = fixed.size > 0
  const deletes = deletedBy(models.at(-1)!, cells, open, context, idOf)
  for (let m = 0; m < models.length; m++) {
    const model = models[m]!
    const { columns } = model
    const values: unknown[] = new Array(columns.length)
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]!
      if ((hasFixed && fixed.has(column)) || (deletes && !deletes(model, i))) continue
      const { at } = column
      const isPlain = open === undefined && at !== undefined
      const value = isPlain ? readCell(column, cells[at], context, idOf) : readGiven(column, open, context, idOf)
      values[i] = value
      if (value instanceof CellProblem) errors.push(rowError(model, { number }, column.field, value.text))
      else if (losesText(column, cells, open)) {
        const text = message('number_format', { value: String(plainCell(cells[at!])) })
        warnings.push(rowError(model, { number }, column.field, text))
      }
    }
    const empty = deletes && model !== models.at(-1) ? undefined : completeKey(model, values, fixed)
    if (empty) errors.push(rowError(model, { number }, empty.field, EMPTY_CELL))
    read[m] = values
  }
  if (isWider) {
    // Only the sheet of a CSV file has no name.
    const problem = message(name === '' ? 'invalid.too_many_cells' : 'invalid.cell_beside_table')
    errors.push(rowError(models.at(-1)!, { number }, NON_FIELD_ERRORS, problem))
  }
  return { number, cells: read, errors, warnings, isSkipped: false }
}

/** Whether a text column gets the number of a cell that shows more. */
function losesText(column: SheetColumn, cells: ReadRow['cells'], open: OpenRow | undefined): boolean {
  const cell = cells[column.at ?? -1]
  if (!(cell instanceof SheetNumber) || cell.shown !== undefined || !takesText(column)) return false
  return !open || open.given(column) === cell
}

/** `undefined` for rows that do not delete. */
function deletedBy(
  last: SheetModel,
  cells: ReadRow['cells'],
  open: OpenRow | undefined,
  context: ReadContext,
  idOf: (column: SheetColumn, error: unknown) => string,
): ((model: SheetModel, at: number) => boolean) | undefined {
  const { deletion, version, unique } = last.reader
  const column = deletion === -1 ? undefined : last.columns[deletion]
  if (!column) return undefined
  const isPlain = open === undefined && column.at !== undefined
  const value = isPlain ? readCell(column, cells[column.at], context, idOf) : readGiven(column, open, context, idOf)
  if (value !== true) return undefined
  const needed = new Set([deletion, version, ...unique])
  return (model, at) => model === last && needed.has(at)
}

function readGiven(
  column: SheetColumn,
  open: OpenRow | undefined,
  context: ReadContext,
  idOf: (column: SheetColumn, error: unknown) => string,
): unknown {
  const { appValue } = column.plan
  if (appValue && 'constant' in appValue) return column.read(asCell(appValue.constant), context)
  // A sheet with a computed column is open.
  if (appValue)
    return (
      open && guarded(column, idOf, () => readText(column, asCell(appValue.compute(open.cells, open.context)), context))
    )
  const cell = open?.given(column)
  if (cell === undefined) {
    if (!open || !column.isNeeded) return undefined
    return new CellProblem(message('required.column', { column: column.field }))
  }
  return readCell(column, cell, context, idOf)
}

export function readCell<C extends ColumnReader>(
  column: C,
  cell: unknown,
  context: ReadContext,
  idOf: (column: C, error: unknown) => string,
): unknown {
  const { read, transform, form } = column
  if (cell instanceof SheetError) return new CellProblem(errorCellMessage(cell))
  if (!transform) return form ? readText(column, cell, context) : read(cell, context)
  const plain = plainCell(withoutFormat(cell, takesText(column)))
  return guarded(column, idOf, () => readText(column, asCell(transform(plain)), context))
}

/** Reads text in the import's locale. Typed cells need none. */
function readText({ read, form }: ColumnReader, cell: unknown, context: ReadContext): unknown {
  if (!form || typeof cell !== 'string' || cell.trim() === '') return read(cell, context)
  const text = form.read(cell)
  return text instanceof CellProblem ? text : read(text, context)
}

function guarded<C extends ColumnReader>(
  column: C,
  idOf: (column: C, error: unknown) => string,
  make: () => unknown,
): unknown {
  try {
    return make()
  } catch (error) {
    // Other errors may contain internal details.
    if (!(error instanceof ValidationError)) {
      return new CellProblem(message('invalid.error_id', { id: idOf(column, error) }))
    }
    return new CellProblem(Object.values(error.fieldErrors ?? {}).flat()[0] ?? error.text)
  }
}

/**
 * Fills in the defaults of a row's key. Returns the empty part if the row has no key value of its own: such rows would
 * all update the same record. Fixed and constant fields do not distinguish rows.
 */
function completeKey(
  { reader, columns }: SheetModel,
  values: unknown[],
  fixed: ReadonlySet<SheetColumn>,
): SheetColumn | undefined {
  let empty: SheetColumn | undefined
  let isGiven = false
  for (const at of reader.unique) {
    const column = columns[at]!
    const { appValue, column: stored } = column.plan
    if (fixed.has(column)) continue
    const isEmpty = values[at] === null
    if (isEmpty && stored.hasPlainDefault) values[at] = stored.createValue?.()
    if (values[at] === '') return column
    if (isEmpty) empty ??= column
    else isGiven ||= !appValue || 'compute' in appValue
  }
  return isGiven ? undefined : empty
}
