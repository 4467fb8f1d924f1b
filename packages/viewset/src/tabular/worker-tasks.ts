import { getHeapStatistics } from 'node:v8'
import { parentPort, type Transferable } from 'node:worker_threads'
import { type SentText, sent } from '../core/messages/message.ts'
import { TabularError, type TabularErrorCode } from './errors.ts'

/** The data of the next job, which gets no answer; a task; or the end of the job. */
export type WorkerMessage<Data = unknown, Task = unknown> = { readonly data: Data } | { readonly task: Task } | 'finish'

/** The answer to a failed task. `postMessage` does not keep an error's class. */
export interface TaskFailure {
  readonly error: { readonly code: TabularErrorCode | undefined; readonly text: SentText }
}

/** The answer to the end of a job. */
export interface Finished {
  /** The bytes of this thread's heap. */
  readonly heap: number
}

/** What a worker does for one job. */
export interface Work<Task, Answer> {
  perform(task: Task): Promise<Answer>
  /** Frees what the job still holds. */
  finish?(): Promise<void>
  /** The parts of an answer to transfer instead of copying. */
  transfer?(answer: Answer): Transferable[]
}

/** Makes this thread the worker of one `WorkerJob` after the other: each task gets one answer. */
export function performTasks<Data, Task, Answer extends object>(begin: (data: Data) => Work<Task, Answer>): void {
  let work: Work<Task, Answer> | undefined
  parentPort?.on('message', async (message: WorkerMessage<Data, Task>) => {
    if (message !== 'finish' && 'data' in message) {
      work = begin(message.data)
      return
    }
    try {
      if (message === 'finish') {
        await work?.finish?.()
        work = undefined
        parentPort?.postMessage({ heap: heapSize() } satisfies Finished)
        return
      }
      if (!work) throw new Error('A task came before its job.')
      const answer = await work.perform(message.task)
      parentPort?.postMessage(answer, work.transfer?.(answer) ?? [])
    } catch (error) {
      const code = error instanceof TabularError ? error.code : undefined
      const message = error instanceof Error ? error.message : String(error)
      // The parent thread knows the language of the client.
      const text = error instanceof TabularError ? sent(error.text) : message
      parentPort?.postMessage({ error: { code, text } } satisfies TaskFailure)
    }
  })
}

function heapSize(): number {
  const { total_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external
}
