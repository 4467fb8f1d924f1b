import type { ExportService } from '../../exporting/export-service.ts'
import { ownHeader } from '../../importing/plan/headers.ts'
import { type ImportPlan, isInFile } from '../../importing/plan/plan.ts'
import { ImportPreview } from '../../importing/preview/import-preview.ts'
import { ImportResult } from '../../importing/result.ts'
import { templateFormats, templateType } from '../../importing/template/template.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import { reportSchema } from '../../kinds/report-schema.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { csvWriter } from '../../tabular/csv/write.ts'
import { ALIGNMENTS } from '../../tabular/table.ts'
import { xlsxWriter } from '../../tabular/xlsx/write.ts'
import type { Importer } from '../files/importer.ts'
import { JobData } from '../jobs/job-data.ts'
import { BOOLEAN, objectSchema, type RouteDescription, TEXT } from './route-description.ts'

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

export const BACKGROUND: JsonSchema = {
  ...BOOLEAN,
  default: false,
  description: 'Whether it is done by a job that goes on after the answer.',
}

const no = (description: string): JsonSchema => ({ ...BOOLEAN, default: false, description })

/** Options that may be in the form or in the query. */
const OPTIONS = {
  dry_run: no('Whether to try only: nothing is stored in the end.'),
  diff: no('Whether a dry run tells old and new values.'),
  failed_rows: no(
    'Whether the answer is a file of the rows that failed, where any has: to be put right and sent again.',
  ),
  background: BACKGROUND,
}

export const IMPORT_PARAMETERS = [...Object.keys(OPTIONS), 'mapping']
export const IMPORT_OPTIONS: readonly string[] = ['append_data', ...Object.keys(OPTIONS)]

const FIELD: JsonSchema = { type: ['string', 'array', 'null'], items: TEXT }
const MAPPING: JsonSchema = {
  title: 'ImportMapping',
  type: 'object',
  // Generators of clients understand `oneOf`, but no list of types that includes `object`.
  additionalProperties: { oneOf: [FIELD, { type: 'object', additionalProperties: FIELD }] },
}
const MAPPED =
  'The field, or the fields, that each header means; null leaves the column out. Of a workbook with a sheet for each model, headers are by the name of their sheet.'

/** In a query, the JSON is a text. Not `contentMediaType`: Swagger UI shows a file chooser for it. */
const MAPPING_TEXT: JsonSchema = { ...TEXT, description: `${MAPPED} Written as JSON: {"Name": "name"}.` }

export function describeImport({ service: { plan } }: Importer): RouteDescription {
  return {
    summary: 'Writes the rows of a file; what is wrong with a row is told by its number.',
    bodyType: 'multipart/form-data',
    body: objectSchema(
      {
        file: fileSchema(plan),
        append_data: { ...BOOLEAN, description: 'True adds to what is stored, false replaces it.' },
        ...OPTIONS,
        mapping: { ...MAPPING, description: MAPPED, examples: [{}] },
      },
      [...Object.keys(OPTIONS), 'mapping'],
    ),
    query: {
      ...OPTIONS,
      mapping: MAPPING_TEXT,
    },
    data: reportSchema(ImportResult),
    accepted: reportSchema(JobData),
    partly: { 207: 'Rows have failed: those are not stored, and of a replace none is.' },
    partlyFileTypes: [csvWriter().contentType, xlsxWriter().contentType],
  }
}

export function describePreview({ service: { plan } }: Importer): RouteDescription {
  return {
    summary:
      'Looks at a file without storing anything: what its columns would be taken for, and what its first rows say.',
    bodyType: 'multipart/form-data',
    body: objectSchema({ file: fileSchema(plan), mapping: { ...MAPPING, description: MAPPED, examples: [{}] } }, [
      'mapping',
    ]),
    query: { mapping: MAPPING_TEXT },
    data: reportSchema(ImportPreview),
  }
}

function fileSchema({ formats, models }: ImportPlan): JsonSchema {
  const columns = models.flatMap(model =>
    model.columns.filter(isInFile).map(column => ownHeader(column, models.length > 1)),
  )
  const description = `A file of the format ${formats.join(' or ')} with the columns of the template: ${[...new Set(columns)].join(', ')}.`
  return { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream', description }
}

export function describeTemplate({ service: { plan } }: Importer): RouteDescription {
  const formats = templateFormats(plan)
  return {
    summary: 'A file to fill in, with examples, that the import takes.',
    query: {
      file_type: { type: 'string', enum: formats, default: formats[0], description: 'The format of the file.' },
    },
    fileTypes: formats.map(templateType),
  }
}
