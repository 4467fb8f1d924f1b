import { TooManyRequests } from '../../core/errors.ts'
import type { ApiRequest } from '../../core/request.ts'
import { hasEnded, type Job } from '../../jobs/job-store.ts'
import { EventStream } from '../event-stream.ts'
import { Reply } from '../reply.ts'
import type { JobFeeds } from './job-feed.ts'

const RETRY_AFTER = 10

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

  /**
   * A client that reconnects after the last state gets 204, which ends its reconnecting (HTML, "Server-sent events").
   */
  of(job: Job, { headers }: ApiRequest, follower: Follower): Reply {
    const known = headers['last-event-id']
    if (hasEnded(job) && known === String(job.revision)) return new Reply(null, { status: 204 })
    if (this.#isFull(follower)) {
      const message = `You follow ${follower.mostStreams} jobs already. Close one of the streams, or ask without events.`
      throw new TooManyRequests(message, RETRY_AFTER)
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
