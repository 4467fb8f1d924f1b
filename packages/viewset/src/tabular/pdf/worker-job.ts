import { Worker } from 'node:worker_threads'
import { TabularError } from '../errors.ts'
import type { Answer, Task } from './messages.ts'
import type { PdfTableOptions } from './pdf-table.ts'

export interface WorkerLimits {
  /** Milliseconds that the worker may work; time in which it waits for rows does not count. */
  readonly timeLimit: number
  /** Megabytes of its heap. */
  readonly memoryLimit: number
}

/** A PDF in the making, in a thread of its own. `close` ends the thread at once, whatever it is doing. */
export class WorkerJob {
  readonly #worker: Worker
  #time: number
  #settle: { readonly answer: (answer: Answer) => void; readonly fail: (error: Error) => void } | undefined
  /** Why there is no worker any more. */
  #end: Error | undefined

  constructor(options: PdfTableOptions, { timeLimit, memoryLimit }: WorkerLimits) {
    this.#time = timeLimit
    this.#worker = new Worker(workerFile(), {
      workerData: options,
      resourceLimits: { maxOldGenerationSizeMb: memoryLimit },
      // Loaders and inspectors of the main thread have no business here.
      execArgv: [],
    })
    this.#worker.on('message', (answer: Answer) => this.#settle?.answer(answer))
    this.#worker.on('error', error => this.#fail(failureOf(error)))
    this.#worker.on('exit', () => this.#fail(new Error('The worker for PDF files has ended.')))
  }

  /** Lets the worker do one task. One at a time. */
  async perform(task: Task): Promise<Exclude<Answer, { error: unknown }>> {
    if (this.#end) throw this.#end
    const start = performance.now()
    const timer = setTimeout(() => this.#fail(outOfTime()), this.#time)
    try {
      const answer = await new Promise<Answer>((resolve, reject) => {
        this.#settle = { answer: resolve, fail: reject }
        this.#worker.postMessage(task)
      })
      if (!('error' in answer)) return answer
      const { code, message } = answer.error
      throw code ? new TabularError(code, message) : new Error(message)
    } finally {
      clearTimeout(timer)
      this.#time -= performance.now() - start
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #fail(error: Error): void {
    this.#end ??= error
    this.#settle?.fail(error)
  }
}

function workerFile(): URL {
  // Written like this, bundlers know it for a file that they have to bring along.
  const file = new URL('./worker.js', import.meta.url)
  // The package's files end in .js, the sources run as they are.
  if (import.meta.url.endsWith('.ts')) file.pathname = file.pathname.replace(/js$/, 'ts')
  return file
}

function failureOf(cause: unknown): Error {
  if ((cause as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') {
    return new Error('The worker for PDF files failed.', { cause })
  }
  return new TabularError('too_large', 'The PDF needs too much memory; export fewer rows.', cause)
}

function outOfTime(): TabularError {
  return new TabularError('out_of_time', 'The PDF took too long to make; export fewer rows.')
}
