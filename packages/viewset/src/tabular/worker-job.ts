import { received, type Text } from '../core/messages/message.ts'
import { TabularError } from './errors.ts'
import type { WarmWorkers, WorkerThread } from './warm-workers.ts'

export interface WorkerOptions {
  readonly workers: WarmWorkers
  readonly data: unknown
  /** Milliseconds of work, without waiting for tasks. */
  readonly timeLimit: number
  readonly memoryLimit: number
  readonly messages: { readonly outOfTime: Text; readonly outOfMemory: Text }
}

/** Tasks for one worker thread, which does them in order with `performTasks`. */
export class WorkerJob<Task, Answer extends object> {
  readonly #workers: WarmWorkers
  readonly #thread: WorkerThread
  readonly #messages: WorkerOptions['messages']
  #time: number
  #last: Promise<unknown> = Promise.resolve()
  #task: PromiseWithResolvers<never> | undefined
  #end: { readonly error: unknown } | undefined
  #closed: Promise<void> | undefined

  constructor({ workers, data, timeLimit, memoryLimit, messages }: WorkerOptions) {
    this.#workers = workers
    this.#time = timeLimit
    this.#messages = messages
    this.#thread = workers.take(memoryLimit)
    this.#thread.begin(data)
  }

  perform(task: Task): Promise<Answer> {
    const answer = this.#last.then(() => this.#perform(task))
    this.#last = answer.catch(() => {})
    return answer
  }

  /** Unfinished tasks fail. The thread may have another job afterwards. */
  close(): Promise<void> {
    return this.#close(new Error('The file was closed.'), () => this.#workers.release(this.#thread))
  }

  /** Terminates the thread at once. Unfinished tasks fail with `reason`. */
  abort(reason: unknown): Promise<void> {
    return this.#close(reason, () => this.#thread.end())
  }

  #close(error: unknown, end: () => Promise<void>): Promise<void> {
    this.#end ??= { error }
    this.#task?.reject(this.#end.error)
    this.#closed ??= end()
    return this.#closed
  }

  async #perform(task: Task): Promise<Answer> {
    if (this.#end) throw this.#end.error
    const start = performance.now()
    const timer = setTimeout(() => {
      this.abort(new TabularError('out_of_time', this.#messages.outOfTime))
    }, this.#time)
    this.#task = Promise.withResolvers()
    try {
      const answer = await Promise.race([this.#ask(task), this.#task.promise])
      if (!('error' in answer)) return answer
      const { code, text } = answer.error
      throw code ? new TabularError(code, received(text)) : new Error(String(text))
    } finally {
      clearTimeout(timer)
      this.#task = undefined
      this.#time -= performance.now() - start
    }
  }

  async #ask(task: Task) {
    try {
      return await this.#thread.ask<Answer>({ task })
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
        throw new TabularError('too_large', this.#messages.outOfMemory, cause)
      }
      throw new Error('The worker failed.', { cause })
    }
  }
}
