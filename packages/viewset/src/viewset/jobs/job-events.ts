import { setTimeout as sleep } from 'node:timers/promises'
import { TooManyRequests } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { ApiRequest } from '../../core/request.ts'
import { hasEnded, type Job } from '../../jobs/job-store.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { EventStream } from '../answer/event-stream.ts'
import { Reply } from '../answer/reply.ts'
import type { JobData } from './job-data.ts'

/** The shortest time between two states, in milliseconds: a chunk may be a single row. */
const EVENT_PAUSE = 250
/** The time between two reads of a job that another process runs, in milliseconds. */
const POLL_PAUSE = 1_000
/** In seconds, for a client with too many streams. */
const RETRY_AFTER = 10

export interface JobState {
  readonly revision: number
  readonly data: string
  readonly isLast: boolean
}

export type ShowJob = (job: Job) => JobData | Promise<JobData>

/** The jobs that event streams follow. All streams of a job share one feed, so their number costs no reads. */
export class JobFeeds {
  readonly #jobs: Jobs
  readonly #show: ShowJob
  readonly #feeds = new Map<string, JobFeed>()

  constructor(jobs: Jobs, show: ShowJob) {
    this.#jobs = jobs
    this.#show = show
  }

  /** The states of a job, from the current one to its last one. A slow reader skips some. */
  async *follow(job: Job, signal: AbortSignal): AsyncGenerator<JobState> {
    const feed = this.#feedOf(job)
    const gone = Promise.withResolvers<never>()
    gone.promise.catch(() => {})
    signal.addEventListener('abort', () => gone.reject(signal.reason), { once: true })
    feed.streams++
    try {
      for (let state: JobState | undefined; !state?.isLast; ) {
        state = await Promise.race([feed.after(state, job), gone.promise])
        yield state
      }
    } finally {
      feed.streams--
    }
  }

  #feedOf({ id }: Job): JobFeed {
    const known = this.#feeds.get(id)
    if (known) return known
    const feed = new JobFeed(this.#jobs, this.#show, id)
    this.#feeds.set(id, feed)
    void this.#jobs.outsideOfRequests(() => feed.watch(() => this.#feeds.delete(id)))
    return feed
  }
}

class JobFeed {
  streams = 0
  readonly #jobs: Jobs
  readonly #show: ShowJob
  readonly #id: string
  #state: JobState | undefined
  #next = Promise.withResolvers<JobState>()

  constructor(jobs: Jobs, show: ShowJob, id: string) {
    this.#jobs = jobs
    this.#show = show
    this.#id = id
    this.#next.promise.catch(() => {})
  }

  /** Waits for a state after `known` that is not older than `job`. */
  async after(known: JobState | undefined, job: Job): Promise<JobState> {
    for (;;) {
      const state = this.#state
      if (state && state !== known && state.revision >= job.revision) return state
      await this.#next.promise
    }
  }

  /** Reads the job while it has streams, then calls `ended`. Never throws: an error ends the streams. */
  async watch(ended: () => void): Promise<void> {
    const changes = new Changes(this.#jobs, this.#id)
    try {
      let job = await this.#jobs.store.find(this.#id)
      while (job) {
        await this.#publish(job)
        if (hasEnded(job)) return
        await changes.next()
        if (this.streams === 0) return
        const revision = await this.#jobs.store.revisionOf(this.#id)
        if (revision !== job.revision) job = await this.#jobs.store.find(this.#id)
      }
      throw new Error(`The job ${this.#id} was removed while it was followed.`)
    } catch (error) {
      this.#next.reject(error)
    } finally {
      // At once, so that no new stream joins a feed that has ended.
      ended()
      changes.end()
    }
  }

  async #publish(job: Job): Promise<void> {
    const { revision } = job
    const data = JSON.stringify(await this.#show(job))
    if (data === this.#state?.data && revision === this.#state.revision) return
    this.#state = { revision, data, isLast: hasEnded(job) }
    this.#next.resolve(this.#state)
    this.#next = Promise.withResolvers()
    this.#next.promise.catch(() => {})
  }
}

class Changes {
  readonly end: () => void
  #changed = Promise.withResolvers<void>()

  constructor(jobs: Jobs, id: string) {
    this.end = jobs.listen(id, () => this.#changed.resolve())
  }

  async next(): Promise<void> {
    const options = { ref: false }
    await sleep(EVENT_PAUSE, undefined, options)
    await Promise.race([this.#changed.promise, sleep(POLL_PAUSE - EVENT_PAUSE, undefined, options)])
    this.#changed = Promise.withResolvers()
  }
}

export function wantsEvents({ headers: { accept } }: ApiRequest): boolean {
  return String(accept).includes('text/event-stream')
}

export interface Follower {
  readonly user: string | null
  readonly mostStreams: number
}

/** The event streams of all jobs of an API, in this process. */
export class JobEvents {
  readonly #feeds: JobFeeds
  readonly #open = new Map<string | null, number>()

  constructor(feeds: JobFeeds) {
    this.#feeds = feeds
  }

  /** A client that reconnects after the last state gets 204, which ends its reconnecting (HTML, SSE). */
  of(job: Job, { headers }: ApiRequest, follower: Follower): Reply {
    const known = headers['last-event-id']
    if (hasEnded(job) && known === String(job.revision)) return new Reply(null, { status: 204 })
    if (this.#isFull(follower)) {
      throw new TooManyRequests(message('too_many_requests.streams', { streams: follower.mostStreams }), RETRY_AFTER)
    }
    return new Reply(new EventStream(signal => this.#events(job, String(known), follower, signal)))
  }

  async *#events(job: Job, known: string, follower: Follower, signal: AbortSignal) {
    // Concurrent requests may all pass the first check before the others are counted.
    if (this.#isFull(follower)) return
    const { user } = follower
    this.#open.set(user, this.#openOf(user) + 1)
    try {
      let isFirst = true
      for await (const { revision, data, isLast } of this.#feeds.follow(job, signal)) {
        const id = String(revision)
        if (!isFirst || isLast || id !== known) yield { id, data }
        isFirst = false
      }
    } finally {
      const left = this.#openOf(user) - 1
      if (left === 0) this.#open.delete(user)
      else this.#open.set(user, left)
    }
  }

  #isFull({ user, mostStreams }: Follower): boolean {
    return this.#openOf(user) >= mostStreams
  }

  #openOf(user: string | null): number {
    return this.#open.get(user) ?? 0
  }
}
