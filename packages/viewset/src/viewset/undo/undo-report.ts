import * as z from 'zod'
import { message, type Text } from '../../core/messages/message.ts'
import type { Report } from '../../kinds/report-schema.ts'
import { leftBy, type UndoOutcome, type UndoReason } from './plan-undo.ts'
import type { LaterChange, PlannedStep } from './planned-step.ts'
import type { Spool, SpoolFolder } from './spool.ts'

/** Rows of the report that an answer has. The file of the job has all. */
const MOST_ROWS = 1_000

const count = (what: string) => z.int().min(0).describe(what)

export const UndoRow = () =>
  z
    .object({
      model: z.string().describe('The name of the model in the imported file.'),
      rows: z.array(z.int()).describe('The rows of the imported file.'),
      record: z.string().describe('The identifier of the record.'),
      label: z.string().describe('The values of the unique fields by which the import finds it.'),
      outcome: z.enum(['reversed', 'partly', 'kept', 'failed']),
      fields: z.array(z.string()).describe('The fields that are not as before the job.'),
      why: z.string().describe('Who has changed what since, or why it was refused; empty if it is reversed.'),
    })
    .meta({ title: 'UndoRow' })

export type UndoRow = Report<typeof UndoRow>

export const UndoResult = () =>
  z
    .object({
      reversed: count('Records that are as before the job.'),
      partly: count('Records with some fields as before the job.'),
      kept: count('Records that were changed since, or that others refer to.'),
      failed: count('Records that a rule or the database refused.'),
      outOfReach: count('Records that the user may not see. They are as they were.'),
      rows: z.array(UndoRow()).max(MOST_ROWS).describe('The first records of the report; the file has all.'),
      dryRun: z.boolean().optional(),
    })
    .meta({ title: 'UndoResult' })

/** What an undo has come to. */
export type UndoResult = Report<typeof UndoResult>

interface ReportedModel {
  /** The name of the model in the file. */
  readonly name: string
  /** The names of columns as the reader sees them. */
  namesOf(columns: readonly string[]): readonly string[]
}

/** The number of records that an undo has written. */
export type UndoWrites = Readonly<Record<'delete' | 'update' | 'insert', number>>

/** Collects what has become of each record. */
export class UndoReport {
  outOfReach = 0
  readonly writes = { delete: 0, update: 0, insert: 0 } satisfies UndoWrites
  /** All rows. */
  readonly rows: Spool<UndoRow>
  /** Those of an answer. */
  readonly #first: UndoRow[] = []
  readonly #counts: Record<UndoOutcome, number> = { reversed: 0, partly: 0, kept: 0, failed: 0 }

  constructor(folder: SpoolFolder) {
    this.rows = folder.spool()
  }

  /** Reports records on which the step was carried out, or none was needed. */
  async done(model: ReportedModel, steps: readonly PlannedStep[]): Promise<void> {
    for (const { action } of steps) if (action !== 'nothing') this.writes[action]++
    await this.#add(steps.map(step => rowOf(model, step, step.outcome, textOf(model, step))))
  }

  /** Reports a record that is as it was, and why. */
  async refused(model: ReportedModel, step: PlannedStep, outcome: 'kept' | 'failed', reason: string): Promise<void> {
    const names = Object.keys({ ...step.values, ...step.links })
    const left = { ...step, reasons: [{ why: 'changed' as const, names }] }
    await this.#add([rowOf(model, left, outcome, reason)])
  }

  async #add(rows: readonly UndoRow[]): Promise<void> {
    for (const row of rows) {
      this.#counts[row.outcome]++
      if (this.#first.length < MOST_ROWS) this.#first.push(row)
    }
    await this.rows.add(rows)
  }

  result(dryRun: boolean): UndoResult {
    return { ...this.#counts, outOfReach: this.outOfReach, rows: this.#first, ...(dryRun && { dryRun }) }
  }

  /** The number of records, and of those that are not as before the job. */
  get totals(): { readonly all: number; readonly left: number } {
    const { reversed, partly, kept, failed } = this.#counts
    const left = partly + kept + failed + this.outOfReach
    return { all: reversed + left, left }
  }
}

function rowOf(model: ReportedModel, step: PlannedStep, outcome: UndoOutcome, why: string): UndoRow {
  const { record, label } = step
  const fields = [...new Set(model.namesOf(leftBy(step)))]
  return { model: model.name, rows: [...record.rows], record: record.key, label, outcome, fields, why }
}

/** A sentence for each reason. */
function textOf({ namesOf }: ReportedModel, { reasons, changed }: PlannedStep): string {
  return reasons
    .map(({ why, names }) => String(reasonText(why, why === 'losses' ? names : namesOf(names), changed)))
    .join(' ')
}

function reasonText(why: UndoReason['why'], fields: readonly string[], entry: LaterChange | undefined): Text {
  if (why === 'losses') return message('undone.losses', { resources: fields })
  if (why === 'redacted') return message('undone.redacted', { fields })
  if (why === 'dropped') return message('undone.dropped', { fields })
  if (why === 'other_type') return message('undone.other_type', { fields })
  if (why === 'required') return message('undone.required', { fields })
  if (!entry) return message('undone.unrecorded', { fields })
  const { user, at, job } = entry
  if (job !== null) return message('undone.by_job', { job, at, fields })
  if (why === 'deleted') return message('undone.deleted', { user, at })
  if (why === 'stored_again') return message('undone.stored_again', { user, at })
  return message('undone.changed', { user, at, fields })
}
