import * as z from 'zod'
import { message, type Text } from '../../core/messages/message.ts'
import type { Report } from '../../kinds/report-schema.ts'
import type { History } from '../../model/history.ts'
import type { HistoryEntry } from '../history/entries.ts'
import type { UndoOutcome, UndoStep } from './plan-undo.ts'

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

/** A step with the values by which a person knows its record. */
type ReportedStep = UndoStep & { readonly label: string }

interface ReportedModel {
  readonly history: History
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
  readonly rows: UndoRow[] = []
  readonly writes = { delete: 0, update: 0, insert: 0 } satisfies UndoWrites
  readonly #counts: Record<UndoOutcome, number> = { reversed: 0, partly: 0, kept: 0, failed: 0 }
  readonly #changes = new Map<string, HistoryEntry>()

  /** Notes the latest change of a record since the import. */
  noteChange({ model }: History, record: string, entry: HistoryEntry): void {
    this.#changes.set(`${model.id} ${record}`, entry)
  }

  /** Reports a record on which the step was carried out, or none was needed. */
  done(model: ReportedModel, step: ReportedStep): void {
    if (step.action !== 'nothing') this.writes[step.action]++
    this.#add(model, step, step.outcome)
  }

  /** Reports a record that is as it was, and why. */
  refused(model: ReportedModel, step: ReportedStep, outcome: 'kept' | 'failed', reason: Text): void {
    this.#add(model, { ...step, left: Object.keys({ ...step.values, ...step.links }) }, outcome, reason)
  }

  #add({ history, name, namesOf }: ReportedModel, step: ReportedStep, outcome: UndoOutcome, reason?: Text): void {
    const { record, label, left, why } = step
    this.#counts[outcome]++
    const fields = namesOf(left)
    const changed = this.#changes.get(`${history.model.id} ${record.key}`)
    const text = reason ?? (why === null ? '' : reasonOf({ ...step, left: fields }, changed))
    this.rows.push({
      model: name,
      rows: [...record.rows],
      record: record.key,
      label,
      outcome,
      fields: [...fields],
      why: String(text),
    })
  }

  result(dryRun: boolean): UndoResult {
    const rows = this.rows.slice(0, MOST_ROWS)
    return { ...this.#counts, outOfReach: this.outOfReach, rows, ...(dryRun && { dryRun }) }
  }

  /** The number of records, and of those that are not as before the job. */
  get totals(): { readonly all: number; readonly left: number } {
    const { reversed, partly, kept, failed } = this.#counts
    const left = partly + kept + failed + this.outOfReach
    return { all: reversed + left, left }
  }
}

function reasonOf(
  { why, left: fields, lost }: Pick<UndoStep, 'why' | 'left' | 'lost'>,
  entry: HistoryEntry | undefined,
): Text {
  if (why === 'losses') return message('undone.losses', { resources: lost })
  if (why === 'redacted') return message('undone.redacted', { fields })
  if (!entry) return message('undone.unrecorded', { fields })
  const { user, at, job } = entry
  if (job !== null) return message('undone.by_job', { job, at, fields })
  if (why === 'deleted') return message('undone.deleted', { user, at })
  if (why === 'stored_again') return message('undone.stored_again', { user, at })
  return message('undone.changed', { user, at, fields })
}
