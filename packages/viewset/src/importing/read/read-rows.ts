import { NON_FIELD_ERRORS, ValidationError } from '../../core/errors.ts'
import { CellProblem } from '../../kinds/cells.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import type { ReadCell, ReadRow } from '../../tabular/read/file.ts'
import type { ImportRowError } from '../result.ts'
import { asCell, plainCell } from './cells.ts'
import { type ImportRow, rowError } from './import-row.ts'
import type { ColumnReader } from './model-reader.ts'
import type { ImportedSheet, SheetColumn } from './sheet-layout.ts'
import type { TransformFaults } from './transform-faults.ts'

/** Reads rows cell by cell. A wrong cell becomes an error of its row. */
export function readRows(
  sheet: ImportedSheet,
  rows: readonly ReadRow[],
  context: ReadContext,
  faults: TransformFaults,
): ImportRow[] {
  return rows.map(row => readRow(sheet, row, context, faults))
}

function readRow(
  { position, models }: ImportedSheet,
  { row: number, cells, isWider }: ReadRow,
  context: ReadContext,
  faults: TransformFaults,
): ImportRow {
  const idOf = (column: SheetColumn, error: unknown) => faults.idOf(position, column, error)
  const errors: ImportRowError[] = []
  const read: unknown[][] = []
  for (const model of models) {
    const { columns } = model
    const values: unknown[] = new Array(columns.length)
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]!
      // What the file does not have is as if nobody had said it: its default, or what is stored.
      const value = column.at === undefined ? undefined : readCell(column, cells[column.at], context, idOf)
      values[i] = value
      if (value instanceof CellProblem) {
        errors.push(rowError(model, { number }, column.field, value.message))
      }
    }
    read.push(values)
  }
  if (isWider) {
    const message = 'This row has more cells than the header has columns.'
    errors.push(rowError(models.at(-1)!, { number }, NON_FIELD_ERRORS, message))
  }
  return { number, cells: read, errors }
}

/** The value of a cell, or what is wrong with it. `idOf` logs a mistake in a transform's own code. */
export function readCell<C extends ColumnReader>(
  column: C,
  cell: ReadCell | undefined,
  context: ReadContext,
  idOf: (column: C, error: unknown) => string,
): unknown {
  const { read, transform } = column
  if (!transform) return read(cell, context)
  try {
    return read(asCell(transform(plainCell(cell))), context)
  } catch (error) {
    // What a program says of itself is no text for the person whose file it is.
    if (!(error instanceof ValidationError)) {
      return new CellProblem(`This value is not acceptable. Please quote error id ${idOf(column, error)}.`)
    }
    return new CellProblem(Object.values(error.errors ?? {}).flat()[0] ?? error.message)
  }
}
