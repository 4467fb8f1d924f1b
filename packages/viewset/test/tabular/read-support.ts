import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ImportFormat, type ReadCell, SheetError, SheetMoment, SheetNumber } from '../../src/tabular/read/file.ts'
import type { ReadLimits } from '../../src/tabular/read/limits.ts'
import { openTabular } from '../../src/tabular/read/open.ts'

export interface OpenOptions {
  readonly formats?: readonly ImportFormat[]
  readonly limits?: Partial<ReadLimits>
  readonly encoding?: string
  readonly usualEncoding?: string
}

/**
 * A sheet with its rows as `[row, ...cells]`. Unlike texts, moments are `@2026-01-15`, errors `!#N/A`, and numbers that show
 * more `7#007`.
 */
export interface WholeSheet {
  readonly name: string
  readonly header: readonly string[]
  readonly rows: (number | string | boolean | null)[][]
}

/** A path with `content`, for as long as `use` takes. */
export async function withFile<T>(content: string | Uint8Array, use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'viewset-read-'))
  try {
    const path = join(folder, 'upload')
    await writeFile(path, content)
    return await use(path)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Everything that a file with `content` holds. */
export function readAll(content: string | Uint8Array, options: OpenOptions = {}): Promise<WholeSheet[]> {
  return withFile(content, path => readPath(path, options))
}

export async function readPath(path: string, options: OpenOptions = {}) {
  const { formats = ['csv', 'xls', 'xlsx'], limits, ...encodings } = options
  const file = await openTabular(path, { formats, ...encodings, ...(limits && { limits }) })
  try {
    const sheets: WholeSheet[] = []
    for (const { name, header, rows } of file.sheets) {
      const whole: WholeSheet = { name, header, rows: [] }
      for await (const batch of rows()) for (const { row, cells } of batch) whole.rows.push([row, ...cells.map(plain)])
      sheets.push(whole)
    }
    return sheets
  } finally {
    await file.close()
  }
}

function plain(cell: ReadCell): string | number | boolean | null {
  if (cell instanceof SheetError) return `!${cell.error}`
  if (cell instanceof SheetNumber) return `${cell.value}#${cell.shown ?? ''}`
  return cell instanceof SheetMoment ? `@${cell.text}` : cell
}
