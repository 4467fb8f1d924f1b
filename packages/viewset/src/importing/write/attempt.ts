import { NON_FIELD_ERRORS } from '../../core/errors.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { ImportedSheet, SheetModel } from '../read/sheet-layout.ts'
import type { RowOutcome } from '../tally.ts'
import { WrittenFileRows } from '../written-rows.ts'
import { AttemptDiff } from './attempt-diff.ts'
import { NO_OUTCOMES, outcomeOfRepeated } from './counts.ts'
import { checkDeletions, deleteFound, type RecordDeleter } from './delete-found.ts'
import { Failures, importFieldOf } from './failures.ts'
import { findDeleted, findStored, refuseExisting, reportMissing } from './find-stored.ts'
import { MissingParents, resolveValues, standsAlone } from './resolve-values.ts'
import { groupRows, type ImportRecord, type KeyedRow, recordsOf } from './row-groups.ts'
import type { WriteContext } from './write-context.ts'
import { writeInParts } from './write-in-parts.ts'
import type { RecordWriter } from './write-records.ts'

export class Attempt {
  readonly #context: WriteContext
  readonly #sheet: ImportedSheet
  readonly #groups: readonly (readonly KeyedRow[])[]
  readonly #missing: MissingParents
  readonly failures = new Failures()
  readonly outcomes = { ...NO_OUTCOMES }
  readonly writtenRows = new WrittenFileRows()
  readonly diff: AttemptDiff | undefined

  readonly isReordered: boolean

  constructor(context: WriteContext, sheet: ImportedSheet, rows: readonly ImportRow[], keepsOrder: boolean) {
    this.#context = context
    this.#sheet = sheet
    this.#groups = groupRows(sheet, rows, keepsOrder)
    this.isReordered = !keepsOrder && this.#groups.length > 1
    this.diff = context.diff && new AttemptDiff(context, sheet)
    this.#missing = new MissingParents(context, sheet, rows)
  }

  /**
   * Writes the rows. Returns the first row to undo: a row that failed after one of its records was stored.
   * `'reordered'` means that the database refused a row, which may have been written too early or too late. The caller
   * then undoes everything and writes the rows in the order of the file.
   */
  async run(): Promise<ImportRow | 'reordered' | undefined> {
    const { failures } = this
    for (const group of this.#groups) {
      failures.noteCompetitors(group)
      const written: [SheetModel, readonly ImportRecord[]][] = []
      for (const [index, model] of this.#sheet.models.entries()) {
        const left = group.filter(({ row, deletes }) => !deletes && !failures.has(row))
        if (left.length > 0) written.push([model, await this.#write(model, recordsOf(left, index))])
      }
      if (this.isReordered && failures.isAnyBlocked) return 'reordered'
      await this.#delete(group.filter(({ row, deletes }) => deletes && !failures.has(row)))
      const unwanted = written.flatMap(([model, records]) => records.filter(each => this.#mustBeUndone(model, each)))
      if (unwanted.length === 0) continue
      failures.retryAfter(unwanted, row => standsAlone(this.#sheet, this.#context.lookups, row))
      const failed = unwanted.map(({ rows }) => rows[0]!)
      return failed.reduce((first, row) => (row.number < first.number ? row : first))
    }
    return undefined
  }

  #mustBeUndone(model: SheetModel, record: ImportRecord): boolean {
    const { failures } = this
    const { rows } = record
    if (!failures.has(rows[0]!)) return false
    // A failed record may have blocked a row that comes before the rows that still need it.
    return failures.hasBlocked(model) || rows.every(row => failures.has(row)) || failures.isBlocking(record)
  }

  async #write(model: SheetModel, records: readonly ImportRecord[]): Promise<ImportRecord[]> {
    const { failures } = this
    const context = this.#context
    const { plan } = model.reader
    const settle = (record: ImportRecord, outcome: RowOutcome) => {
      this.#count(model, outcome, record.rows.length)
      if (outcome === 'unchanged') this.diff?.unchanged(model, record)
    }
    const match = async (again: readonly ImportRecord[]) => {
      const found = await findStored(context, model, again, failures, settle)
      await this.diff?.see(model, found)
      return found
    }
    const matched = await match(await resolveValues(context, model, records, failures, this.#missing))
    const stored: ImportRecord[] = []
    const writer: RecordWriter = {
      database: context.all(plan).database,
      model,
      hooks: context.hooks(plan),
      visible: context.visible(plan),
      match,
      refuse: refusal => failures.refuse(model, refusal),
      pass: (holder, taker) => failures.pass(holder, taker),
      fail: (record, field, message) => {
        failures.fail(model, record, importFieldOf(model, field), message)
        // An earlier row may store the value that both want. This row then fails with another error.
        if (failures.competes(record)) failures.mayRetry(record)
      },
      block: record => failures.block(model, record),
      written: (record, outcome) => {
        stored.push(record)
        this.writtenRows.add(plan.model, record.writtenKey, record.rows)
        this.#count(model, outcome, 1)
        this.#settleRepeated(model, record)
      },
    }
    await writeInParts(writer, context.all(plan), matched)
    await this.diff?.wrote(model, stored, plan.policy.onExisting === 'update')
    return stored
  }

  /** Only records of the last model are deleted. */
  async #delete(rows: readonly KeyedRow[]): Promise<void> {
    const { models } = this.#sheet
    const model = models.at(-1)
    if (rows.length === 0 || !model) return
    const { failures } = this
    const context = this.#context
    const { plan } = model.reader
    const records = recordsOf(rows, models.length - 1)
    const resolved = await resolveValues(context, model, records, failures, this.#missing)
    const deleter: RecordDeleter = {
      visible: context.visible(plan),
      hooks: context.hooks(plan),
      fail: (record, message) => failures.fail(model, record, NON_FIELD_ERRORS, message),
      deleted: record => {
        this.outcomes.deleted++
        this.writtenRows.add(plan.model, record.key, record.rows)
        this.diff?.deleted(model, record)
        const repeated = record.rows.slice(1)
        if (repeated.length > 0) reportMissing(model, { rows: repeated }, failures)
      },
    }
    const found = await findDeleted(context, model, resolved, failures)
    await this.diff?.see(model, found)
    await deleteFound(deleter, await checkDeletions(deleter, found))
  }

  /**
   * Several rows may have equal values for a record. The first one writes them, and the record is unchanged for the
   * others.
   */
  #settleRepeated(model: SheetModel, { rows }: ImportRecord): void {
    if (rows.length === 1) return
    const outcome = outcomeOfRepeated(model.reader.plan.policy)
    if (outcome === 'failed') refuseExisting(model, { rows: rows.slice(1) }, this.failures)
    else this.#count(model, outcome, rows.length - 1)
  }

  /** A row counts by the outcome of its last model. */
  #count(model: SheetModel, outcome: RowOutcome, rows: number): void {
    if (model === this.#sheet.models.at(-1)) this.outcomes[outcome] += rows
  }
}
