// The worker thread that sets one PDF: it gets plain data and gives bytes back, so that nothing else waits for it.
import { parentPort, workerData } from 'node:worker_threads'
import { TabularError } from '../errors.ts'
import type { Answer, Task } from './messages.ts'
import { PdfTable, type PdfTableOptions } from './pdf-table.ts'

const table = PdfTable.create(workerData as PdfTableOptions)
// Its failure is the answer to the first task, which may not have come yet.
table.catch(() => {})

parentPort?.on('message', async (task: Task) => {
  const answer = await perform(task).catch(failure)
  parentPort?.postMessage(answer, 'bytes' in answer ? [answer.bytes.buffer] : [])
})

async function perform(task: Task): Promise<Answer> {
  const pdf = await table
  if (task !== 'end') {
    pdf.add(task.rows)
    return { bytes: pdf.take() }
  }
  pdf.end()
  return { bytes: pdf.take(), missing: [...pdf.missing], cuts: pdf.cuts }
}

function failure(error: unknown): Answer {
  // An error's class does not survive the way to another thread.
  const code = error instanceof TabularError ? error.code : undefined
  return { error: { code, message: error instanceof Error ? error.message : String(error) } }
}
