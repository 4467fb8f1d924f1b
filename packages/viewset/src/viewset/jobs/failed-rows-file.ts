import { createReadStream } from 'node:fs'
import { fileName } from '../../core/content-disposition.ts'
import { reportError } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { ofModels } from '../../importing/failed/failed-rows.ts'
import type { ImportService } from '../../importing/import-service.ts'
import type { ImportResult, ImportRowError } from '../../importing/result.ts'
import { jobFileKey } from '../../jobs/files/job-files.ts'
import type { JobRun } from '../../jobs/job-work.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { JobFile } from '../../model/tables/job-columns.ts'
import { failedRowsName, keptRows } from '../files/failed-rows-reply.ts'
import { failedRowsReading, type ImportRequest } from '../files/import-request.ts'
import type { GenericViewSet } from '../generic-viewset.ts'

export type ErrorParts = () => AsyncIterable<readonly ImportRowError[]>

interface Upload {
  readonly path: string
  readonly request: ImportRequest
  readonly result: ImportResult
  readonly errors: ErrorParts
}

type Serving = Pick<GenericViewSet, 'settings' | 'getQueryset' | 'exportOfReader'> & {
  getImportService(): Promise<ImportService>
}

/** Only the upload and the errors decide about the file, so a retry makes the same one. */
export async function keepFailedRows(
  view: Serving,
  { job, signal }: JobRun,
  { files }: Jobs,
  { path, request, result, errors }: Upload,
): Promise<JobFile | null> {
  const target = `${path}.failed`
  const key = jobFileKey(job.id, 'failed')
  try {
    const service = await view.getImportService()
    const { contentType, extension } = await service.writeFailedRows(path, target, {
      errors: ofModels(errors),
      kept: keptRows(request, result),
      queryset: await view.getQueryset(),
      readOnly: view.exportOfReader(),
      settings: view.settings,
      signal,
      ...failedRowsReading(request),
    })
    await files.put(key, createReadStream(target))
    return { key, filename: fileName(failedRowsName(request.file.filename), extension), contentType }
  } catch (error) {
    // After a stop or a 503, a retry may succeed.
    if (signal.aborted || (error instanceof ApiError && error.status === 503)) throw error
    // The result is reported even if the file of failed rows cannot be made.
    reportError(error, 'the file of failed rows could not be made')
    return null
  }
}
