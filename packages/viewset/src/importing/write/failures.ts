import { NON_FIELD_ERRORS } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { namedColumns } from '../../model/unnamed-columns.ts'
import { type ImportRow, rowError } from '../read/import-row.ts'
import type { ImportedSheet, SheetModel } from '../read/sheet-layout.ts'
import type { ImportRowProblem } from '../result.ts'
import type { Meeting } from './references-among-rows.ts'
import type { ImportRecord } from './row-groups.ts'
import type { Refusal } from './sort-records.ts'

type Rows = Pick<ImportRecord, 'rows'>

/** The failed rows of an attempt, and the rows whose results may be wrong because others failed. */
export class Failures {
  readonly errors = new Map<ImportRow, ImportRowProblem[]>()
  /** The warnings of each row by its model. */
  readonly warnings = new Map<ImportRow, Map<SheetModel, ImportRowProblem[]>>()
  /** Rows that are neither written nor reported as errors. */
  readonly skipped = new Set<ImportRow>()
  readonly #models: readonly SheetModel[]
  /** The position of the model at which a row failed. The row has written the models before. */
  readonly #failedAt = new Map<ImportRow, number>()
  readonly #suspects = new Map<ImportRow, number>()
  readonly #meetings = new Map<ImportRow, Meeting[]>()
  #isBlocked = false

  constructor({ models }: ImportedSheet) {
    this.#models = models
  }

  has(row: ImportRow): boolean {
    return this.#failedAt.has(row)
  }

  fail(model: SheetModel, { rows }: Rows, field: string, text: Text): void {
    this.#end(model, rows)
    for (const row of rows) {
      const errors = this.errors.get(row) ?? []
      errors.push(rowError(model, row, field, text))
      this.errors.set(row, errors)
    }
  }

  skip(model: SheetModel, { rows }: Rows): void {
    this.#end(model, rows)
    for (const row of rows) this.skipped.add(row)
  }

  #end(model: SheetModel, rows: readonly ImportRow[]): void {
    for (const row of rows) if (!this.#failedAt.has(row)) this.#failedAt.set(row, this.#models.indexOf(model))
  }

  warn(model: SheetModel, { rows }: Rows, field: string, text: Text): void {
    for (const row of rows) {
      const ofRow = this.warnings.get(row) ?? new Map<SheetModel, ImportRowProblem[]>()
      this.warnings.set(row, ofRow)
      ofRow.set(model, [...(ofRow.get(model) ?? []), rowError(model, row, field, text)])
    }
  }

  /** Forgets the warnings of records that are checked again. */
  checkAgain(model: SheetModel, records: readonly Rows[]): void {
    if (this.warnings.size === 0) return
    for (const { rows } of records) for (const row of rows) this.warnings.get(row)?.delete(model)
  }

  /** Rows that may have failed because of any earlier row that wrote the model. */
  suspect(model: SheetModel, { rows }: Rows): void {
    for (const row of rows) if (!this.#suspects.has(row)) this.#suspects.set(row, this.#models.indexOf(model))
  }

  /** Rows that may have failed because of any earlier row that wrote a model. */
  suspectAll({ rows }: Rows): void {
    for (const row of rows) this.#suspects.set(row, 0)
  }

  /** A record that the database refused because of another record, by a rule outside the models. */
  block(model: SheetModel, record: ImportRecord): void {
    this.#isBlocked = true
    this.suspect(model, record)
  }

  get isAnyBlocked(): boolean {
    return this.#isBlocked
  }

  refuse(model: SheetModel, { record, unique }: Refusal): void {
    const { field, text } = takenMessage(model, unique.columns)
    this.fail(model, record, field, text)
  }

  /** Notes rows that share a unique value, or a record that one of them looks up. */
  meet(meeting: Meeting): void {
    for (const row of meeting.rows) {
      const known = this.#meetings.get(row)
      if (known) known.push(meeting)
      else this.#meetings.set(row, [meeting])
    }
  }

  /**
   * The first row whose result may differ from that after the rows before it. One of those has written a model at which
   * they meet, and failed at a later model. Rows before the first one have their final results.
   */
  firstWrong(rows: readonly ImportRow[]): ImportRow | undefined {
    const undone = new Set<Meeting>()
    let lastFailedAt = -1
    for (const row of rows) {
      const suspect = this.#suspects.get(row)
      const meetings = this.#meetings.get(row) ?? []
      if (suspect !== undefined && suspect < lastFailedAt) return row
      if (meetings.some(meeting => undone.has(meeting))) return row
      const failedAt = this.#failedAt.get(row) ?? -1
      for (const meeting of meetings) if (meeting.model < failedAt) undone.add(meeting)
      lastFailedAt = Math.max(lastFailedAt, failedAt)
    }
    return undefined
  }
}

export function takenMessage(model: SheetModel, columns: readonly ColumnInfo[]) {
  const importedAs = ({ wire }: ColumnInfo) => model.columns.find(({ plan }) => plan.column.wire === wire)
  const named = namedColumns(columns, column => importedAs(column) !== undefined)
  const names = named.map(column => importedAs(column)?.header ?? column.wire).join(', ')
  const [only] = named
  if (named.length > 1) return { names, field: NON_FIELD_ERRORS, text: message('unique.together', { fields: names }) }
  return { names, field: only ? importFieldOf(model, only.wire) : NON_FIELD_ERRORS, text: message('unique') }
}

export function importFieldOf({ columns }: SheetModel, wire: string): string {
  return columns.find(({ plan }) => plan.column.wire === wire)?.field ?? wire
}
