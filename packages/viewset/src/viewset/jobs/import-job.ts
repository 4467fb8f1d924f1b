import { createReadStream } from 'node:fs'
import type { ImportOptions } from '../../importing/options.ts'
import type { ImportResult } from '../../importing/result.ts'
import type { JobOutcome, JobRun } from '../../jobs/job-work.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { JobOptions } from '../../model/job-columns.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { dataOf, failureMessage } from '../import/import-reply.ts'
import type { ImportRequest } from '../import/import-request.ts'
import { withLocalFile } from './local-file.ts'
import type { BackgroundAction } from './work-of-jobs.ts'

/** Rows of a transaction where the configuration says nothing: without chunks, a job could not go on. */
const CHUNK = 2_000

type Importing = GenericViewSet & {
  performImport(path: string, request: ImportRequest): Promise<ImportResult>
}

/** An import in the background. */
export const importJob: BackgroundAction = {
  action: 'importFile',
  permits: 'checkImportPermissions',
  run: (view, run, { files }) =>
    withLocalFile(files, uploadKey(run.job.id), run.signal, async path => {
      const request = importRequestOf(run)
      // The route of an import brings both; what else has the kind of an import has not been stored by us.
      return outcomeOf(await (view as Importing).performImport(path, request), request)
    }),
}

function outcomeOf(result: ImportResult, request: Pick<ImportRequest, 'append' | 'dryRun'>): JobOutcome {
  const { errors, ...data } = dataOf(result)
  const isUndone = request.dryRun || !request.append
  const { processed, failed, created, updated, unchanged = 0, skipped = 0, deleted = 0 } = result
  return {
    message: result.success ? '' : failureMessage(result, request.append),
    data,
    file: null,
    // Of chunks, they are stored along with each; what is rolled back has stored none.
    ...(isUndone && { errors: [result.errors] }),
    progress: { processed, failed, created, updated, unchanged, skipped, deleted },
  }
}

/** What an import is told that goes on as a job. */
export function jobOptions(run: JobRun | undefined): Partial<ImportOptions> {
  if (!run) return {}
  const { total, ...from } = run.job.progress
  const { count, save, show } = run
  const end = (result: ImportResult) => run.end(outcomeOf(result, importRequestOf(run)))
  return { checkpoint: { from, total, chunkSize: CHUNK, count, save, show, end } }
}

/** What of a request for an import is kept with its job: on the wire as it is here. */
export function importJobOptions(request: ImportRequest): JobOptions {
  const { append, dryRun, diff, mapping } = request
  return { append_data: append, dry_run: dryRun, diff, ...(mapping && { mapping }) }
}

function importRequestOf({ job: { fileName, options } }: JobRun): ImportRequest {
  const { append_data, dry_run, diff, mapping } = options as StoredOptions
  return {
    file: { filename: fileName ?? '', size: 0 },
    append: append_data,
    dryRun: dry_run,
    diff,
    failedRows: false,
    background: true,
    ...(mapping && { mapping }),
  }
}

/** As {@link importJobOptions} makes them. */
interface StoredOptions {
  readonly append_data: boolean
  readonly dry_run: boolean
  readonly diff: boolean
  readonly mapping?: NonNullable<ImportRequest['mapping']>
}

/** Keeps the file of an upload for the job that will import it. */
export function keepUpload({ files }: Jobs, id: string, path: string): Promise<void> {
  return files.put(uploadKey(id), createReadStream(path))
}

function uploadKey(id: string): string {
  return `${id}/upload`
}
