// The worker thread that reads one workbook: whatever a hostile file does to it, nothing else is held up.
import { workerData } from 'node:worker_threads'
import { performTasks } from '../worker-tasks.ts'
import { headerOf } from './cells.ts'
import type { ReadRow } from './file.ts'
import type { SheetHeader, WorkbookAnswer, WorkbookData, WorkbookTask } from './messages.ts'
import type { SheetSource } from './sheet-source.ts'

const { path, format, limits } = workerData as WorkbookData

let sources: readonly SheetSource[] = []
const started = new Map<number, AsyncIterator<ReadRow[]>>()

performTasks<WorkbookTask, WorkbookAnswer>(async task =>
  task === 'open' ? { sheets: await openSheets() } : { rows: await nextRows(task.sheet) },
)

async function openSheets(): Promise<SheetHeader[]> {
  // Only the one that is needed is loaded.
  sources =
    format === 'xlsx'
      ? await (await import('./xlsx/workbook.ts')).xlsxSheets(path, limits)
      : await (await import('./xls.ts')).xlsSheets(path, limits)
  const headers: SheetHeader[] = []
  for (const { name, rows } of sources) headers.push({ name, header: await firstOf(rows()) })
  return headers
}

async function firstOf(batches: AsyncIterable<ReadRow[]>): Promise<string[]> {
  for await (const [row] of batches) if (row) return headerOf(row)
  return []
}

/** The next rows of a sheet, without its header; none at its end. */
async function nextRows(sheet: number): Promise<ReadRow[]> {
  const rows = started.get(sheet)
  if (rows) return await nextBatch(rows)
  const first = sources[sheet]!.rows()[Symbol.asyncIterator]()
  started.set(sheet, first)
  const [, ...rest] = await nextBatch(first)
  return rest.length > 0 ? rest : await nextBatch(first)
}

async function nextBatch(batches: AsyncIterator<ReadRow[]>): Promise<ReadRow[]> {
  for (;;) {
    const { done, value } = await batches.next()
    if (done) return []
    if (value.length > 0) return value
  }
}
