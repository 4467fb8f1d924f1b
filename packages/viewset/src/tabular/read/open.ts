import { open } from 'node:fs/promises'
import { message } from '../../core/messages/message.ts'
import { sizeText } from '../../core/text.ts'
import { TabularError } from '../errors.ts'
import { openCsv } from './csv.ts'
import { detectContent, expectFormat } from './detect.ts'
import type { ImportFormat, ReadFile } from './file.ts'
import { DEFAULT_LIMITS, type ReadLimits } from './limits.ts'
import { openWorkbook } from './workbook.ts'

const HEAD = 4096

/** Options of {@link openTabular}. */
export interface OpenOptions {
  /** The accepted formats. Default: all. */
  readonly formats?: readonly ImportFormat[]
  /** Limits for the file; each has a default. */
  readonly limits?: Partial<ReadLimits>
  /** Rows of each sheet below the header, if not all. Only the beginning of a workbook is then read. */
  readonly firstRows?: number
  /** The encoding of a CSV file, such as `windows-1251`. A byte order mark still counts. Default: it is found. */
  readonly encoding?: string | undefined
  /** The encoding of CSV files that are not Unicode. Default: `windows-1252`, if a file can have it. */
  readonly usualEncoding?: string | undefined
  /** Ends the reading. */
  readonly signal?: AbortSignal
}

const ALL: readonly ImportFormat[] = ['csv', 'xls', 'xlsx']

/**
 * Opens a file with one or several tables. The content decides the format, not the file's name.
 *
 * @throws TabularError with a sentence for the client: `wrong_format` for other content than `formats`; `unreadable`
 *   for a damaged file; `encrypted`, `too_large`, `out_of_time`
 *
 * @example
 * const file = await openTabular('cities.xlsx')
 * try {
 *   for (const sheet of file.sheets) for await (const rows of sheet.rows()) console.log(sheet.header, rows)
 * } finally {
 *   await file.close()
 * }
 */
export async function openTabular(path: string, options: OpenOptions = {}): Promise<ReadFile> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const { head, size } = await peek(path)
  if (size > limits.maxBytes) {
    throw new TabularError('too_large', message('too_large', { limit: sizeText(limits.maxBytes) }))
  }
  if (size === 0) throw new TabularError('unreadable', message('unreadable'))
  const content = await detectContent(path, head, limits.maxInflatedBytes)
  expectFormat(content, options.formats ?? ALL)
  if (content === 'csv') return openCsv(path, head, { ...options, limits })
  const most = options.firstRows === undefined ? undefined : options.firstRows + 1
  return openWorkbook({ path, format: content, limits, most }, options.signal)
}

async function peek(path: string): Promise<{ head: Buffer; size: number }> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0)
    return { head: buffer.subarray(0, bytesRead), size }
  } finally {
    await file.close()
  }
}
