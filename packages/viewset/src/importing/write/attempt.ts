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
import { type Meeting, type RowReference, referencesAmong } from './references-among-rows.ts'
import { startsAtRenames } from './renamed-records.ts'
import { resolveValues } from './resolve-values.ts'
import { type ImportRecord, type KeyedRow, recordsOf } from './row-groups.ts'
import type { WriteContext } from './write-context.ts'
import { Cut, writeInParts } from './write-in-parts.ts'
import type { RecordWriter } from './write-records.ts'

/** One try to write the rows of a group together. */
export class Attempt {
  readonly #context: WriteContext
  readonly #sheet: ImportedSheet
  readonly #rows: readonly KeyedRow[]
  readonly #references: readonly RowReference[]
  /** The rows of which some are written before earlier ones, if there are any. */
  readonly #among: readonly ImportRow[] | undefined
  readonly failures: Failures
  readonly outcomes = { ...NO_OUTCOMES }
  readonly writtenRows = new WrittenFileRows()
  readonly diff: AttemptDiff | undefined

  constructor(
    context: WriteContext,
    sheet: ImportedSheet,
    rows: readonly KeyedRow[],
    { meetings, among }: { readonly meetings: readonly Meeting[]; readonly among: readonly ImportRow[] | undefined },
  ) {
    this.#context = context
    this.#sheet = sheet
    this.#rows = rows
    this.#references = referencesAmong(sheet.models)
    this.#among = among
    this.diff = context.diff && new AttemptDiff(context, sheet)
    this.failures = new Failures(sheet)
    for (const meeting of meetings) this.failures.meet(meeting)
  }

  /** With a single model, a failed row has written nothing. */
  get isUndoable(): boolean {
    return this.#sheet.models.length > 1
  }

  /**
   * Writes the rows. Returns `true` if the result is that of row after row. Otherwise the caller undoes everything. The
   * failures of the rows before {@link Failures.firstWrong} are final.
   *
   * @throws Cut if some rows can only be written after others
   */
  async run(): Promise<boolean> {
    const { failures } = this
    const stored: ImportRecord[] = []
    for (const [index, model] of this.#sheet.models.entries()) {
      const left = this.#rows.filter(({ row, deletes }) => !deletes && !failures.has(row))
      if (left.length > 0) stored.push(...(await this.#write(index, model, left)))
    }
    await this.#delete(this.#rows.filter(({ row, deletes }) => deletes && !failures.has(row)))
    const isAnyUnwanted = stored.some(({ rows }) => rows.every(row => failures.has(row)))
    return !isAnyUnwanted && failures.firstWrong(this.#rows.map(({ row }) => row)) === undefined
  }

  async #write(index: number, model: SheetModel, rows: readonly KeyedRow[]): Promise<ImportRecord[]> {
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
    const matched = await match(await resolveValues(context, model, recordsOf(rows, index), failures))
    const references = this.#references.filter(({ to }) => to === index)
    const among = this.#among ?? rows.map(({ row }) => row)
    const starts = await startsAtRenames(context, model, references, matched, among)
    if (starts.size > 0) throw new Cut(starts)
    const stored: ImportRecord[] = []
    const writer: RecordWriter = {
      database: context.all(plan).database,
      model,
      hooks: context.hooks(plan),
      visible: context.visible(plan),
      isUndoable: this.isUndoable,
      match,
      refuse: refusal => failures.refuse(model, refusal),
      meet: sharing => failures.meet({ model: index, rows: sharing }),
      fail: (record, field, message) => failures.fail(model, record, importFieldOf(model, field), message),
      block: record => {
        // A later row may have written the table as an earlier model of the sheet.
        const isWrittenBefore = this.#sheet.models
          .slice(0, index)
          .some(({ reader }) => reader.plan.model === plan.model)
        if (isWrittenBefore && this.#rows.length > 1) throw new Cut()
        failures.block(model, record)
      },
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
    const resolved = await resolveValues(context, model, records, failures)
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
