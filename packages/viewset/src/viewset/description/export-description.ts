import type { ExportService } from '../../exporting/export-service.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { ALIGNMENTS } from '../../tabular/table.ts'
import type { RouteDescription } from './route-description.ts'

const COLUMN: JsonSchema = {
  title: 'ExportColumn',
  type: 'object',
  properties: {
    width: { type: ['number', 'null'], minimum: 1, maximum: 255, description: 'In characters.' },
    header: { type: ['string', 'null'], maxLength: 255 },
    align: { type: ['string', 'null'], enum: [...ALIGNMENTS, null] },
  },
  additionalProperties: false,
}

export function describeExport(
  { formats, columns: { byWire } }: ExportService<ModelSerializer>,
  { allowExportData = true }: { readonly allowExportData?: boolean },
): RouteDescription {
  const columns = [...byWire.keys()]
  return {
    summary: 'The list, or rows that are sent along, as a file.',
    body: {
      type: 'object',
      properties: {
        file_type: { type: 'string', enum: [...formats.keys()] },
        includes: {
          type: ['array', 'string', 'null'],
          items: { type: 'string', enum: columns },
          minItems: 1,
          description: 'The columns, in their order; a text has commas between them. Without it, the standard ones.',
        },
        column_config: {
          type: ['object', 'null'],
          properties: Object.fromEntries(columns.map(name => [name, COLUMN])),
          additionalProperties: false,
        },
        data: {
          type: ['array', 'null'],
          items: { type: 'object' },
          ...(!allowExportData && { maxItems: 0 }),
          description: allowExportData
            ? 'Rows to be made a file, in place of those of the list.'
            : 'Rows of your own are not made a file here.',
        },
        filename: {
          type: ['string', 'null'],
          minLength: 1,
          maxLength: 200,
          pattern: '\\S',
          description: 'Without its ending.',
        },
        title: { type: ['string', 'null'], maxLength: 200, description: 'Stands above the rows of a PDF.' },
      },
      required: ['file_type'],
      examples: [{ file_type: [...formats.keys()][0], includes: columns.slice(0, 2) }],
    },
    fileTypes: [...formats.values()],
  }
}
