import { jobFileKey } from '../../jobs/files/job-file-key.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { listening } from '../listeners.ts'
import type { Download } from '../reply.ts'
import type { BackgroundAction } from './work-of-jobs.ts'

type Exporting = GenericViewSet & { export(): Promise<Download> }

/** An export in the background. It stores nothing before its end, so one that is interrupted begins anew. */
export const exportJob: BackgroundAction = {
  action: 'export',
  permits: 'checkExportPermissions',
  body: options => options,
  async run(view, { job, show, end }, { files }) {
    const exporting = () => (view as Exporting).export()
    const onExportProgress = (processed: number) => show({ processed })
    const { filename, contentType, stream, warnings } = await listening(view, { onExportProgress }, exporting)
    const key = jobFileKey(job.id, 'result')
    await files.put(key, stream)
    await end({ message: warnings.join(' '), data: null, file: { key, filename, contentType } })
  },
}
