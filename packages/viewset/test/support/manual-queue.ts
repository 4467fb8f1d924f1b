import type { JobHandler, JobQueue } from 'viewset/jobs'

/** A queue that hands out a job when a test says so. */
export class ManualQueue implements JobQueue {
  readonly enqueued: string[] = []
  #handler: JobHandler | undefined

  async enqueue(id: string): Promise<void> {
    this.enqueued.push(id)
  }

  async work(handler: JobHandler): Promise<() => Promise<void>> {
    this.#handler = handler
    return async () => {}
  }

  async run(id: string, signal: AbortSignal = new AbortController().signal): Promise<void> {
    if (!this.#handler) throw new Error('Nobody works on this queue.')
    await this.#handler(id, signal)
  }
}
