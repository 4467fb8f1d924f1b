import { CSV_DELIMITERS } from '../../exporting/csv-form.ts'
import type { ExportService } from '../../exporting/export-service.ts'
import { ON_CONFLICT } from '../../importing/edit/on-conflict.ts'
import { ownHeader } from '../../importing/plan/headers.ts'
import { type ImportColumn, type ImportPlan, isInFile } from '../../importing/plan/plan.ts'
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
import type { RecordNames } from './record-names.ts'
import { BOOLEAN, objectSchema, type RouteDescription, TEXT, withExample } from './route-description.ts'

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

interface ExportedResource {
  readonly names: RecordNames
  /** Whether its files can be edited and imported again. */
  readonly isEditable: boolean
  readonly config: { readonly allowExportData?: boolean }
}

export function describeExport(
  { formats, columns: { byWire } }: ExportService<ModelSerializer>,
  { names, isEditable, config: { allowExportData = true } }: ExportedResource,
): RouteDescription {
  const columns = [...byWire.keys()]
  return {
    summary: `Export ${names.many} as ${oneOf([...formats.keys()].map(format => format.toUpperCase()))}`,
    description: `The file has all pages of the list, with its filters, search and ordering.${allowExportData ? ' If the body has `data`, it has those rows instead.' : ''}`,
    body: {
      type: 'object',
      properties: {
        file_type: { type: 'string', enum: [...formats.keys()] },
        includes: {
          type: ['array', 'string', 'null'],
          items: { type: 'string', enum: columns },
          minItems: 1,
          description:
            'The columns, in their order. A text has commas between them. Default: the standard columns. In XLSX, a list of records gets a sheet of its own.',
        },
        column_config: {
          type: ['object', 'null'],
          description: 'The labels of columns, by the names of their fields.',
          properties: Object.fromEntries(columns.map(name => [name, COLUMN])),
          additionalProperties: false,
        },
        data: {
          type: ['array', 'null'],
          items: { type: 'object' },
          ...(!allowExportData && { maxItems: 0 }),
          description: allowExportData
            ? 'The rows of the file, instead of those of the list.'
            : 'This resource exports stored records only.',
        },
        filename: {
          type: ['string', 'null'],
          minLength: 1,
          maxLength: 200,
          pattern: '\\S',
          description: 'The name of the file, without its ending.',
        },
        title: { type: ['string', 'null'], maxLength: 200, description: 'The title above the rows of a PDF.' },
        ...(isEditable && {
          for_editing: {
            type: ['boolean', 'null'],
            description: 'Whether the XLSX file is to be edited and imported again. It has the columns of the import.',
          },
        }),
        delimiter: {
          type: ['string', 'null'],
          enum: [...CSV_DELIMITERS, null],
          description: 'What stands between the cells of a CSV file.',
        },
        locale: {
          type: ['string', 'null'],
          description: 'The form of numbers, dates and booleans in a CSV file, as a language tag.',
          examples: ['de-DE'],
        },
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
  description: 'Whether a job does it after the answer.',
}

const QUEUED_JOB = {
  id: '019bc134-7840-7d21-9c3e-5f0a8b6d4e12',
  resource: 'articles',
  kind: 'import',
  state: 'queued',
  user: null,
  file: 'articles.csv',
  progress: { processed: 0, total: null, failed: 0, created: 0, updated: 0, unchanged: 0, skipped: 0, deleted: 0 },
  message: '',
  result: null,
  result_file: null,
  attempts: 0,
  is_cancel_requested: false,
  created_at: '2026-01-15T10:30:00.000000Z',
  started_at: null,
  ended_at: null,
}

/** A job as it is shown. */
export function jobSchema(): JsonSchema {
  return withExample(reportSchema(JobData), QUEUED_JOB)
}

const no = (description: string): JsonSchema => ({ ...BOOLEAN, default: false, description })

/** Options that may be in the form or in the query. */
const OPTIONS = {
  dry_run: no('Whether to check the file only. Nothing is stored.'),
  diff: no('Whether a dry run reports old and new values.'),
  all_or_nothing: no('Whether nothing is stored if a row fails.'),
  fail_on_warnings: no('Whether rows with warnings fail.'),
  failed_rows: no('Whether the answer is a file of the failed rows, if there are any.'),
  background: BACKGROUND,
  on_conflict: {
    type: 'string',
    enum: [...ON_CONFLICT],
    default: 'fail',
    description:
      'What counts for a cell that was changed in an edited file and in the database: nothing, the file or the database.',
  },
  delete_marked: no(
    'Whether rows of an edited file that are marked for deletion delete their records. Otherwise such a file is refused.',
  ),
}

const ROW_NUMBER: JsonSchema = { type: 'integer', minimum: 1 }
const ROW_OF_HEADER =
  'The number of the row with the headers; in a workbook, also an object with that of each sheet: {"Prices": 4}. Without it, the row is found among the first 30.'
const HEADER_ROW: JsonSchema = {
  oneOf: [ROW_NUMBER, { type: 'object', additionalProperties: ROW_NUMBER }],
  description: ROW_OF_HEADER,
}
const HEADER_ROW_TEXT: JsonSchema = {
  oneOf: [ROW_NUMBER, { ...TEXT, pattern: '^\\s*\\{' }],
  description: `${ROW_OF_HEADER} The object is written as JSON.`,
}

const FIELD: JsonSchema = { type: ['string', 'array', 'null'], items: TEXT }
const MAPPING: JsonSchema = {
  title: 'ImportMapping',
  type: 'object',
  // Generators of clients understand `oneOf`, but no list of types that includes `object`.
  additionalProperties: { oneOf: [FIELD, { type: 'object', additionalProperties: FIELD }] },
}
const MAPPED =
  'The field, or the fields, of each header. null skips the column. In a workbook with several sheets, headers are grouped by sheet.'

/** In a query, the JSON is a text. Not `contentMediaType`: Swagger UI shows a file chooser for it. */
const MAPPING_TEXT: JsonSchema = { ...TEXT, description: `${MAPPED} Written as JSON: {"Name": "name"}.` }

const VALUES: JsonSchema = {
  title: 'ImportValues',
  type: 'object',
  additionalProperties: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } },
}
const CHANGED = 'Other values for cells, by header and by the text in the file. null empties the cell.'
const VALUES_TEXT: JsonSchema = { ...TEXT, description: `${CHANGED} Written as JSON: {"Country": {"Norge": "NO"}}.` }

const LANGUAGE: JsonSchema = {
  ...TEXT,
  description: 'The language of texts with numbers, dates and booleans, as a language tag such as `de-DE`.',
}

const ENCODING: JsonSchema = {
  ...TEXT,
  description: 'The encoding of a CSV file, such as `windows-1251` or `shift_jis`. Otherwise it is found.',
}

/** How a file is read, in the form of an import and of its preview. */
export const READING = {
  mapping: { ...MAPPING, description: MAPPED, examples: [{}] },
  header_row: HEADER_ROW,
  values: { ...VALUES, description: CHANGED, examples: [{}] },
  // A page with a form fills in the example: an empty one is none.
  locale: { ...LANGUAGE, examples: [''] },
  encoding: { ...ENCODING, examples: [''] },
}
/** The same in the query. */
const READING_QUERY = {
  mapping: MAPPING_TEXT,
  header_row: HEADER_ROW_TEXT,
  values: VALUES_TEXT,
  locale: LANGUAGE,
  encoding: ENCODING,
}

export const IMPORT_PARAMETERS = [...Object.keys(OPTIONS), ...Object.keys(READING)]
export const IMPORT_OPTIONS: readonly string[] = ['append_data', ...Object.keys(OPTIONS)]

const IMPORT_RESULT = {
  success: true,
  processed: 2,
  failed: 0,
  errors: [],
  created: 1,
  updated: 1,
  ignored_columns: [],
}

export function describeImport({ service: { plan } }: Importer, { many }: RecordNames): RouteDescription {
  return {
    summary: `Import ${many} from ${sourceOf(plan)}`,
    description: 'Valid rows are stored. The report names each failed row with the reason.',
    bodyType: 'multipart/form-data',
    body: objectSchema(
      {
        file: fileSchema(plan),
        append_data: { ...BOOLEAN, description: 'true adds to the stored records, false replaces them.' },
        ...OPTIONS,
        ...READING,
      },
      IMPORT_PARAMETERS,
    ),
    query: { ...OPTIONS, ...READING_QUERY },
    data: withExample(reportSchema(ImportResult), IMPORT_RESULT),
    accepted: jobSchema(),
    partly: {
      207: 'Some rows failed. The others are stored. If the file replaces records, or with all_or_nothing, nothing is stored.',
    },
    partlyFileTypes: [csvWriter().contentType, xlsxWriter().contentType],
  }
}

export function describePreview({ service: { plan } }: Importer, { many }: RecordNames): RouteDescription {
  return {
    summary: `Preview an import of ${many}`,
    description: 'Shows the field of each column and the values of the first rows. Nothing is stored.',
    bodyType: 'multipart/form-data',
    body: objectSchema({ file: fileSchema(plan), ...READING }, Object.keys(READING)),
    query: READING_QUERY,
    data: reportSchema(ImportPreview),
  }
}

function sourceOf({ formats }: ImportPlan): string {
  return formats.length === 1 && formats[0] === 'csv' ? 'a CSV file' : 'a spreadsheet'
}

/** `['CSV', 'XLSX', 'PDF']` -> `CSV, XLSX or PDF` */
function oneOf(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)
}

