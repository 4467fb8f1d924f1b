import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { message } from '../../core/messages/message.ts'
import { RowErrorSpool } from '../../importing/failed/row-error-spool.ts'
import type { ImportService } from '../../importing/import-service.ts'
import type { ImportResult } from '../../importing/result.ts'
import { JobFileMissing, type JobFiles, jobFileKey } from '../../jobs/files/job-files.ts'
import type { JobOutcome, JobRun } from '../../jobs/job-work.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { JobOptions } from '../../model/tables/job-columns.ts'
import { removeFolder, storageError, temporaryFolder } from '../../tabular/temporary-folder.ts'
import { importData, importMessage } from '../files/import-reply.ts'
import { type ImportRequest, readingOf } from '../files/import-request.ts'
import { listening } from '../files/listeners.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { type ErrorParts, keepFailedRows } from './failed-rows-file.ts'
import { ERRORS, firstErrors } from './job-data.ts'
import { fileFingerprint, sameFileWarning, withFileWarning } from './same-file.ts'
import { type BackgroundAction, gone } from './work-of-jobs.ts'

/** The default size of a chunk. Without chunks, an interrupted job could not continue. */
const CHUNK = 2_000

type Importing = GenericViewSet & {
  performImport(path: string, request: ImportRequest): Promise<ImportResult>
  getImportService(): Promise<ImportService>
}

export const importJob: BackgroundAction = {
  action: 'importFile',
  permits: 'checkImportPermissions',
  run: (view, run, jobs) =>
    withLocalFile(jobs.files, jobFileKey(run.job.id, 'upload'), run.signal, async path => {
      const spool = new RowErrorSpool(`${path}.errors`)
      try {
        // Only the route of an import stores jobs of this kind, so the view has these methods.
        await importAsJob(view as Importing, run, jobs, { path, spool })
      } finally {
        await spool.close()
      }
    }),
}

async function importAsJob(
  view: Importing,
  run: JobRun,
  jobs: Jobs,
  { path, spool }: { readonly path: string; readonly spool: RowErrorSpool },
): Promise<void> {
  const { job, count, save, show, end } = run
  const { total, ...from } = job.progress
  const request = importRequestOf(run)
  const fingerprint = job.fingerprint ?? (await fileFingerprint(view, path))
  const warning = await sameFileWarning(view, fingerprint, job.id)
  const reported = (result: ImportResult) => outcomeOf(withFileWarning(result, warning), request)
  let hasEnded = false
  const endWithRows = async (result: ImportResult) => {
    await end({ ...reported(result), file: null })
    hasEnded = true
  }
  const problems = () => jobs.store.problems(job.id)
  const checkpoint = { from, problems, total, chunkSize: CHUNK, count, save, show, end: endWithRows }
  const { plan } = await view.getImportService()
  const isUndone = request.dryRun || !request.append || request.allOrNothing || plan.allOrNothing
  const listeners = { checkpoint, ...(isUndone && { onRowErrors: spool.add }) }
  const result = await listening(view, listeners, () => view.performImport(path, request))
  // A transaction may be retried. Its last attempt counts.
  if (hasEnded && result.success) return
  // Errors are stored with each chunk. A transaction that is rolled back has stored none.
  const errors: ErrorParts = isUndone ? () => spool.parts() : () => jobs.store.errors(job.id)
  const listed = await firstErrors(errors, ERRORS + 1)
  const hasErrors = listed.length > 0
  const outcome = reported(result)
  await end({
    ...outcome,
    data: { ...outcome.data, ...(listed.length > ERRORS && { errors_truncated: true }) },
    file: hasErrors ? await keepFailedRows(view, run, jobs, { path, request, result, errors }) : null,
    // An overridden performImport may report no rows except those of its result.
    ...((isUndone || !hasErrors) && { errors: hasErrors ? errors() : [result.errors] }),
  })
}

export function outcomeOf(result: ImportResult, request: Pick<ImportRequest, 'append'>): Omit<JobOutcome, 'file'> {
  // The job has the errors. The counts include those of an interrupted run.
  const { errors, errors_truncated, ...data } = importData(result)
  const { processed, failed, created, updated, unchanged = 0, skipped = 0, deleted = 0, warned } = result
  return {
    message: String(importMessage(result, request.append)),
    data,
    progress: { processed, failed, created, updated, unchanged, skipped, deleted, ...(warned && { warned }) },
  }
}

export function importJobOptions(request: ImportRequest): JobOptions {
  const { append, dryRun, diff, allOrNothing, failOnWarnings, deleteMarked, onConflict } = request
  const { mapping, headerRow, values, locale, encoding } = request
  return {
    append_data: append,
    dry_run: dryRun,
    diff,
    ...(allOrNothing && { all_or_nothing: true }),
    ...(failOnWarnings && { fail_on_warnings: true }),
    ...(deleteMarked && { delete_marked: true }),
    ...(onConflict && { on_conflict: onConflict }),
    ...(mapping && { mapping }),
    ...(headerRow && { header_row: headerRow }),
    ...(values && { values }),
    ...(locale && { locale }),
    ...(encoding && { encoding }),
  }
}

function importRequestOf({ job: { fileName, options } }: JobRun): ImportRequest {
  const {
    append_data,
    dry_run,
    diff,
    all_or_nothing = false,
    fail_on_warnings = false,
    delete_marked = false,
    on_conflict,
    mapping,
    header_row,
    values,
    locale,
    encoding,
  } = options as StoredOptions
  return {
    file: { filename: fileName ?? '', size: 0 },
    append: append_data,
    dryRun: dry_run,
    diff,
    allOrNothing: all_or_nothing,
    failOnWarnings: fail_on_warnings,
    failedRows: false,
    deleteMarked: delete_marked,
    ...(on_conflict && { onConflict: on_conflict }),
    background: true,
    ...readingOf({ mapping, headerRow: header_row, values, locale, encoding }),
  }
}

interface StoredOptions {
  readonly append_data: boolean
  readonly dry_run: boolean
  readonly diff: boolean
  readonly all_or_nothing?: boolean
  readonly fail_on_warnings?: boolean
  readonly delete_marked?: boolean
  readonly on_conflict?: NonNullable<ImportRequest['onConflict']>
  readonly mapping?: NonNullable<ImportRequest['mapping']>
  readonly header_row?: NonNullable<ImportRequest['headerRow']>
  readonly values?: NonNullable<ImportRequest['values']>
  readonly locale?: string
  readonly encoding?: string
}

export function keepUpload({ files }: Jobs, id: string, path: string): Promise<void> {
  return files.put(jobFileKey(id, 'upload'), createReadStream(path))
}

async function withLocalFile<T>(
  files: JobFiles,
  key: string,
  signal: AbortSignal,
  fn: (path: string) => Promise<T>,
): Promise<T> {
  const folder = await temporaryFolder('import')
  try {
    const path = join(folder, 'file')
    await pipeline(await files.get(key), createWriteStream(path), { signal }).catch(error => {
      throw storageError(error, folder)
    })
    return await fn(path)
  } catch (error) {
    throw error instanceof JobFileMissing ? gone(message('gone.file')) : error
  } finally {
    await removeFolder(folder)
  }
}
