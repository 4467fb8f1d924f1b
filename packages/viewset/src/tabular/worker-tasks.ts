import { parentPort, type Transferable } from 'node:worker_threads'
import { type SentText, sent } from '../core/messages/message.ts'
import { TabularError, type TabularErrorCode } from './errors.ts'

/** The answer to a failed task. `postMessage` does not keep an error's class. */
export interface TaskFailure {
  readonly error: { readonly code: TabularErrorCode | undefined; readonly text: SentText }
}

/**
 * Makes this thread the worker of a `WorkerJob`: each task gets one answer.
 *
 * @param transfer the parts of an answer to transfer instead of copying
 */
export function performTasks<Task, Answer extends object>(
  perform: (task: Task) => Promise<Answer>,
  transfer: (answer: Answer) => Transferable[] = () => [],
): void {
  parentPort?.on('message', async (task: Task) => {
    try {
      const answer = await perform(task)
      parentPort?.postMessage(answer, transfer(answer))
    } catch (error) {
      const code = error instanceof TabularError ? error.code : undefined
      const message = error instanceof Error ? error.message : String(error)
      // The parent thread knows the language of the client.
      const text = error instanceof TabularError ? sent(error.text) : message
      parentPort?.postMessage({ error: { code, text } } satisfies TaskFailure)
    }
  })
}
