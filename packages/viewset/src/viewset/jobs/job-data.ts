import type { ImportRowError } from '../../importing/result.ts'
import type { Job } from '../../jobs/job-store.ts'
import type { JobOptions, JobProgress } from '../../model/job-columns.ts'

/** A job as it is sent. */
export interface JobData {
  id: string
  /** The name in the path of the resource that works on it. */
  resource: string
  kind: Job['kind']
  state: Job['state']
  /** The id of the user who asked for it, as text; `null` for nobody. */
  user: string | null
  /** What was asked for; of one job only, not in lists. */
  options?: JobOptions
  /** What the client called the file that it sent. */
  file: string | null
  progress: JobProgress
  /** What has become of it, in a sentence or two for a person; `''` where all is well. */
  message: string
  /** What an import has come to; in lists `null` if it is large. */
  result: Readonly<Record<string, unknown>> | null
  /** The name of the file that can be fetched. */
  result_file: string | null
  attempts: number
  is_cancel_requested: boolean
  created_at: string
  started_at: string | null
  ended_at: string | null
  /** The first 1,000 errors of rows; of one job only, not in lists. */
  errors?: readonly ImportRowError[]
}

/** A job as it is sent. */
export function jobData(job: Job): JobData {
  return {
    id: job.id,
    resource: job.resource,
    kind: job.kind,
    state: job.state,
    user: job.owner,
    options: job.options,
    file: job.fileName,
    progress: job.progress,
    message: job.message,
    result: job.result?.data ?? null,
    result_file: job.result?.file?.filename ?? null,
    attempts: job.attempts,
    is_cancel_requested: job.isCancelRequested,
    created_at: job.createdAt,
    started_at: job.startedAt,
    ended_at: job.endedAt,
  }
}

/** The first of the errors that come in parts. */
export async function firstErrors(
  parts: () => AsyncIterable<readonly ImportRowError[]>,
  most: number,
): Promise<readonly ImportRowError[]> {
  const first: ImportRowError[] = []
  for await (const errors of parts()) {
    first.push(...errors.slice(0, most - first.length))
    if (first.length === most) break
  }
  return first
}
