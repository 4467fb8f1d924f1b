// The worker thread that makes one PDF, so that it does not block other requests.
import { workerData } from 'node:worker_threads'
import { performTasks } from '../worker-tasks.ts'
import { type Answer, PdfTable, type PdfTableOptions, type Task } from './pdf-table.ts'

const table = PdfTable.create(workerData as PdfTableOptions)
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
