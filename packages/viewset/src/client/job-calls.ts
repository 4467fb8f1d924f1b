import type { JobData } from '../viewset/jobs/job-data.ts'
import { ClientError } from './client-error.ts'
import { type Page, ResourceCalls } from './create-client.ts'
import { type CallOptions, segment } from './options.ts'
import { Download, type Sender } from './send.ts'

/** Milliseconds before a job is asked for again. */
const PAUSE = 1_000
/** Times in a row that there may be no answer: a server that is started anew is back by then. */
const TRIES = 60

/** What a client does with the jobs of an API, beside what it does with any resource. */
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

  async follow(id: string, { onChange, ...options }: FollowOptions = {}): Promise<JobData | undefined> {
    let told = ''
    for await (const job of this.#states(pathOf(id), options)) {
      const text = JSON.stringify(job)
      if (text !== told) onChange?.(job)
      told = text
      if (job.ended_at !== null) return job
    }
    return undefined
  }

  /** A job time and again. Where no events come, or no further, it is asked for as such. */
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
        // Nobody listens to further events.
        left.abort()
      }
      if (!asEvents) await new Promise(resolve => setTimeout(resolve, PAUSE))
    }
  }
}

function pathOf(id: string): string {
  return `/jobs/${segment(id)}/`
}

/** Whether nobody has answered who could. */
function isAway(error: unknown): boolean {
  return error instanceof ClientError && (error.status === 0 || error.status >= 500)
}

/** The data of the events that arrive (HTML, "Server-sent events"), each of which is JSON in one line. */
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
