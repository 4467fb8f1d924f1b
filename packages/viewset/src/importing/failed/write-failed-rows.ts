import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { csvWriter } from '../../tabular/csv/write.ts'
import type { ReadFile } from '../../tabular/read/file.ts'
import { xlsxWriter } from '../../tabular/xlsx/write.ts'
import type { Layout } from '../read/sheet-layout.ts'
import type { FailedRowsOptions, WrittenFile } from './failed-rows.ts'
import { failedSheet } from './failed-sheet.ts'

/** What goes into a file of failed rows. */
export interface FailedRowsContent extends FailedRowsOptions {
  /** The name of the column with the errors, where columns with these headers are read. */
  readonly nameErrors: (read: readonly string[]) => string
}

/**
 * Writes rows of an upload with what is wrong with each, to be put right and sent again: same format, sheets and headers,
 * and cells as the upload has them. XLS becomes XLSX; CSV that is not UTF-8 becomes that, with a byte order mark.
 */
export async function writeFailedRows(
  upload: ReadFile,
  layout: Layout,
  target: string,
  content: FailedRowsContent,
): Promise<WrittenFile> {
  const { stream, ...written } = failedRowsFile(upload, layout, content)
  await pipeline(stream, createWriteStream(target, { mode: 0o600 }))
  return written
}

function failedRowsFile(
  { csv, sheets }: ReadFile,
  layout: Layout,
  content: FailedRowsContent,
): WrittenFile & { readonly stream: Readable } {
  const { errors, kept = 'failed', nameErrors, signal } = content
  const options = signal ? { signal } : {}
  const written = sheets.map((sheet, position) => {
    const { columns = [], models = [] } = layout.sheets.find(imported => imported.position === position) ?? {}
    const keys = models.map(({ reader }) => reader.plan.key)
    const read = models.flatMap(model =>
      model.columns.flatMap(({ at }) => (at === undefined ? [] : [columns[at] ?? 0])),
    )
    return failedSheet(sheet, { read, errors: () => errors(keys), kept, nameErrors, hasNotes: !csv })
  })
  const [only] = written
  if (!csv || !only) {
    const { contentType, writeSheets } = xlsxWriter()
    return { contentType, extension: 'xlsx', stream: writeSheets(written, options) }
  }
  const { contentType, write } = csvWriter({ delimiter: csv.delimiter, bom: !csv.isPlainUtf8 })
  return { contentType, extension: 'csv', stream: write(only.columns, only.rows, options) }
}
