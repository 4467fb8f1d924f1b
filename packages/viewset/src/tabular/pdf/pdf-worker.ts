// The worker thread that sets one PDF: it gets plain data and gives bytes back, so that nothing else waits for it.
import { workerData } from 'node:worker_threads'
import { performTasks } from '../worker-tasks.ts'
import { type Answer, PdfTable, type PdfTableOptions, type Task } from './pdf-table.ts'

const table = PdfTable.create(workerData as PdfTableOptions)
// Its failure is the answer to the first task, which may not have come yet.
table.catch(() => {})

performTasks(perform, ({ bytes }) => [bytes.buffer])

async function perform(task: Task): Promise<Answer> {
  const pdf = await table
  if (task !== 'end') {
    pdf.add(task.rows)
    return { bytes: pdf.take() }
  }
  pdf.end()
  return { bytes: pdf.take(), missing: [...pdf.missing], cuts: pdf.cuts }
}
