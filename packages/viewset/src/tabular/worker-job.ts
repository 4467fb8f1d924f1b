import { Worker } from 'node:worker_threads'
import { received, type Text } from '../core/messages/message.ts'
import { workerFile } from '../core/processes.ts'
import { TabularError } from './errors.ts'
import type { TaskFailure } from './worker-tasks.ts'

export interface WorkerOptions {
  readonly file: URL
  readonly data: unknown
  /** Milliseconds of work, without waiting for tasks. */
  readonly timeLimit: number
  readonly memoryLimit: number
  readonly messages: { readonly outOfTime: Text; readonly outOfMemory: Text }
}

/** `performTasks` does the tasks in order, in the worker thread. */
export class WorkerJob<Task, Answer extends object> {
  readonly #worker: Worker
  readonly #messages: WorkerOptions['messages']
  #time: number
  #last: Promise<unknown> = Promise.resolve()
  #settle:
    | { readonly answer: (answer: Answer | TaskFailure) => void; readonly fail: (error: unknown) => void }
    | undefined
  #end: { readonly error: unknown } | undefined

  constructor({ file, data, timeLimit, memoryLimit, messages }: WorkerOptions) {
    this.#time = timeLimit
    this.#messages = messages
    this.#worker = new Worker(workerFile(file), {
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: memoryLimit },
      // The worker needs no loaders and inspectors of the main thread.
      execArgv: [],
    })
    this.#worker.on('message', answer => this.#settle?.answer(answer))
    this.#worker.on('error', error => this.#fail(this.#failureOf(error)))
    this.#worker.on('exit', () => this.#fail(new Error('The worker has ended.')))
  }

  perform(task: Task): Promise<Answer> {
    const answer = this.#last.then(() => this.#perform(task))
    this.#last = answer.catch(() => {})
    return answer
  }

  /** Terminates the thread at once. Unfinished tasks fail with `reason`. */
  async close(reason: unknown = new Error('The file was closed.')): Promise<void> {
    this.#fail(reason)
    await this.#worker.terminate()
  }

  async #perform(task: Task): Promise<Answer> {
    if (this.#end) throw this.#end.error
    const start = performance.now()
    const timer = setTimeout(() => {
      this.close(new TabularError('out_of_time', this.#messages.outOfTime))
    }, this.#time)
    try {
      const answer = await new Promise<Answer | TaskFailure>((resolve, reject) => {
        this.#settle = { answer: resolve, fail: reject }
        this.#worker.postMessage(task)
      })
      if (!('error' in answer)) return answer
      const { code, text } = answer.error
      throw code ? new TabularError(code, received(text)) : new Error(String(text))
    } finally {
      clearTimeout(timer)
      this.#time -= performance.now() - start
    }
  }

  #fail(error: unknown): void {
    this.#end ??= { error }
    this.#settle?.fail(error)
  }

  #failureOf(cause: unknown): Error {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') {
      return new Error('The worker failed.', { cause })
    }
    return new TabularError('too_large', this.#messages.outOfMemory, cause)
  }
}
