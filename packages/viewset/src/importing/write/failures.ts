import { NON_FIELD_ERRORS } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import { namedColumns } from '../../model/unnamed-columns.ts'
import { type ImportRow, rowError } from '../read/import-row.ts'
import type { SheetModel } from '../read/sheet-layout.ts'
import type { ImportRowProblem } from '../result.ts'
import type { ImportRecord, KeyedRow } from './row-groups.ts'
import type { Refusal } from './sort-records.ts'

export class Failures {
  readonly errors = new Map<ImportRow, ImportRowProblem[]>()
  /** The warnings of each row by its model. */
  readonly warnings = new Map<ImportRow, Map<SheetModel, ImportRowProblem[]>>()
  /** Rows that may have failed only because of another row. */
  readonly retryable = new Set<ImportRow>()
  /** Rows that are neither written nor reported as errors. */
  readonly skipped = new Set<ImportRow>()
  readonly #competitors = new Map<ImportRow, readonly ImportRow[]>()
  readonly #losers = new Set<ImportRow>()
  readonly #passed: (readonly [holder: ImportRecord, taker: ImportRecord])[] = []
  /** For each model, rows that the database refused because of another record, by a rule outside the models. */
  readonly #blocked = new Map<ModelInfo, ImportRow[]>()

  noteCompetitors(rows: readonly KeyedRow[]): void {
    for (const { row, competitors } of rows) if (competitors.length > 0) this.#competitors.set(row, competitors)
  }

  has(row: ImportRow): boolean {
    return this.errors.has(row) || this.skipped.has(row)
  }

  competes({ rows }: ImportRecord): boolean {
    return rows.some(row => this.#competitors.has(row))
  }

  fail(model: SheetModel, { rows }: Pick<ImportRecord, 'rows'>, field: string, text: Text): void {
    for (const row of rows) {
      const errors = this.errors.get(row) ?? []
      errors.push(rowError(model, row, field, text))
      this.errors.set(row, errors)
    }
  }

  warn(model: SheetModel, { rows }: Pick<ImportRecord, 'rows'>, field: string, text: Text): void {
    for (const row of rows) {
      const ofRow = this.warnings.get(row) ?? new Map<SheetModel, ImportRowProblem[]>()
      this.warnings.set(row, ofRow)
      ofRow.set(model, [...(ofRow.get(model) ?? []), rowError(model, row, field, text)])
    }
  }

  /** Forgets the warnings of records that are checked again. */
  checkAgain(model: SheetModel, records: readonly Pick<ImportRecord, 'rows'>[]): void {
    if (this.warnings.size === 0) return
    for (const { rows } of records) for (const row of rows) this.warnings.get(row)?.delete(model)
  }

  skip({ rows }: Pick<ImportRecord, 'rows'>): void {
    for (const row of rows) this.skipped.add(row)
  }

  mayRetry({ rows }: Pick<ImportRecord, 'rows'>): void {
    for (const row of rows) this.retryable.add(row)
  }

  block({ reader: { plan } }: SheetModel, { rows }: ImportRecord): void {
    const blocked = this.#blocked.get(plan.model)
    if (blocked) blocked.push(...rows)
    else this.#blocked.set(plan.model, [...rows])
  }

  get isAnyBlocked(): boolean {
    return this.#blocked.size > 0
  }

  hasBlocked({ reader: { plan } }: SheetModel): boolean {
    return this.#blocked.has(plan.model)
  }

  refuse(model: SheetModel, { record, unique, because }: Refusal): void {
    const { field, text } = takenMessage(model, unique.columns)
    this.fail(model, record, field, text)
    for (const row of record.rows) if (this.#competitors.has(row)) this.#losers.add(row)
    if (because && this.competes(because)) this.mayRetry(record)
  }

  pass(holder: ImportRecord, taker: ImportRecord): void {
    this.#passed.push([holder, taker])
  }

  /** Whether failed rows of a record decided about a unique value of an earlier row that is still needed. */
  isBlocking({ rows }: ImportRecord): boolean {
    if (this.#losers.size + this.#passed.length === 0) return false
    const failed = new Set(rows.filter(row => this.has(row)))
    const needed = rows.find(row => !failed.has(row))?.number ?? Number.POSITIVE_INFINITY
    return (
      [...this.#losers].some(
        row => row.number < needed && this.#competitors.get(row)?.some(other => failed.has(other)),
      ) || this.#passed.some(([holder, taker]) => failed.has(holder.rows[0]!) && taker.rows[0]!.number < needed)
    )
  }

  /**
   * A blocked row may pass, and so may a row that fails in the next attempt. A row that lost a unique value fails
   * again, unless the winning row needed an undone record or blocks a row that passes then. A row that took a value
   * from an undone record may fail earlier then, by the value.
   */
  retryAfter(undone: readonly ImportRecord[], standsAlone: (row: ImportRow) => boolean): void {
    for (const rows of this.#blocked.values()) for (const row of rows) this.retryable.add(row)
    for (const [holder, taker] of this.#passed) if (this.has(holder.rows[0]!)) this.mayRetry(taker)
    const isNewOnly = undone.every(({ key }) => key === undefined)
    const isKept = (row: ImportRow) => !this.has(row) && !this.#competitors.has(row) && standsAlone(row)
    const isSettled = this.#blocked.size === 0 && isNewOnly
    for (const row of this.#losers) {
      if (!isSettled || !this.#competitors.get(row)?.every(isKept)) this.retryable.add(row)
    }
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
