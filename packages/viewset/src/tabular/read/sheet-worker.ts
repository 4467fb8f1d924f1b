// The worker thread that reads one workbook. A hostile file can only stop this thread.
import { workerData } from 'node:worker_threads'
import { performTasks } from '../worker-tasks.ts'
import type { ReadRow } from './file.ts'
import { type FoundRow, headerOf, rowMaker, type SheetSource } from './found-row.ts'
import type { SheetHeader, WorkbookAnswer, WorkbookData, WorkbookTask } from './workbook.ts'

const { path, format, limits, most } = workerData as WorkbookData

interface Reading {
  readonly batches: AsyncIterator<FoundRow[]>
  readonly make: (row: FoundRow) => ReadRow
}

let sources: readonly SheetSource[] = []
let headers: readonly SheetHeader[] = []
const started = new Map<number, Reading>()

performTasks<WorkbookTask, WorkbookAnswer>(async task =>
  task === 'open' ? { sheets: await openSheets() } : { rows: await nextRows(task.sheet, task.columns) },
)

async function openSheets(): Promise<readonly SheetHeader[]> {
  // Loads only the needed reader.
  sources =
    format === 'xlsx'
      ? await (await import('./xlsx/workbook.ts')).xlsxSheets(path, limits, most)
      : await (await import('./xls.ts')).xlsSheets(path, limits)
  const found: SheetHeader[] = []
  for (const { name, rows } of sources) found.push({ name, header: await firstOf(rows()) })
  headers = found
  return headers
}

async function firstOf(batches: AsyncIterable<FoundRow[]>): Promise<string[]> {
  for await (const [row] of batches) if (row) return headerOf(row)
  return []
}

async function nextRows(sheet: number, columns: readonly number[] | undefined): Promise<ReadRow[]> {
  const reading = started.get(sheet)
  if (reading) return await nextBatch(reading)
  const batches = sources[sheet]!.rows()[Symbol.asyncIterator]()
  const first: Reading = { batches, make: rowMaker(headers[sheet]!.header.length, columns) }
  started.set(sheet, first)
  const [, ...rest] = await nextBatch(first)
  return rest.length > 0 ? rest : await nextBatch(first)
}

async function nextBatch({ batches, make }: Reading): Promise<ReadRow[]> {
  for (;;) {
    const { done, value } = await batches.next()
    if (done) return []
    if (value.length > 0) return value.map(make)
  }
}
