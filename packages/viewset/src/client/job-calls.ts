import type { JobData } from '../viewset/jobs/job-data.ts'
import { ClientError } from './client-error.ts'
import { type CallOptions, segment } from './options.ts'
import { type Page, ResourceCalls } from './resource-client.ts'
import { Download, type Sender } from './send.ts'

const PAUSE = 1_000
/** Most failed attempts in a row: a server that restarts is back by then. */
const TRIES = 60

export class JobCalls extends ResourceCalls {
  readonly #sender: Sender

  constructor(sender: Sender) {
    super(sender, '/jobs')
    this.#sender = sender
  }

  async cancel(id: string, options?: CallOptions): Promise<JobData> {
    return (await this.#sender.send<JobData>('POST', `${pathOf(id)}cancel/`, options)).data
  }

  async file(id: string, options?: CallOptions): Promise<Download> {
    return (await this.#sender.send<Download>('GET', `${pathOf(id)}file/`, options, true)).data
  }

  async undo(id: string, { dry_run, ...options }: UndoOptions = {}): Promise<JobData> {
    const query = dry_run === undefined ? {} : { dry_run }
    return (await this.#sender.send<JobData>('POST', `${pathOf(id)}undo/`, { ...options, query })).data
  }

  async follow(id: string, { onChange, ...options }: FollowOptions = {}): Promise<JobData | undefined> {
    let reported = ''
    for await (const job of this.#states(pathOf(id), options)) {
      const text = JSON.stringify(job)
      if (text !== reported) onChange?.(job)
      reported = text
      if (job.ended_at !== null) return job
    }
    return undefined
  }

  async *#states(path: string, { signal, headers }: CallOptions): AsyncGenerator<JobData> {
    let failures = 0
    for (let asEvents = true; ; asEvents = !asEvents) {
      const left = new AbortController()
      try {
        const accept = asEvents ? 'text/event-stream' : 'application/json'
        const either = signal ? AbortSignal.any([signal, left.signal]) : left.signal
        const options = { headers: { ...headers, accept }, signal: either }
        const { data } = await this.#sender.send<Download | JobData>('GET', path, options, asEvents)
        for await (const job of data instanceof Download ? eventsOf<JobData>(data.stream) : [data]) {
          failures = 0
          yield job
        }
      } catch (error) {
        if (!asEvents && (signal?.aborted || !isAway(error) || ++failures > TRIES)) throw error
      } finally {
        // No reader is left for further events.
        left.abort()
      }
      if (!asEvents) await new Promise(resolve => setTimeout(resolve, PAUSE))
    }
  }
}

function pathOf(id: string): string {
  return `/jobs/${segment(id)}/`
}

function isAway(error: unknown): boolean {
  return error instanceof ClientError && (error.status === 0 || error.status >= 500)
}

/** The data of server-sent events (HTML, "Server-sent events"), each JSON in one line. */
async function* eventsOf<T>(stream: ReadableStream<Uint8Array>): AsyncGenerator<T> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const events = (text + decoder.decode(value, { stream: true })).split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const [, data] = /^data: (.*)$/m.exec(event) ?? []
      if (data) yield JSON.parse(data) as T
    }
  }
}

/** Options of `undo`. */
export interface UndoOptions extends CallOptions {
  /** Whether to report only what would become of the records. */
  readonly dry_run?: boolean
}

/** Options of `follow`. */
export interface FollowOptions extends CallOptions {
  /** Called with the job at once and after each change, the last time when it has ended. */
  readonly onChange?: (job: JobData) => void
}

/** The calls for background jobs. */
export interface JobsClient {
  /** One page of the jobs, the newest first. @throws ClientError */
  list(query?: JobQuery, options?: CallOptions): Promise<Page<JobData & { readonly index?: number }>>
  /** All jobs, fetched page by page. @throws ClientError */
  all(query?: JobQuery, options?: CallOptions): AsyncGenerator<JobData, void, undefined>
  /** @throws ClientError with status 404 if there is no such job, or it belongs to another user */
  retrieve(id: string, options?: CallOptions): Promise<JobData>
  /** Stops a job. Its stored results stay. @throws ClientError with status 409 if it has ended */
  cancel(id: string, options?: CallOptions): Promise<JobData>
  /**
   * The file of an export, or the failed rows of an import.
   *
   * @throws ClientError with status 404 for a job without a file, 409 for one that has not ended
   */
  file(id: string, options?: CallOptions): Promise<Download>
  /**
   * Undoes an import. Returns the job that does it; its `result` says what has become of the records.
   *
   * @throws ClientError with status 403 without the permission, 409 if the job cannot be undone
   * @example
   * const { job } = await client.articles.importFile(file, { append_data: true })
   * const { id } = await client.jobs.undo(job, { dry_run: true })
   * const { result } = await client.jobs.follow(id)
   */
  undo(id: string, options?: UndoOptions): Promise<JobData>
  /**
   * Waits until a job has ended and reports its progress, by server-sent events or else by polling every second. Waits
   * up to a minute for a server that does not respond.
   *
   * @throws ClientError if the job cannot be requested any more, or the call is aborted; the job continues
   * @example
   * const { id } = await client.articles.importFile(file, { append_data: true, background: true })
   * const { state, progress } = await client.jobs.follow(id, { onChange: job => bar.update(job.progress) })
   */
  follow(id: string, options?: FollowOptions): Promise<JobData>
}

/** Filters of the list of jobs. */
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