function fileSchema({ formats, models }: ImportPlan): JsonSchema {
  const inFile = models.flatMap(model => model.columns.filter(isInFile))
  const headersOf = (columns: readonly ImportColumn[]) => [
    ...new Set(columns.map(column => ownHeader(column, models.length > 1))),
  ]
  const optional = headersOf(inFile.filter(({ isOptional }) => isOptional))
  const format = oneOf(formats.map(format => format.toUpperCase()))
  const mayLack = optional.length > 0 ? ` It may lack ${optional.join(', ')}.` : ''
  const lists = headersOf(inFile.filter(({ list }) => list))
  const inJson = lists.length > 0 ? ` Lists of records in JSON: ${lists.join(', ')}.` : ''
  const description = `A ${format} file with the columns of the template: ${headersOf(inFile).join(', ')}.${mayLack}${inJson}`
  return { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream', description }
}

export function describeTemplate({ service: { plan } }: Importer, { many }: RecordNames): RouteDescription {
  const formats = templateFormats(plan)
  return {
    summary: `Download a template for ${many}`,
    description: 'A file with the columns of the import and an example row.',
    query: {
      file_type: { type: 'string', enum: formats, default: formats[0], description: 'The format of the file.' },
    },
    fileTypes: formats.map(templateType),
  }
}
