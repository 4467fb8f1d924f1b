import { NON_FIELD_ERRORS, ValidationError } from '../../core/errors.ts'
import type { ReadCell, ReadRow } from '../../tabular/read/file.ts'
import type { ImportRowError } from '../result.ts'
import { CellProblem, cellOf, plainCell } from './cells.ts'
import type { Stage, StageColumn } from './layout.ts'
import type { ColumnReader } from './model-reader.ts'
import { type RowDraft, rowError } from './row-draft.ts'
import type { TransformFaults } from './transform-faults.ts'

/** Reads rows cell by cell; what is wrong with a cell is an error of its row. */
export function readRows(stage: Stage, rows: readonly ReadRow[], faults: TransformFaults): RowDraft[] {
  return rows.map(row => readRow(stage, row, faults))
}

function readRow({ sheet, models }: Stage, { row, cells, isWider }: ReadRow, faults: TransformFaults): RowDraft {
  const idOf = (column: StageColumn, error: unknown) => faults.idOf(sheet, column, error)
  const errors: ImportRowError[] = []
  const read: unknown[][] = []
  for (const model of models) {
    const { columns } = model
    const values: unknown[] = new Array(columns.length)
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]!
      const value = readCell(column, cells[column.at], idOf)
      values[i] = value
      if (value instanceof CellProblem) {
        errors.push(rowError(model, row, column.field, value.message))
      }
    }
    read.push(values)
  }
  if (isWider) {
    const message = 'This row has more cells than the header has columns.'
    errors.push(rowError(models.at(-1)!, row, NON_FIELD_ERRORS, message))
  }
  return { row, cells: read, errors }
}

/** What a cell holds, or what is wrong with it; `idOf` takes note of a transform's own mistake. */
export function readCell<C extends ColumnReader>(
  column: C,
  cell: ReadCell | undefined,
  idOf: (column: C, error: unknown) => string,
): unknown {
  const { read, transform } = column
  if (!transform) return read(cell)
  try {
    return read(cellOf(transform(plainCell(cell))))
  } catch (error) {
    // What a program says of itself is no text for the person whose file it is.
    if (!(error instanceof ValidationError)) {
      return new CellProblem(`This value is not acceptable. Please quote error id ${idOf(column, error)}.`)
    }
    return new CellProblem(Object.values(error.errors ?? {}).flat()[0] ?? error.message)
  }
}
