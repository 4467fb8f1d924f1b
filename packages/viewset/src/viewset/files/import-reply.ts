import type { Wire } from '../../core/wire-names.ts'
import { ImportPreview } from '../../importing/preview/import-preview.ts'
import { ImportResult } from '../../importing/result.ts'
import { wireReport } from '../../kinds/report-schema.ts'
import { Reply } from '../answer/reply.ts'
import type { ImportRequest } from './import-request.ts'

/** The result of an import in an answer. */
export type ImportData = Wire<ImportResult>

/** The answer to an import. Failed rows are no error of the request, but `success` is false. */
export function importReply(result: ImportResult, request: Pick<ImportRequest, 'append'>): Reply<ImportData> {
  const { success } = result
  return new Reply(importData(result), {
    status: success ? 201 : 207,
    message: importMessage(result, request.append),
    success,
  })
}

export function importData(result: ImportResult): ImportData {
  return wireReport(ImportResult, result)
}

export function importMessage(
  { processed, failed, skipped = 0, deleted = 0, dryRun }: ImportResult,
  append: boolean,
): string {
  if (processed === 0) return 'The file has no rows below its header, so nothing was imported.'
  if (failed === 0) return ''
  const rows = `${failed} of ${processed} ${processed === 1 ? 'row' : 'rows'}`
  if (dryRun) return `${rows} would fail. This was a dry run: nothing was stored.`
  if (!append) return `${rows} failed, so nothing was replaced: all is as it was before.`
  const others = processed - failed - skipped
  if (others === 0) return `${rows} failed; nothing was stored.`
  if (skipped + deleted > 0) {
    const parts = [`${others - deleted} stored`, ...(deleted > 0 ? [`${deleted} deleted`] : []), `${skipped} skipped`]
    return `${rows} failed; of the others, ${parts.join(', ')}.`
  }
  return `${rows} failed; the other ${others} ${others === 1 ? 'was' : 'were'} stored.`
}

/** The preview of an import in an answer. */
export type PreviewData = Wire<ImportPreview>

export function previewData(preview: ImportPreview): PreviewData {
  return wireReport(ImportPreview, preview)
}
