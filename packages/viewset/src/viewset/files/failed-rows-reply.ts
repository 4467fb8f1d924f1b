import { open } from 'node:fs/promises'
import { fileName } from '../../core/content-disposition.ts'
import { reportError } from '../../core/context.ts'
import { message } from '../../core/messages/message.ts'
import type { KeptRows } from '../../importing/failed/failed-rows.ts'
import { RowErrorSpool } from '../../importing/failed/row-error-spool.ts'
import type { ImportService } from '../../importing/import-service.ts'
import type { ImportResult } from '../../importing/result.ts'
import { Download, Reply } from '../answer/reply.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { type ImportData, importReply } from './import-reply.ts'
import { failedRowsReading, type ImportRequest } from './import-request.ts'
import { listening } from './listeners.ts'

interface ImportingView extends Pick<GenericViewSet, 'request' | 'settings' | 'getQueryset' | 'exportOfReader'> {
  getImportService(): Promise<ImportService>
}

export function keptRows(
  { append, dryRun }: Pick<ImportRequest, 'append' | 'dryRun'>,
  { rolledBack }: Pick<ImportResult, 'rolledBack'>,
): KeptRows {
  if (rolledBack) return 'undone'
  // With a replace, the failed rows alone would replace everything.
  return append && !dryRun ? 'failed' : 'all'
}

/** If rows fail, the answer is a file of them, with the result in the header `X-Import-Result`. */
export async function importWithFailedRows(
  view: ImportingView,
  path: string,
  request: ImportRequest,
  perform: () => Promise<ImportResult>,
): Promise<Reply<ImportData | Download>> {
  const spool = new RowErrorSpool(`${path}.errors`)
  try {
    const result = await listening(view, { onRowErrors: spool.add }, perform)
    const reply = importReply(result, request)
    const kept = keptRows(request, result)
    // An overridden performImport may report no rows.
    if (reply.data.failed === 0 || spool.isEmpty) return reply
    try {
      return new Reply(await failedRowsOf(view, path, request, { spool, kept }), {
        status: 207,
        headers: { 'x-import-result': resultHeader(reply, kept) },
      })
    } catch (error) {
      if (view.request.signal?.aborted) throw error
      // The result is reported even if the file of failed rows cannot be made.
      reportError(error, 'the file of failed rows could not be made', view.request)
      return reply
    }
  } finally {
    await spool.close()
  }
}

async function failedRowsOf(
  view: ImportingView,
  path: string,
  request: ImportRequest,
  { spool, kept }: { readonly spool: RowErrorSpool; readonly kept: KeptRows },
): Promise<Download> {
  const target = `${path}.failed`
  const service = await view.getImportService()
  const { settings } = view
  const { signal } = view.request
  const { contentType, extension } = await service.writeFailedRows(path, target, {
    errors: spool.errors,
    kept,
    queryset: await view.getQueryset(),
    readOnly: view.exportOfReader(),
    settings,
    ...failedRowsReading(request),
    ...(signal && { signal }),
  })
  // An open file can be read after its folder is removed.
  const file = await open(target)
  const name = failedRowsName(request.file.filename)
  return new Download({
    filename: fileName(name, extension),
    contentType,
    stream: file.createReadStream(),
    isWorded: true,
  })
}

/** `cities.csv` -> `cities_failed`; `cities_failed.csv` keeps its name. */
export function failedRowsName(filename: string): string {
  return `${filename.replace(/\.\w{1,4}$/, '').replace(/_failed$/, '')}_failed`
}

/** Headers are ASCII. */
const NOT_ASCII = /[^\x20-\x7e]/g

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Warnings in the header. Many proxies refuse an answer whose headers have more than 4 KiB together. */
const MOST_WARNING_BYTES = 2_000

function resultHeader({ message: text, data }: Reply<ImportData>, kept: KeptRows): string {
  const { job, warnings = [] } = data
  const plain = Object.entries(data).filter(([, value]) => typeof value === 'number' || typeof value === 'boolean')
  const listed = firstWarnings(warnings)
  return ascii({
    message: kept === 'failed' ? text : message('imported.file_has_all', { message: text }),
    ...Object.fromEntries(plain),
    ...(job !== undefined && { job }),
    ...(listed.length > 0 && { warnings: listed }),
    ...(listed.length < warnings.length && { warnings_truncated: true }),
  })
}

/** Those of the file are the first. */
function firstWarnings(warnings: NonNullable<ImportData['warnings']>): typeof warnings {
  let bytes = 0
  const end = warnings.findIndex(warning => {
    bytes += ascii(warning).length
    return bytes > MOST_WARNING_BYTES
  })
  return end === -1 ? warnings : warnings.slice(0, end)
}

function ascii(value: object): string {
  return JSON.stringify(value).replace(NOT_ASCII, escaped)
}
