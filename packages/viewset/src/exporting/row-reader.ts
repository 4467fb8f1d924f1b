import type { ModelInfo } from '../model/model-info.ts'
import { expressionReader } from '../serializer/expression-reader.ts'
import { loadAllRelated, projectedRelation, toManyPart, toOnePart } from '../serializer/related-writers.ts'
import type { LoadRelated, Part, Related } from '../serializer/row-writer.ts'
import { decodeRow } from '../store/decode-row.ts'
import type { RawRow } from '../store/driver.ts'
import type { Projection } from '../store/projection.ts'
import type { Cell, CellRow } from '../tabular/table.ts'
import { exportCell, exportCellReader, exportJsonCell } from './cells.ts'
import type { ColumnSource, ExportColumn } from './export-columns.ts'
import { type Position, Selection } from './selection.ts'

/** How rows of the database become rows of a file. */
export interface RowReader {
  readonly projection: Projection
  /** Reads the records of to-many relations for a batch of rows; `null` where there are none. */
  readonly loadRelated: LoadRelated | null
  read(row: RawRow, related: Related | undefined): CellRow
}

type CellOfRow = (row: RawRow, related: Related | undefined) => Cell

/** A column whose place in the rows is not known before everything is selected. */
interface UnplacedColumn {
  finish(slot: number): { readonly cell: CellOfRow; readonly part?: Part }
}

/** Compiles columns into one read of the database and the reader of its rows: values go from the driver to the file. */
export function rowReader(model: ModelInfo, columns: readonly ExportColumn[]): RowReader {
  const selection = new Selection(model)
  // A function gets the whole record, so the row begins with all columns of the model.
  if (columns.some(({ source }) => source.from === 'function')) {
    for (const column of model.columns) selection.column(column)
  }
  const unplaced = columns.map(({ source }) => unplacedColumn(source, selection))
  const projection = selection.project()
  const finished = unplaced.map((column, slot) => column.finish(slot))
  const cells = finished.map(({ cell }) => cell)
  return {
    projection,
    loadRelated: loadAllRelated(finished.map(({ part }) => part ?? NO_PART)),
    read: (row, related) => cells.map(cell => cell(row, related)),
  }
}

/** Keeps the place of a column that needs nothing beside its row. */
const NO_PART: Part = { write: () => 'null', loadRelated: null }

function unplacedColumn(source: ColumnSource, selection: Selection): UnplacedColumn {
  if (source.from === 'function') {
    const { model } = selection
    const { dialect } = model
    return { finish: () => ({ cell: row => exportCell(source.field.compute(decodeRow(dialect, model, row))) }) }
  }
  if (source.from === 'expression') {
    const { expression, value } = source.field
    const { checked } = expressionReader(selection.model, source.field)
    const read = exportCellReader(selection.model, value)
    return valueColumn(selection.expression(expression), raw => read(checked(raw)))
  }
  if (source.from === 'column') {
    const selected = source.steps.reduce((at, step) => at.follow(step), selection)
    return valueColumn(selected.column(source.column), exportCellReader(selected.model, source.column))
  }
  if (source.from === 'toMany') {
    const { field } = source
    const position = selection.column(field.relation.ownerKey)
    return { finish: slot => relationCell(toManyPart('', field, position(), slot)) }
  }
  const related = projectedRelation(source.field)
  const position = selection.relation(related)
  return { finish: slot => relationCell(toOnePart('', source.relation, related.projection, position(), slot)) }
}

function valueColumn(position: Position, read: (raw: unknown) => Cell): UnplacedColumn {
  return {
    finish: () => {
      const at = position()
      return { cell: row => read(row[at]) }
    },
  }
}

function relationCell(part: Part): { readonly cell: CellOfRow; readonly part: Part } {
  return { part, cell: (row, related) => exportJsonCell(part.write(row, 0, related)) }
}
