import type { Readable } from 'node:stream'
import { message } from '../../core/messages/message.ts'
import { jobFileKey } from '../../jobs/files/job-files.ts'
import type { JobOutcome, JobRun } from '../../jobs/job-work.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { wireReport } from '../../kinds/report-schema.ts'
import type { JobFile } from '../../model/tables/job-columns.ts'
import type { CellRow, TabularColumn } from '../../tabular/table.ts'
import { xlsxWriter } from '../../tabular/xlsx/write.ts'
import { type BackgroundAction, gone } from '../jobs/work-of-jobs.ts'
import { BATCH } from './plan-job.ts'
import { runUndo } from './run-undo.ts'
import { SpoolFolder } from './spool.ts'
import { type UndoReport, UndoResult } from './undo-report.ts'
import { isUndoable, undoneModels } from './undone-models.ts'
import { undosOf } from './undos-of-job.ts'

/** The options of a job that undoes another one. */
export interface UndoOptions {
  /** The id of the job to undo. */
  readonly job: string
  readonly dry_run: boolean
}

/** Ends the transaction of a dry run. */
class DryRun extends Error {}

/** Undoes an import, or another undo, in one transaction. After a kill it begins again. */
export const undoJob: BackgroundAction = {
  action: 'undo',
  permits: 'checkUndoPermissions',
  async run(view, run, jobs) {
    const { job, dry_run: dryRun } = run.job.options as UndoOptions
    if (!isUndoable(view)) throw gone(message('not_undoable'))
    let outcome: JobOutcome | undefined
    const earlier = (await undosOf(job, jobs)).map(({ id }) => id)
    const undo = async () => {
      // A transaction that begins anew has new lists.
      const folder = new SpoolFolder()
      try {
        const report = await runUndo(view, undoneModels(view), { job, earlier, folder })
        outcome = { ...outcomeOf(report, dryRun), file: await keepReport(report, run, jobs) }
      } finally {
        await folder.remove()
      }
      if (dryRun) throw new DryRun()
      await run.end(outcome)
    }
    try {
      await view.database.transaction(undo, { signal: run.signal })
    } catch (error) {
      if (!(error instanceof DryRun) || !outcome) throw error
      await run.end(outcome)
    }
  },
}

function outcomeOf(report: UndoReport, dryRun: boolean): Omit<JobOutcome, 'file'> {
  const { all, left } = report.totals
  const records = { reversed: all - left, of: all }
  const text = left === 0 ? '' : message(dryRun ? 'undone.would_be_some' : 'undone.some', records)
  const { delete: deleted, update: updated, insert: created } = report.writes
  return {
    message: String(text),
    data: wireReport(UndoResult, report.result(dryRun)),
    progress: { processed: all, total: all, failed: left, created, updated, deleted },
  }
}

const COLUMNS: readonly TabularColumn[] = [
  { header: 'Model', kind: 'text' },
  { header: 'Rows', kind: 'text' },
  { header: 'Record', kind: 'text', width: 24 },
  { header: 'Outcome', kind: 'text' },
  { header: 'Fields', kind: 'text', width: 30 },
  { header: 'Why', kind: 'text', width: 80 },
  { header: 'Identifier', kind: 'text' },
]

/** A file with all records of the report. */
async function keepReport(report: UndoReport, { job }: JobRun, { files }: Jobs): Promise<JobFile> {
  const key = jobFileKey(job.id, 'result')
  const writer = xlsxWriter()
  await files.put(key, reportFile(report, writer))
  const filename = `undo_${job.resource.replaceAll('/', '_')}.${writer.extension}`
  return { key, filename, contentType: writer.contentType }
}

function reportFile({ rows }: UndoReport, writer: ReturnType<typeof xlsxWriter>): Readable {
  return writer.write(COLUMNS, reportCells(rows), { title: 'Undo' })
}

async function* reportCells(rows: UndoReport['rows']): AsyncGenerator<readonly CellRow[]> {
  for await (const part of rows.batches(BATCH)) {
    yield part.map(({ model, rows: ofFile, label, outcome, fields, why, record }): CellRow => {
      return [model, ofFile.join(', '), label, outcome, fields.join(', '), why, record]
    })
  }
}
