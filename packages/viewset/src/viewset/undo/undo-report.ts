import * as z from 'zod'
import { message, type Text } from '../../core/messages/message.ts'
import type { Report } from '../../kinds/report-schema.ts'
import type { History } from '../../model/history.ts'
import type { HistoryEntry } from '../history/entries.ts'
import type { UndoOutcome, UndoStep } from './plan-undo.ts'

/** Rows of the report that an answer has. The file of the job has all. */
export const MOST_ROWS = 1_000

const count = (what: string) => z.int().min(0).describe(what)

export const UndoRow = () =>
  z
    .object({
      model: z.string().describe('The name of the model in the imported file.'),
      rows: z.array(z.int()).describe('The rows of the imported file.'),
      record: z.string().describe('The identifier of the record.'),
      outcome: z.enum(['reversed', 'partly', 'kept', 'failed']),
      fields: z.array(z.string()).describe('The fields that are not as before the import.'),
      why: z.string().describe('Who has changed what since, or why it was refused; empty if it is reversed.'),
    })
    .meta({ title: 'UndoRow' })

export type UndoRow = Report<typeof UndoRow>

export const UndoResult = () =>
  z
    .object({
      reversed: count('Records that are as before the import.'),
      partly: count('Records with some fields as before the import.'),
      kept: count('Records that were changed since, or that others refer to.'),
      failed: count('Records that a rule or the database refused.'),
      outOfReach: count('Records that the user may not see. They are as they were.'),
      rows: z.array(UndoRow()).max(MOST_ROWS).describe('The first records of the report; the file has all.'),
      dryRun: z.boolean().optional(),
    })
    .meta({ title: 'UndoResult' })

/** What an undo has come to. */
export type UndoResult = Report<typeof UndoResult>

interface Reported {
  readonly history: History
  /** The name of the model in the file. */
  readonly name: string
  /** The names of columns as the reader sees them. */
  namesOf(columns: readonly string[]): readonly string[]
}

/** Collects what has become of each record. */
export class UndoReport {
  outOfReach = 0
  readonly rows: UndoRow[] = []
  readonly #counts: Record<UndoOutcome, number> = { reversed: 0, partly: 0, kept: 0, failed: 0 }
  readonly #changes = new Map<string, HistoryEntry>()

  /** Notes the latest change of a record since the import. */
  noteChange({ model }: History, record: string, entry: HistoryEntry): void {
    this.#changes.set(`${model.id} ${record}`, entry)
  }

  add({ history, name, namesOf }: Reported, { record, left, why }: UndoStep, outcome: UndoOutcome, text?: Text): void {
    this.#counts[outcome]++
    const fields = namesOf(left)
    const changed = this.#changes.get(`${history.model.id} ${record.key}`)
    const reason = text ?? (outcome === 'reversed' || why === null ? '' : reasonOf(why, fields, changed))
    this.rows.push({
      model: name,
      rows: [...record.rows],
      record: record.key,
      outcome,
      fields: [...fields],
      why: String(reason),
    })
  }

  result(dryRun: boolean): UndoResult {
    const rows = this.rows.slice(0, MOST_ROWS)
    return { ...this.#counts, outOfReach: this.outOfReach, rows, ...(dryRun && { dryRun }) }
  }

  /** Whether every record that is left out is reversed. */
  get isComplete(): boolean {
    const { partly, kept, failed } = this.#counts
    return partly + kept + failed + this.outOfReach === 0
  }
}

function reasonOf(why: NonNullable<UndoStep['why']>, fields: readonly string[], entry: HistoryEntry | undefined): Text {
  if (why === 'redacted') return message('undone.redacted', { fields })
  const { user = null, at = '', job = null } = entry ?? {}
  if (job !== null) return message('undone.by_job', { job, at, fields })
  if (why === 'deleted') return message('undone.deleted', { user, at })
  if (why === 'stored_again') return message('undone.stored_again', { user, at })
  return message('undone.changed', { user, at, fields })
}
