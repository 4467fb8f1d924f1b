// The worker thread that reads one workbook. A hostile file can only stop this thread.
import { workerData } from 'node:worker_threads'
import { performTasks } from '../worker-tasks.ts'
import type { ReadRow } from './file.ts'
import { type FoundRow, rowMaker, type SheetSource, topOf } from './found-row.ts'
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
  task === 'open' ? { sheets: await openSheets() } : { rows: await nextRows(task) },
)

async function openSheets(): Promise<readonly SheetHeader[]> {
  // Loads only the needed reader.
  sources =
    format === 'xlsx'
      ? await (await import('./xlsx/workbook.ts')).xlsxSheets(path, limits, most)
      : await (await import('./xls.ts')).xlsSheets(path, limits)
  const found: SheetHeader[] = []
  for (const { name, isHidden, rows } of sources) {
    const top = await topOf(rows())
    found.push({ name, isHidden, header: top[0]?.texts ?? [], top })
  }
  headers = found
  return headers
}

async function nextRows({ sheet, columns, header }: Exclude<WorkbookTask, 'open'>): Promise<ReadRow[]> {
  const reading = started.get(sheet)
  if (reading) return await nextBatch(reading)
  const [first] = headers[sheet]!.top
  const { row: last, width } = header ?? { row: first?.row ?? 0, width: first?.texts.length ?? 0 }
  const batches = sources[sheet]!.rows()[Symbol.asyncIterator]()
  const own: Reading = { batches, make: rowMaker(width, columns) }
  started.set(sheet, own)
  for (;;) {
    const rows = await nextBatch(own)
    const below = rows.filter(({ row }) => row > last)
    if (rows.length === 0 || below.length > 0) return below
  }
}

async function nextBatch({ batches, make }: Reading): Promise<ReadRow[]> {
  for (;;) {
    const { done, value } = await batches.next()
    if (done) return []
    if (value.length > 0) return value.map(make)
  }
}
