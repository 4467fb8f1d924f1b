import { CellProblem } from '../../kinds/cells.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import type { ReadCell, ReadRow } from '../../tabular/read/file.ts'
import type { PlainCell } from '../../tabular/table.ts'
import { sentCells } from '../read/cell-values.ts'
import { readCell } from '../read/read-rows.ts'
import type { SheetColumn, SheetModel } from '../read/sheet-layout.ts'
import { isEqual } from '../write/comparable.ts'
import type { SeenRecord } from '../write/diff.ts'
import type { BaseRow, EditBase } from './base-sheet.ts'
import { isEmptyCell, isSameCell, keyText, NOT_WHOLE, stateIn, stateOf, versionStates } from './edit-cells.ts'
import type { EditLayout } from './edit-layout.ts'
import { type Mark, MarkReader } from './marks.ts'

export interface EditedCell {
  readonly column: SheetColumn
  /** Its position among the columns of its model. */
  readonly at: number
  readonly cell: ReadCell
  /** The cell as it was exported. */
  readonly before: ReadCell
  readonly state: string
}

/** The rows of an edited file beside those of its base. */
export class EditedRows {
  readonly layout: EditLayout
  readonly base: EditBase
  readonly model: SheetModel
  readonly #fields: readonly string[]
  readonly #marks = new MarkReader()

  constructor(layout: EditLayout, base: EditBase) {
    this.layout = layout
    this.base = base
    this.model = layout.changing.models[0] as SheetModel
    this.#fields = [...base.headers.keys()]
  }

  /** The position of a column among the cells of the base; -1 if it was not exported. */
  baseAt({ field }: SheetColumn): number {
    return this.#fields.indexOf(field)
  }

  /** The column of the marks for deletion. */
  get mark(): SheetColumn | undefined {
    return this.model.columns[this.model.reader.deletion]
  }

  /** The text of a row's key; empty for a new record. */
  keyOf({ cells }: ReadRow): string {
    return keyText(cells[this.model.columns[0]?.at ?? 0])
  }

  /** The fields of cells that were edited, though nothing reads them: a hidden field, a fixed value. */
  unreadEdits({ cells }: ReadRow, base: BaseRow, fixed: ReadonlySet<SheetColumn>): readonly string[] {
    return this.#fields.filter((field, kept) => {
      const at = this.layout.at.get(field)
      const column = this.model.columns.find(one => one.field === field)
      const isRead = column !== undefined && !fixed.has(column)
      return !isRead && at !== undefined && !isSameCell(cells[at], base.cells[kept])
    })
  }

  markCell({ cells }: ReadRow): ReadCell {
    const at = this.mark?.at
    return (at === undefined ? undefined : cells[at]) ?? null
  }

  markOf(row: ReadRow): Mark {
    return this.#marks.read(this.markCell(row))
  }

  /** The headers of the columns whose stored values differ from those of the export. */
  changedColumns(base: BaseRow, record: SeenRecord): readonly string[] {
    return this.model.columns.flatMap(({ plan, field, header }) => {
      const state = base.states[this.#fields.indexOf(field)]
      const isKnown = state !== undefined && state !== NOT_WHOLE && record.shown.has(plan)
      return isKnown && state !== stateIn(plan, record) ? [header ?? this.base.headers.get(field) ?? field] : []
    })
  }

  /** The headers of the columns for reading only whose present cells differ from those of the export. */
  changedOthers(base: BaseRow, present: readonly (PlainCell | undefined)[]): readonly string[] {
    const states = base.states.slice(this.#fields.length)
    return this.base.others.filter((_, at) => present[at] !== undefined && states[at] !== stateOf(present[at]))
  }

  /** Whether the version of the record, if its model has one, differs from that of the export. */
  hasOtherVersion({ version }: BaseRow, record: SeenRecord): boolean {
    const [now] = versionStates(this.model.reader.plan.model, record)
    return version !== undefined && now !== undefined && version !== now
  }

  /** The headers of the columns for reading only in which the row differs from the export. */
  editedOthers({ cells }: ReadRow, base: BaseRow | undefined): readonly string[] {
    return this.layout.others.flatMap((at, which) => {
      const isSame = at === undefined || isSameCell(cells[at] ?? null, base?.others[which] ?? null)
      return isSame ? [] : [this.base.others[which] ?? '']
    })
  }

  /** The headers of all columns in which a person has edited the row, also of those that are not written. */
  editedHeaders(row: ReadRow, base: BaseRow, context: ReadContext): readonly string[] {
    // The client's `values` are no edits of this row.
    const sent = { ...row, cells: sentCells(row) }
    const written = this.editedCells(sent, base, context, NONE).map(({ column: { header, field } }) => header ?? field)
    const unread = this.unreadEdits(sent, base, NONE).map(field => this.base.headers.get(field) ?? field)
    return [...written, ...unread, ...this.editedOthers(sent, base)]
  }

  /** The cells that differ from the base. The same value in another form is no edit. */
  editedCells(
    { cells }: ReadRow,
    base: BaseRow,
    context: ReadContext,
    fixed: ReadonlySet<SheetColumn>,
  ): readonly EditedCell[] {
    return this.model.columns.flatMap((column, at) => {
      const kept = this.#fields.indexOf(column.field)
      if (at === 0 || column.at === undefined || kept === -1 || fixed.has(column)) return []
      const [cell = null, before = null] = [cells[column.at], base.cells[kept]]
      if (isSameCell(cell, before) || isSameRead(column, cell, before, context)) return []
      return [{ column, at, cell, before, state: base.states[kept] ?? '' }]
    })
  }
}

const NONE: ReadonlySet<SheetColumn> = new Set()

/** Transforms of the application are for what people write. */
function isSameRead(column: SheetColumn, cell: ReadCell, before: ReadCell, context: ReadContext): boolean {
  // An empty cell is no value, also if the column has a default.
  if (isEmptyCell(cell) || isEmptyCell(before)) return false
  const plain = { ...column, transform: undefined }
  const noId = () => ''
  const [after, was] = [readCell(plain, cell, context, noId), readCell(plain, before, context, noId)]
  return !(after instanceof CellProblem) && !(was instanceof CellProblem) && isEqual(after, was)
}
