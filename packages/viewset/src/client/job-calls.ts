import type { JobData } from '../viewset/jobs/job-data.ts'
import { segment } from './address.ts'
import { ClientError } from './client-error.ts'
import { Download } from './download.ts'
import { eventsOf } from './events.ts'
import type { FollowOptions } from './job-types.ts'
import type { CallOptions } from './options.ts'
import { ResourceCalls } from './resource-client.ts'
import type { Sender } from './send.ts'

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
