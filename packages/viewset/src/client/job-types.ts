import type { JobData } from '../viewset/jobs/job-data.ts'
import type { Download } from './download.ts'
import type { CallOptions } from './options.ts'
import type { Page } from './resource-client.ts'

/** How a job is followed. */
export interface FollowOptions extends CallOptions {
  /** Told of the job as it is, and each time that it changes; at last, of the job that has ended. */
  readonly onChange?: (job: JobData) => void
}

/** What a client asks of the work that the API does in the background. */
export interface JobsClient {
  /** One page of the jobs, the newest first. @throws ClientError */
  list(query?: JobQuery, options?: CallOptions): Promise<Page<JobData & { readonly index?: number }>>
  /** All of them, page by page as they are asked for. @throws ClientError */
  all(query?: JobQuery, options?: CallOptions): AsyncGenerator<JobData, void, undefined>
  /** @throws ClientError with status 404 where there is no such job, or it is somebody else's */
  retrieve(id: string, options?: CallOptions): Promise<JobData>
  /** Stops a job, which keeps what it has stored. @throws ClientError with status 409 for one that has ended */
  cancel(id: string, options?: CallOptions): Promise<JobData>
  /**
   * The file of an export, or the rows of an import that failed.
   *
   * @throws ClientError with status 404 for a job that has made none, 409 for one that has not ended
   */
  file(id: string, options?: CallOptions): Promise<Download>
  /**
   * Waits until a job has ended, and tells how far it is: by server-sent events and, where these do not come through, by
   * asking each second. A server that is away is waited for, a minute long.
   *
   * @throws ClientError where it cannot be asked for any more, or the call is aborted; the job goes on
   * @example
   * const { id } = await client.articles.importFile(file, { append_data: true, background: true })
   * const { state, progress } = await client.jobs.follow(id, { onChange: job => bar.update(job.progress) })
   */
  follow(id: string, options?: FollowOptions): Promise<JobData>
}

/** Which jobs are listed. */
export interface JobQuery {
  readonly state?: JobData['state']
  readonly state__in?: readonly JobData['state'][]
  readonly kind?: JobData['kind']
  readonly kind__in?: readonly JobData['kind'][]
  readonly resource?: string
  readonly resource__in?: readonly string[]
  readonly ordering?: JobOrdering | readonly JobOrdering[]
  readonly page?: number
  readonly page_size?: number
  readonly paginated?: boolean
}
type JobOrdering = 'created_at' | '-created_at' | 'ended_at' | '-ended_at'
