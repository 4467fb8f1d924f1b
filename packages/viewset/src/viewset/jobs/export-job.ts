import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { message } from '../../core/messages/message.ts'
import { JobFileMissing, jobFileKey } from '../../jobs/files/job-files.ts'
import type { Job } from '../../jobs/job-store.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Download } from '../answer/reply.ts'
import { listening } from '../files/listeners.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { readerOf } from '../reading/reader.ts'
import { type BackgroundAction, gone } from './work-of-jobs.ts'

type Exporting = GenericViewSet & { export(): Promise<Download> }

/** Exports in the background. It stores nothing before its end, so an interrupted one starts again. */
export const exportJob: BackgroundAction = {
  action: 'export',
  permits: 'checkExportPermissions',
  body: bodyOf,
  async run(view, { job, show, end }, { files }) {
    const exporting = () => (view as Exporting).export()
    const onExportProgress = (processed: number) => show({ processed })
    const { filename, contentType, stream, warnings } = await listening(view, { onExportProgress }, exporting)
    const key = jobFileKey(job.id, 'result')
    await files.put(key, stream)
    await end({ message: warnings.join(' '), data: null, file: { key, filename, contentType, reader: readerOf(view) } })
  },
}

interface OptionsWithRows {
  readonly data_rows?: number
}

export function exportJobOptions(options: object, rows: number): object {
  return { ...options, ...(rows > 0 && ({ data_rows: rows } satisfies OptionsWithRows)) }
}

export async function keepRows({ files }: Jobs, id: string, rows: readonly unknown[]): Promise<void> {
  if (rows.length > 0) await files.put(jobFileKey(id, 'upload'), Readable.from([Buffer.from(JSON.stringify(rows))]))
}

async function bodyOf({ id, options }: Job, { files }: Jobs): Promise<object> {
  const { data_rows = 0, ...body } = options as OptionsWithRows
  if (data_rows === 0) return body
  try {
    return { ...body, data: JSON.parse(await text(await files.get(jobFileKey(id, 'upload')))) }
  } catch (error) {
    throw error instanceof JobFileMissing ? gone(message('gone.rows')) : error
  }
}
