import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiRequest } from '../../core/request.ts'
import { hasEnded, type Job } from '../../jobs/job-store.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { EventStream } from '../event-stream.ts'
import { Reply } from '../reply.ts'
import type { JobData } from './job-data.ts'

/** Milliseconds between two events at least: a chunk may be a single row. */
const PACE = 250
/** Milliseconds between two looks at a job that another process runs. */
const LOOK = 1_000

/** Whether a client wants to be told of changes, as `EventSource` says it. */
export function wantsEvents({ headers: { accept } }: ApiRequest): boolean {
  return String(accept).includes('text/event-stream')
}

/**
 * Tells of a job each time that it changes, until it has ended; a client that comes again and has had its state is not
 * told that again. To one that has had its end, 204 says that there is nothing to come for (HTML, "Server-sent events").
 */
export function jobEvents(jobs: Jobs, job: Job, { headers }: ApiRequest, show: (job: Job) => Promise<JobData>): Reply {
  const known = headers['last-event-id']
  if (hasEnded(job) && known === String(job.revision)) return new Reply(null, { status: 204 })
  return new Reply(
    new EventStream(async function* (signal) {
      const changes = new Changes(jobs, job.id, signal)
      let told = known === String(job.revision) ? JSON.stringify(await show(job)) : ''
      for (let current: Job | undefined = job; current; current = await jobs.store.find(job.id)) {
        const data = JSON.stringify(await show(current))
        if (data !== told) yield { id: String(current.revision), data }
        told = data
        if (hasEnded(current)) return
        await changes.next()
      }
    }),
  )
}

/** The times at which it is worth to look at a job again. */
class Changes {
  readonly #signal: AbortSignal
  #changed = Promise.withResolvers<void>()

  constructor(jobs: Jobs, id: string, signal: AbortSignal) {
    this.#signal = signal
    const end = jobs.listen(id, () => this.#changed.resolve())
    signal.addEventListener('abort', end, { once: true })
  }

  /** @throws what the signal aborts with */
  async next(): Promise<void> {
    const options = { signal: this.#signal, ref: false }
    await sleep(PACE, undefined, options)
    await Promise.race([this.#changed.promise, sleep(LOOK - PACE, undefined, options)])
    this.#changed = Promise.withResolvers()
  }
}
