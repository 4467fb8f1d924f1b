/**
 * Runs one job. Its signal aborts when the worker stops: then the job should pause where it can go on later. It does
 * nothing for a job that has ended or runs elsewhere; one that throws is called again later.
 */
export type JobHandler = (id: string, signal: AbortSignal) => Promise<void>

/**
 * Who runs jobs. A queue may hand out a job more than once, and at the same time to several workers: whether a job is to
 * be run is decided by its row in the database. It may not lose one.
 *
 * @example
 * const queue: JobQueue = pgBossQueue(process.env.DATABASE_URL)
 */
export interface JobQueue {
  /**
   * Makes sure that a job is handed to a worker, at least once. `owner` is the id of the user who asked for it: a queue
   * should let no user wait for all jobs of another one.
   */
  enqueue(id: string, owner?: string | null): Promise<void>
  /**
   * Hands jobs to `handler`, a limited number at a time.
   *
   * @returns a function that stops it: the signals of what runs abort, and it resolves when all that has ended
   */
  work(handler: JobHandler): Promise<() => Promise<void>>
}
