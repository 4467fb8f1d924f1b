import { ownHeader } from '../../importing/plan/headers.ts'
import { type ImportPlan, isInFile } from '../../importing/plan/plan.ts'
import { templateFormats, templateType } from '../../importing/template/template.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import { csvWriter } from '../../tabular/csv/write.ts'
import { xlsxWriter } from '../../tabular/xlsx/write.ts'
import type { Importer } from '../import/importer.ts'
import { JOB_SCHEMA } from '../jobs/job-description.ts'
import { PREVIEW } from './preview-description.ts'
import { BOOLEAN, listSchema, objectSchema, type RouteDescription, TEXT, WHOLE_NUMBER } from './route-description.ts'
import { ROW_ERROR } from './row-error-description.ts'

const CHANGE: JsonSchema = {
  title: 'ImportChange',
  ...objectSchema({
    row: { ...WHOLE_NUMBER, description: 'The number that a person sees in the sheet: the header is row 1.' },
    model: { ...TEXT, description: 'What the row says something of.' },
    action: { type: 'string', enum: ['create', 'update', 'delete', 'unchanged'] },
    changes: {
      type: 'object',
      additionalProperties: { type: 'array', minItems: 2, maxItems: 2, items: {} },
      description: 'The old and the new value of each column that differs, as far as you may see it.',
    },
  }),
}

const DIFF: JsonSchema = {
  title: 'ImportDiff',
  description: 'What would change; only with `diff`.',
  ...objectSchema(
    {
      rows: {
        ...listSchema(CHANGE),
        description: 'The first 100 rows that change anything, with each of their records.',
      },
      totals: objectSchema({
        create: WHOLE_NUMBER,
        update: WHOLE_NUMBER,
        delete: WHOLE_NUMBER,
        unchanged: WHOLE_NUMBER,
      }),
      replaced: {
        ...objectSchema({
          deleted: WHOLE_NUMBER,
          records: listSchema({ type: 'object', additionalProperties: {} }),
        }),
        description: 'What a replace deletes before it writes: how many records, and the first 100 of them.',
      },
    },
    ['replaced'],
  ),
}

/** `data` of an import's answer (SPEC, "Import result"). */
const RESULT: JsonSchema = {
  title: 'ImportResult',
  ...objectSchema(
    {
      success: { ...BOOLEAN, description: 'No row failed.' },
      processed: { ...WHOLE_NUMBER, description: 'Rows read.' },
      failed: { ...WHOLE_NUMBER, description: 'Rows that failed, of which nothing is stored.' },
      errors: { ...listSchema(ROW_ERROR), description: 'A row may have several; at most 1,000 are told.' },
      created: WHOLE_NUMBER,
      updated: WHOLE_NUMBER,
      unchanged: { ...WHOLE_NUMBER, description: 'Rows that say what was stored already, and wrote nothing.' },
      skipped: { ...WHOLE_NUMBER, description: 'Rows that were left out, as the import is configured.' },
      ignored_columns: { ...listSchema(TEXT), description: 'Headers of the file that nothing reads.' },
      ignored_sheets: listSchema(TEXT),
      deleted: { ...WHOLE_NUMBER, description: 'Records that a replace, or rows that say so, have deleted.' },
      diff: DIFF,
      dry_run: { ...BOOLEAN, description: 'Nothing was stored.' },
      errors_truncated: { ...BOOLEAN, description: 'There are more errors than are told.' },
    },
    ['unchanged', 'skipped', 'ignored_sheets', 'deleted', 'diff', 'dry_run', 'errors_truncated'],
  ),
}

/** What any work may be told that can be done in the background. */
export const BACKGROUND: JsonSchema = {
  ...BOOLEAN,
  default: false,
  description: 'Whether it is done by a job that goes on after the answer.',
}

const no = (description: string): JsonSchema => ({ ...BOOLEAN, default: false, description })

/** What a client may say in the form or in the address. */
const OPTIONS = {
  dry_run: no('Whether to try only: nothing is stored in the end.'),
  diff: no('Whether a dry run tells old and new values.'),
  failed_rows: no(
    'Whether the answer is a file of the rows that failed, where any has: to be put right and sent again.',
  ),
  background: BACKGROUND,
}

/** Query parameters of an import. */
export const IMPORT_PARAMETERS = [...Object.keys(OPTIONS), 'mapping']
/** Parts of an import's form that have no effect on a preview. */
export const IMPORT_OPTIONS: readonly string[] = ['append_data', ...Object.keys(OPTIONS)]

const FIELD: JsonSchema = { type: ['string', 'array', 'null'], items: TEXT }
const MAPPING: JsonSchema = {
  title: 'ImportMapping',
  type: 'object',
  // Generators of clients know no type that is an object or something else, where it is said in one list.
  additionalProperties: { oneOf: [FIELD, { type: 'object', additionalProperties: FIELD }] },
}
const MAPPED =
  'The field, or the fields, that each header means; null leaves the column out. Of a workbook with a sheet for each model, headers are by the name of their sheet.'

/** In an address, the JSON is a text. Not `contentMediaType`: Swagger UI shows a file chooser for it. */
const MAPPING_TEXT: JsonSchema = { ...TEXT, description: `${MAPPED} Written as JSON: {"Name": "name"}.` }

/** What an import takes and gives (SPEC, "Import endpoint"). */
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
    data: RESULT,
    accepted: JOB_SCHEMA,
    partly: { 207: 'Rows have failed: those are not stored, and of a replace none is.' },
    partlyFileTypes: [csvWriter().contentType, xlsxWriter().contentType],
  }
}

/** What a preview takes and gives. */
export function describePreview({ service: { plan } }: Importer): RouteDescription {
  return {
    summary:
      'Looks at a file without storing anything: what its columns would be taken for, and what its first rows say.',
    bodyType: 'multipart/form-data',
    body: objectSchema({ file: fileSchema(plan), mapping: { ...MAPPING, description: MAPPED, examples: [{}] } }, [
      'mapping',
    ]),
    query: { mapping: MAPPING_TEXT },
    data: PREVIEW,
  }
}

function fileSchema({ formats, models }: ImportPlan): JsonSchema {
  const columns = models.flatMap(model =>
    model.columns.filter(isInFile).map(column => ownHeader(column, models.length > 1)),
  )
  const description = `A file of the format ${formats.join(' or ')} with the columns of the template: ${[...new Set(columns)].join(', ')}.`
  return { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream', description }
}

/** What the template of an import takes and gives. */
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
