import { NON_FIELD_ERRORS, ValidationError } from '../core/errors.ts'
import type { ReadRow } from '../tabular/read/file.ts'
import { CellProblem, cellOf, plainCell } from './cells.ts'
import type { Stage, StageColumn } from './layout.ts'
import type { ImportRowError } from './result.ts'
import type { RowDraft } from './row-draft.ts'
import type { TransformFaults } from './transform-faults.ts'

/** Reads rows cell by cell; what is wrong with a cell is an error of its row. */
export function readRows(stage: Stage, rows: readonly ReadRow[], faults: TransformFaults): RowDraft[] {
  return rows.map(row => readRow(stage, row, faults))
}

function readRow({ sheet, models }: Stage, { row, cells, isWider }: ReadRow, faults: TransformFaults): RowDraft {
  const idOf = (column: StageColumn, error: unknown) => faults.idOf(sheet, column, error)
  const errors: ImportRowError[] = []
  const read: unknown[][] = []
  for (const { reader, columns } of models) {
    const values: unknown[] = new Array(columns.length)
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]!
      const value = readCell(column, cells[column.at], idOf)
      values[i] = value
      if (value instanceof CellProblem) {
        errors.push({ row, field: column.field, message: value.message, model: reader.plan.key })
      }
    }
    read.push(values)
  }
  if (isWider) {
    const message = 'This row has more cells than the header has columns.'
    errors.push({ row, field: NON_FIELD_ERRORS, message, model: models.at(-1)!.reader.plan.key })
  }
  return { row, cells: read, errors }
}

function readCell(
  column: StageColumn,
  cell: ReadRow['cells'][number] | undefined,
  idOf: (column: StageColumn, error: unknown) => string,
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
