import type { JobRun } from '../../jobs/job-work.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import type { Download } from '../reply.ts'
import type { BackgroundAction } from './work-of-jobs.ts'

type Exporting = GenericViewSet & { export(): Promise<Download> }

/** An export in the background. It stores nothing before its end, so one that is interrupted begins anew. */
export const exportJob: BackgroundAction = {
  action: 'export',
  permits: 'checkExportPermissions',
  body: options => options,
  async run(view, { job }, { files }) {
    const { filename, contentType, stream, warnings } = await (view as Exporting).export()
    const key = `${job.id}/result`
    await files.put(key, stream)
    return { message: warnings.join(' '), data: null, file: { key, filename, contentType } }
  },
}

/** Tells how many rows of an export are written. */
export function showExported(run: JobRun | undefined): { readonly onProgress?: (rows: number) => void } {
  return run ? { onProgress: processed => run.show({ processed }) } : {}
}
