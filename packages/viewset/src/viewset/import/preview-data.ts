import type { Wire } from '../../core/wire-names.ts'
import { ImportPreview } from '../../importing/preview/import-preview.ts'
import { wireReport } from '../../kinds/report-schema.ts'

export type PreviewData = Wire<ImportPreview>

export function previewData(preview: ImportPreview): PreviewData {
  return wireReport(ImportPreview, preview)
}
