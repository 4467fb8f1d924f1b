// The worker thread that reads workbooks, one after the other. A hostile file can only stop this thread.
import { performTasks } from '../worker-tasks.ts'
import type { ReadRow, SheetRemarks } from './file.ts'
import { type FoundRow, rowMaker, type SheetSource, topOf } from './found-row.ts'
import type { RowsAnswer, SheetHeader, WorkbookAnswer, WorkbookData, WorkbookTask } from './workbook.ts'

type RowsTask = Exclude<WorkbookTask, 'open'>

interface Reading {
  readonly batches: AsyncIterator<FoundRow[]>
  readonly make: (row: FoundRow) => ReadRow
  readonly remarks: () => SheetRemarks | undefined
}

class Workbook {
  readonly #data: WorkbookData
  #sources: readonly SheetSource[] = []
  #headers: readonly SheetHeader[] = []
  readonly #started = new Map<number, Reading>()

  constructor(data: WorkbookData) {
    this.#data = data
  }

  async perform(task: WorkbookTask): Promise<WorkbookAnswer> {
    return task === 'open' ? { sheets: await this.#open() } : await this.#nextRows(task)
  }

  /** Closes the files of sheets that were not read to their end. */
  async finish(): Promise<void> {
    for (const { batches } of this.#started.values()) await batches.return?.()
  }

  async #open(): Promise<readonly SheetHeader[]> {
    const { path, format, limits, most } = this.#data
    // Loads only the needed reader.
    this.#sources =
      format === 'xlsx'
        ? await (await import('./xlsx/workbook.ts')).xlsxSheets(path, limits, most)
        : await (await import('./xls/workbook.ts')).xlsSheets(path, limits)
    const found: SheetHeader[] = []
    for (const { name, isHidden, rows } of this.#sources) {
      const top = await topOf(rows())
      found.push({ name, isHidden, header: top[0]?.texts ?? [], top })
    }
    this.#headers = found
    return found
  }

  async #nextRows(task: RowsTask): Promise<RowsAnswer> {
    const reading = this.#started.get(task.sheet)
    const rows = reading ? await nextBatch(reading) : await this.#firstBatch(task)
    const remarks = rows.length === 0 ? this.#started.get(task.sheet)?.remarks() : undefined
    return { rows, ...(remarks && { remarks }) }
  }

  async #firstBatch({ sheet, columns, header }: RowsTask): Promise<ReadRow[]> {
    const [first] = this.#headers[sheet]!.top
    const { row: last, width } = header ?? { row: first?.row ?? 0, width: first?.texts.length ?? 0 }
    const source = this.#sources[sheet]!
    const batches = source.rows()[Symbol.asyncIterator]()
    const remarks = () => source.view?.()?.remarks(last, columns ?? [...new Array(width).keys()])
    const reading: Reading = { batches, make: rowMaker(width, columns), remarks }
    this.#started.set(sheet, reading)
    for (;;) {
      const rows = await nextBatch(reading)
      const below = rows.filter(({ row }) => row > last)
      if (rows.length === 0 || below.length > 0) return below
    }
  }
}

async function nextBatch({ batches, make }: Reading): Promise<ReadRow[]> {
  for (;;) {
    const { done, value } = await batches.next()
    if (done) return []
    if (value.length > 0) return value.map(make)
  }
}

performTasks((data: WorkbookData) => new Workbook(data))
