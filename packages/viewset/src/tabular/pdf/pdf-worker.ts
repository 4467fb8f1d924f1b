// The worker thread that makes PDFs, so that they do not block other requests.
import { performTasks } from '../worker-tasks.ts'
import { type Answer, PdfTable, type PdfTableOptions, type Task } from './pdf-table.ts'

performTasks((options: PdfTableOptions) => {
  const table = PdfTable.create(options)
  // The first task reports its error.
  table.catch(() => {})
  return {
    async perform(task: Task): Promise<Answer> {
      const pdf = await table
      if (task !== 'end') {
        pdf.add(task.rows)
        return { bytes: pdf.take() }
      }
      pdf.end()
      return { bytes: pdf.take(), missing: [...pdf.missing], cuts: pdf.cuts }
    },
    transfer: ({ bytes }: Answer) => [bytes.buffer],
  }
})
