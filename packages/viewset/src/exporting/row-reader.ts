import type { SQL } from 'drizzle-orm'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import {
  expressionReader,
  loadAllRelated,
  projectedRelation,
  toManyPart,
  toOnePart,
} from '../serializer/output/related-writers.ts'
import type { LoadRelated, Part, Related } from '../serializer/output/row-writer.ts'
import type { RawRow } from '../store/connection/driver.ts'
import { type ProjectedRelation, type Projection, projection } from '../store/projection.ts'
import { decodeRow } from '../store/row-set.ts'
import type { PlainCell } from '../tabular/table.ts'
import { exportCellReader, exportJsonCell, listCell } from './cells.ts'
import type { ColumnSource, ExportColumn, ScopedStep } from './export-columns.ts'

export interface RowReader {
  readonly projection: Projection
  readonly loadRelated: LoadRelated | null
  read(row: RawRow, related: Related | undefined): readonly PlainCell[]
}

type CellOfRow = (row: RawRow, related: Related | undefined) => PlainCell

interface UnplacedColumn {
  finish(slot: number): { readonly cell: CellOfRow; readonly part?: Part }
}

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

const NO_PART: Part = { write: () => 'null', loadRelated: null }

function unplacedColumn(source: ColumnSource, selection: Selection): UnplacedColumn {
  if (source.from === 'function') {
    const { model } = selection
    const { dialect } = model
    return { finish: () => ({ cell: row => listCell(source.field.compute(decodeRow(dialect, model, row))) }) }
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
    const { field, separator } = source
    const position = selection.column(field.relation.ownerKey)
    const asCell = field.read === 'data' ? exportJsonCell : (json: string) => listCell(JSON.parse(json), { separator })
    return { finish: slot => relationCell(toManyPart('', field, position(), slot), asCell) }
  }
  const related = projectedRelation(source.field)
  const asCell = source.relation.read === 'custom' ? (json: string) => listCell(JSON.parse(json)) : exportJsonCell
  const position = selection.relation(related)
  return { finish: slot => relationCell(toOnePart('', source.relation, related.projection, position(), slot), asCell) }
}

function valueColumn(position: Position, read: (raw: unknown) => PlainCell): UnplacedColumn {
  return {
    finish: () => {
      const at = position()
      return { cell: row => read(row[at]) }
    },
  }
}

function relationCell(part: Part, asCell: (json: string) => PlainCell): ReturnType<UnplacedColumn['finish']> {
  return { part, cell: (row, related) => asCell(part.write(row, 0, related)) }
}

/** The position is known once everything is selected. */
type Position = () => number

/** Collects the reads of a file column by column. Each foreign key is joined once. */
class Selection {
  readonly model: ModelInfo
  readonly #columns: ColumnInfo[] = []
  readonly #expressions: SQL[] = []
  readonly #joins: { readonly step: ScopedStep; readonly selection: Selection }[] = []
  readonly #relations: ProjectedRelation[] = []
  #at = 0
  #relationsAt: readonly number[] = []

  constructor(model: ModelInfo) {
    this.model = model
  }

  column(column: ColumnInfo): Position {
    if (!this.#columns.includes(column)) this.#columns.push(column)
    return () => this.#at + this.#columns.indexOf(column)
  }

  expression(expression: SQL): Position {
    const index = this.#expressions.push(expression) - 1
    return () => this.#at + this.#columns.length + index
  }

  follow(step: ScopedStep): Selection {
    // A join with a scope differs from one without.
    const known = this.#joins.find(join => join.step.foreignKey === step.foreignKey && join.step.scope === step.scope)
    if (known) return known.selection
    const selection = new Selection(step.model)
    this.#joins.push({ step, selection })
    return selection
  }

  relation(relation: ProjectedRelation): Position {
    const index = this.#relations.push(relation) - 1
    return () => this.#relationsAt[index] as number
  }

  /** Returns the projection of rows whose values begin at `at`. From now on, positions are known. */
  project(at = 0): Projection {
    this.#at = at
    let next = at + this.#columns.length + this.#expressions.length
    const joined = this.#joins.map(({ step, selection }): ProjectedRelation => {
      const { foreignKey, target, scope } = step
      const projected = selection.project(next)
      next += projected.width
      return { foreignKey, target, projection: projected, scope }
    })
    this.#relationsAt = this.#relations.map(({ projection: { width } }) => {
      next += width
      return next - width
    })
    return projection(this.model, this.#columns, [...joined, ...this.#relations], this.#expressions)
  }
}
