import { currentContext } from '../../core/context.ts'
import { message, type Text } from '../../core/messages/message.ts'
import { languageHeaders } from '../../core/messages/wording.ts'
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
    message: String(importMessage(result, request.append)),
    success,
    headers: languageHeaders(currentContext()),
  })
}

export function importData(result: ImportResult): ImportData {
  return wireReport(ImportResult, result)
}

export function importMessage(
  { processed, failed, skipped = 0, deleted = 0, unchanged = 0, dryRun, rolledBack }: ImportResult,
  append: boolean,
): Text {
  if (processed === 0) return message('imported.no_rows')
  if (failed === 0) return ''
  const rows = { failed, of: processed }
  if (dryRun) return message('imported.would_fail', rows)
  if (!append) return message('imported.not_replaced', rows)
  if (rolledBack) return message('imported.rolled_back', rows)
  const others = processed - failed - skipped
  if (others === 0) return message('imported.all_failed', rows)
  const stored = others - deleted - unchanged
  if (stored < processed - failed) {
    return message('imported.mixed', { ...rows, stored, deleted, unchanged, skipped })
  }
  return message('imported.some_failed', { ...rows, stored })
}

/** The preview of an import in an answer. */
export type PreviewData = Wire<ImportPreview>

export function previewData(preview: ImportPreview): PreviewData {
  return wireReport(ImportPreview, preview)
}
