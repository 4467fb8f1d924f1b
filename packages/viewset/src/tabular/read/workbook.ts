import { message } from '../../core/messages/message.ts'
import { WarmWorkers } from '../warm-workers.ts'
import { WorkerJob } from '../worker-job.ts'
import {
  type HeaderRow,
  type ImportFormat,
  type ReadCell,
  type ReadFile,
  type ReadRow,
  type ReadSheet,
  SheetError,
  SheetMoment,
  SheetNumber,
  type SheetRemarks,
} from './file.ts'
import type { ReadLimits } from './limits.ts'

type Job = WorkerJob<WorkbookTask, WorkbookAnswer>

const workers = new WarmWorkers(new URL('./sheet-worker.js', import.meta.url))

/** Opens a workbook in a worker thread, which reads ahead of its rows. */
export async function openWorkbook(
  { path, format, limits, most }: WorkbookData,
  signal?: AbortSignal,
): Promise<ReadFile> {
  signal?.throwIfAborted()
  const job: Job = new WorkerJob({
    workers,
    data: { path, format, limits, most } satisfies WorkbookData,
    timeLimit: limits.timeLimit,
    memoryLimit: limits.memoryLimit,
    messages: {
      outOfTime: message('out_of_time'),
      outOfMemory: message('too_large.memory'),
    },
  })
  const abort = () => void job.abort(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  const close = () => {
    signal?.removeEventListener('abort', abort)
    return job.close()
  }
  try {
    const answer = await job.perform('open')
    const headers = 'sheets' in answer ? answer.sheets : []
    return {
      format,
      sheets: headers.map((each, index) => {
        let remarks: SheetRemarks | undefined
        const onEnd = (found: SheetRemarks | undefined) => {
          remarks = found
        }
        return {
          ...each,
          rows: (columns, header) => sheetRows(job, { sheet: index, columns, header, onEnd }),
          remarks: () => remarks,
        }
      }),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface SheetReading {
  readonly sheet: number
  readonly columns: readonly number[] | undefined
  readonly header: HeaderRow | undefined
  readonly onEnd: (remarks: SheetRemarks | undefined) => void
}

async function* sheetRows(
  job: Job,
  { sheet, columns, header, onEnd }: SheetReading,
): AsyncGenerator<readonly ReadRow[]> {
  let next = nextRows(job, { sheet, columns, header: header && { row: header.row, width: header.texts.length } })
  for (;;) {
    const { rows, remarks } = await next
    if (rows.length === 0) {
      onEnd(remarks)
      return
    }
    // The worker continues while these rows are used. The next turn reports its error.
    next = nextRows(job, { sheet })
    next.catch(() => {})
    yield rows
  }
}

async function nextRows(job: Job, task: WorkbookTask): Promise<RowsAnswer> {
  const answer = await job.perform(task)
  const { rows, ...others }: RowsAnswer = 'rows' in answer ? answer : { rows: [] }
  return { ...others, rows: rows.map(({ cells, ...row }) => ({ ...row, cells: cells.map(withClass) })) }
}

/** Restores the class, which `postMessage` drops. */
function withClass(cell: ReadCell): ReadCell {
  if (typeof cell !== 'object' || cell === null) return cell
  if ('error' in cell) return new SheetError(cell.error)
  return 'value' in cell ? new SheetNumber(cell.value, cell.shown, cell.isCode) : new SheetMoment(cell.text)
}

export interface WorkbookData {
  readonly path: string
  readonly format: Exclude<ImportFormat, 'csv'>
  readonly limits: ReadLimits
  readonly most: number | undefined
}

/** Opens the workbook, or reads the next rows of a sheet with the columns and below the header of its first such task. */
export type WorkbookTask =
  | 'open'
  | {
      readonly sheet: number
      readonly columns?: readonly number[] | undefined
      readonly header?: { readonly row: number; readonly width: number } | undefined
    }

export type SheetHeader = Pick<ReadSheet, 'name' | 'isHidden' | 'header' | 'top'>

export type WorkbookAnswer = { readonly sheets: readonly SheetHeader[] } | RowsAnswer

export interface RowsAnswer {
  /** Empty at the end of the sheet. Cells with a class are plain objects here. */
  readonly rows: readonly ReadRow[]
  /** At the end of the sheet. */
  readonly remarks?: SheetRemarks
}
