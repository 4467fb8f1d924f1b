import { TooManyRequests } from '../core/errors.ts'
import type { Job, JobStore } from './job-store.ts'

/** How many jobs may wait or run. */
export interface JobLimits {
  readonly perUser: number
  readonly total: number
}

/** A job that was asked for, and who asked. */
export type AskedPlace = Pick<Job, 'id' | 'owner'>

/** Seconds after which a place may be free: a short job has ended by then. */
const RETRY_AFTER = 10

/**
 * Gives a place to each job that is asked for, as long as there are any. Jobs that are only being stored count as well,
 * so that requests which come together in one process cannot pass the limit.
 */
export class JobPlaces {
  readonly #store: JobStore
  readonly #limits: JobLimits
  /** In the order in which they were asked for. */
  readonly #beingStored = new Set<AskedPlace>()

  constructor(store: JobStore, limits: JobLimits) {
    this.#store = store
    this.#limits = limits
  }

  /** Stores a job with `store`, if there is a place for it. @throws TooManyRequests */
  async take<T>(asked: AskedPlace, store: () => Promise<T>): Promise<T> {
    const before = [...this.#beingStored]
    this.#beingStored.add(asked)
    try {
      await this.#check(asked, before)
      return await store()
    } finally {
      this.#beingStored.delete(asked)
    }
  }

  async #check({ owner }: AskedPlace, before: readonly AskedPlace[]): Promise<void> {
    const { perUser, total } = this.#limits
    const stored = await this.#store.unfinished(total)
    const owners = new Map([...before, ...stored].map(job => [job.id, job.owner]))
    const mine = [...owners.values()].filter(other => other === owner).length
    if (mine >= perUser) {
      const jobs = perUser === 1 ? 'a job that has' : `${mine} jobs that have`
      throw new TooManyRequests(`You have ${jobs} not ended. Try again when one has.`, RETRY_AFTER)
    }
    if (owners.size >= total) {
      throw new TooManyRequests('The server has too many jobs that have not ended. Try again later.', RETRY_AFTER)
    }
  }
}
