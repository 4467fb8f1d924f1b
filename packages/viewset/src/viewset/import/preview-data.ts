import type { Wire } from '../../core/wire-names.ts'
import type { ImportPreview } from '../../importing/preview/import-preview.ts'

/** A preview as it is sent. */
export type PreviewData = Wire<ImportPreview>

export function previewData({ ignoredSheets, ...preview }: ImportPreview): PreviewData {
  const { format, encoding, delimiter, sheets, problems } = preview
  return { format, encoding, delimiter, sheets, ignored_sheets: ignoredSheets, problems }
}
