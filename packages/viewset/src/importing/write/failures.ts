import { NON_FIELD_ERRORS } from '../../core/errors.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import { type ImportRow, rowError } from '../read/import-row.ts'
import type { SheetModel } from '../read/sheet-layout.ts'
import type { ImportRowError } from '../result.ts'
import type { ImportRecord } from './import-record.ts'
import type { KeyedRow } from './row-groups.ts'
import type { Refusal } from './sort-records.ts'

/** Why rows of one attempt were not written, and which of them may pass once another row is out of the way. */
export class Failures {
  readonly errors = new Map<ImportRow, ImportRowError[]>()
  /** Rows that may have failed because of another row only. */
  readonly retryable = new Set<ImportRow>()
  /** Rows that are not to be written, and not an error either. */
  readonly skipped = new Set<ImportRow>()
  readonly #competitors = new Map<ImportRow, readonly ImportRow[]>()
  /** Rows whose competitors got the unique value. */
  readonly #losers = new Set<ImportRow>()
  /** Records that gave a unique value up, and those that have it since. */
  readonly #passed: (readonly [holder: ImportRecord, taker: ImportRecord])[] = []
  /** For each model, rows with a record that another one of the model stood in the way of, as only the database knows. */
  readonly #blocked = new Map<ModelInfo, ImportRow[]>()

  /** Takes note of rows that want a unique value which rows before them want. */
  noteCompetitors(rows: readonly KeyedRow[]): void {
    for (const { row, competitors } of rows) if (competitors.length > 0) this.#competitors.set(row, competitors)
  }

  /** Whether nothing of a row is to be written. */
  has(row: ImportRow): boolean {
    return this.errors.has(row) || this.skipped.has(row)
  }

  /** Whether a row of the record wants a unique value that a row before it wants. */
  competes({ rows }: ImportRecord): boolean {
    return rows.some(row => this.#competitors.has(row))
  }

  fail(model: SheetModel, { rows }: Pick<ImportRecord, 'rows'>, field: string, message: string): void {
    for (const row of rows) {
      const errors = this.errors.get(row) ?? []
      errors.push(rowError(model, row, field, message))
      this.errors.set(row, errors)
    }
  }

  /** Leaves the rows of a record out. */
  skip({ rows }: Pick<ImportRecord, 'rows'>): void {
    for (const row of rows) this.skipped.add(row)
  }

  /** The rows of a record may pass once another row is out of the way. */
  mayRetry({ rows }: Pick<ImportRecord, 'rows'>): void {
    for (const row of rows) this.retryable.add(row)
  }

  /** Another record of its model stood in the way of a record. */
  block({ reader: { plan } }: SheetModel, { rows }: ImportRecord): void {
    const blocked = this.#blocked.get(plan.model)
    if (blocked) blocked.push(...rows)
    else this.#blocked.set(plan.model, [...rows])
  }

  /** Whether the database refused a row by a rule that no model tells of. */
  get isAnyBlocked(): boolean {
    return this.#blocked.size > 0
  }

  /** Whether a record of the model may have stood in the way of another one. */
  hasBlocked({ reader: { plan } }: SheetModel): boolean {
    return this.#blocked.has(plan.model)
  }

  /** Takes note of a record whose unique value another one has. */
  refuse(model: SheetModel, { record, unique, because }: Refusal): void {
    const { field, message } = takenMessage(model, unique.columns)
    this.fail(model, record, field, message)
    for (const row of record.rows) if (this.#competitors.has(row)) this.#losers.add(row)
    if (because && this.competes(because)) this.mayRetry(record)
  }

  /** Takes note of a record that has a unique value only since another one gave it up. */
  pass(holder: ImportRecord, taker: ImportRecord): void {
    this.#passed.push([holder, taker])
  }

  /** Whether failed rows of a record decided about a unique value of a row that comes before those which need it still. */
  isInTheWay({ rows }: ImportRecord): boolean {
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
   * What was written is undone. It may have stood in the way of the rows that are blocked, as may a row that fails in
   * the next attempt. A row that lost a unique value to another one fails again, unless that one needed what is undone
   * now, or is in the way of a blocked row that passes then.
   *
   * @param undone the records of which nothing is left
   * @param standsAlone whether a row needs no other row of the file
   */
  retryAfter(undone: readonly ImportRecord[], standsAlone: (row: ImportRow) => boolean): void {
    for (const rows of this.#blocked.values()) for (const row of rows) this.retryable.add(row)
    const isNewOnly = undone.every(({ key }) => key === undefined)
    const isKept = (row: ImportRow) => !this.has(row) && !this.#competitors.has(row) && standsAlone(row)
    const isSettled = this.#blocked.size === 0 && isNewOnly
    for (const row of this.#losers) {
      if (!isSettled || !this.#competitors.get(row)?.every(isKept)) this.retryable.add(row)
    }
  }
}

/** What is said of a value, or of several together, that belongs to another record. */
export function takenMessage(model: SheetModel, columns: readonly ColumnInfo[]) {
  const concerned = columns.map(
    ({ wire }) => model.columns.find(({ plan }) => plan.column.wire === wire)?.header ?? wire,
  )
  const names = concerned.join(', ')
  const [only] = columns
  if (columns.length === 1 && only) {
    return { names, field: headerOf(model, only.wire), message: 'This field must be unique.' }
  }
  return { names, field: NON_FIELD_ERRORS, message: `The fields ${names} must make a unique set.` }
}

/** What the file calls a column that is known by its name on the wire. */
export function headerOf({ columns }: SheetModel, wire: string): string {
  return columns.find(({ plan }) => plan.column.wire === wire)?.field ?? wire
}
