import { NON_FIELD_ERRORS, ValidationError } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import { type ReadCell, type ReadRow, SheetError } from '../../tabular/read/file.ts'
import {
  type ImportCells,
  type ImportView,
  type PreparedRow,
  type PrepareRow,
  type RowContext,
  skipRow,
} from '../import-hooks.ts'
import { headerKey } from '../plan/headers.ts'
import type { ImportRowProblem } from '../result.ts'
import { asCell, errorCellMessage, plainCell, withoutFormat } from './cells.ts'
import { rowError } from './import-row.ts'
import type { TransformFaults } from './read-faults.ts'
import { type ImportedSheet, type SheetColumn, shortHeader, textPositions } from './sheet-layout.ts'

export interface OpenRow {
  readonly cells: ImportCells
  readonly context: RowContext
  /** `undefined` if neither the file nor the application has a cell for the column. */
  given(column: SheetColumn): unknown
}

export type Prepared = OpenRow | typeof skipRow | readonly ImportRowProblem[]

export interface RowFunctions {
  readonly prepareRow: PrepareRow | undefined
  readonly view: ImportView | undefined
  readonly faults: TransformFaults
}

const MOST_WARNINGS = 100

export class RowPreparation {
  readonly #sheet: ImportedSheet
  readonly #prepare: PrepareRow | undefined
  readonly #view: ImportView | undefined
  readonly #faults: TransformFaults
  readonly #positions: ReadonlyMap<string, number>
  /** The positions that feed columns, and whether one of these takes texts. */
  readonly #fed: ReadonlyMap<number | undefined, boolean>

  constructor(sheet: ImportedSheet, { prepareRow, view, faults }: RowFunctions) {
    this.#sheet = sheet
    this.#prepare = prepareRow
    this.#view = view
    this.#faults = faults
    const positions = new Map<string, number>()
    for (const [at, name] of sheet.headers.entries()) if (!positions.has(name)) positions.set(name, at)
    for (const { at, field } of sheet.models.flatMap(({ columns }) => columns)) {
      if (at !== undefined && !positions.has(field)) positions.set(field, at)
    }
    this.#positions = positions
    this.#fed = textPositions(sheet)
  }

  /** Awaits only promises: most functions are synchronous. */
  prepare({ row: number, cells }: ReadRow, warnings: ImportRowProblem[]): Prepared | Promise<Prepared> {
    const before = this.#byHeader(cells)
    const warn: RowContext['warn'] = (field, text) => {
      if (warnings.length < MOST_WARNINGS) warnings.push(this.#problemAt(number, field, text))
    }
    const context = { rowNumber: number, sheet: this.#sheet.name, view: this.#view, warn }
    if (!this.#prepare) {
      this.#guardErrors(before, cells)
      return { cells: before, context, given: ({ at }) => (at === undefined ? undefined : cells[at]) }
    }
    try {
      const after = this.#prepare(Object.assign(Object.create(null), before), context)
      if (!(after instanceof Promise)) return this.#opened(context, cells, before, after)
      return after.then(
        row => this.#opened(context, cells, before, row),
        error => this.#errorsOf(number, error),
      )
    } catch (error) {
      return this.#errorsOf(number, error)
    }
  }

  #byHeader(cells: readonly ReadCell[]): ImportCells {
    // A header may be `__proto__` or `constructor`.
    const byHeader: ImportCells = Object.create(null)
    for (const [name, at] of this.#positions) byHeader[name] = plainCell(withoutFormat(cells[at], this.#fed.get(at)))
    return byHeader
  }

  #opened(
    context: RowContext,
    cells: readonly ReadCell[],
    before: ImportCells,
    after: PreparedRow | typeof skipRow,
  ): Prepared {
    if (after === skipRow) return skipRow
    // A list, or a query without `await`, has no cells and would empty all columns.
    if (typeof after !== 'object' || after === null || Array.isArray(after) || typeof after.then === 'function') {
      return this.#errorsOf(context.rowNumber, new TypeError('prepareRow must return the cells of the row, or skipRow'))
    }
    const changed: ImportCells = Object.create(null)
    for (const name of Object.keys(after)) changed[name] = plainCell(asCell(after[name]))
    this.#guardErrors(changed, cells)
    return { cells: changed, context, given: column => this.#given(column, cells, before, after) }
  }

  /** Throws when an error cell is read: a computed field would store the error's name. */
  #guardErrors(byHeader: ImportCells, cells: readonly ReadCell[]): void {
    if (!cells.some(cell => cell instanceof SheetError)) return
    for (const [name, at] of this.#positions) {
      const cell = cells[at]
      if (!(cell instanceof SheetError) || byHeader[name] !== cell.error) continue
      const get = () => {
        throw new ValidationError(errorCellMessage(cell, shortHeader(name)))
      }
      Object.defineProperty(byHeader, name, { get, enumerable: true })
    }
  }

  /**
   * Finds the cell of a column, which the application may set under the file's header or the field's own: a changed
   * cell wins. An unchanged cell keeps its type. If a mapping assigns a header of that name to another field, the
   * header does not count.
   */
  #given(
    { at, field, names }: SheetColumn,
    cells: readonly ReadCell[],
    before: ImportCells,
    after: PreparedRow,
  ): unknown {
    const header = at === undefined ? undefined : this.#sheet.headers[at]
    const ownNames = [field, ...(header === undefined ? [] : [header])].filter(
      name =>
        Object.hasOwn(after, name) &&
        (at === undefined ? !this.#fed.has(this.#positions.get(name)) : this.#positions.get(name) === at),
    )
    const changed = ownNames.find(name => after[name] !== before[name])
    if (changed !== undefined) return asCell(after[changed])
    if (at !== undefined) return ownNames.length > 0 ? cells[at] : null
    const other = Object.keys(after).find(name => names.includes(headerKey(name)) && !this.#positions.has(name))
    return other === undefined ? undefined : asCell(after[other])
  }

  #errorsOf(number: number, error: unknown): readonly ImportRowProblem[] {
    const { models } = this.#sheet
    const last = models.at(-1)!
    if (!(error instanceof ValidationError)) {
      const id = this.#faults.idOfRow(error)
      return [rowError(last, { number }, NON_FIELD_ERRORS, message('invalid.row', { id }))]
    }
    const messages = Object.entries(error.fieldErrors ?? { [NON_FIELD_ERRORS]: [error.text] })
    return messages.flatMap(([name, texts]) => texts.map(text => this.#problemAt(number, name, text)))
  }

  #problemAt(number: number, name: string, text: Text): ImportRowProblem {
    const { models, headers } = this.#sheet
    const key = headerKey(name)
    for (const model of models) {
      const column = model.columns.find(({ field, header, plan }) =>
        [field, header, plan.name, plan.column.key].some(of => of !== undefined && headerKey(of) === key),
      )
      if (column) return rowError(model, { number }, column.field, text)
    }
    const header = headers.find(candidate => headerKey(candidate) === key)
    const error = rowError(models.at(-1)!, { number }, name, text)
    return header === undefined ? error : { ...error, column: header }
  }
}
