import type { ExportService } from '../exporting/export-service.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import { ALIGNMENTS } from '../tabular/table.ts'
import { listSchema, type RouteDescription, TEXT } from './route-description.ts'

const COLUMN = {
  type: 'object',
  properties: { width: { type: 'number', minimum: 1, maximum: 255 }, header: TEXT, align: { enum: ALIGNMENTS } },
  additionalProperties: false,
}

/** What an export takes and gives (SPEC, "Export endpoint"). */
export function describeExport({ formats }: ExportService<ModelSerializer>): RouteDescription {
  return {
    summary: 'The list, or rows that are sent along, as a file.',
    body: {
      type: 'object',
      properties: {
        file_type: { enum: [...formats.keys()] },
        includes: { anyOf: [listSchema(TEXT), TEXT] },
        column_config: { type: 'object', additionalProperties: COLUMN },
        data: listSchema({ type: 'object' }),
        filename: TEXT,
        title: TEXT,
      },
      required: ['file_type'],
    },
    fileTypes: [...formats.values()],
  }
}
