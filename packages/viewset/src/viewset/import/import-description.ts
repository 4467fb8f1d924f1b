import { templateFormats, templateType } from '../../importing/template/template.ts'
import { BOOLEAN, listSchema, objectSchema, type RouteDescription, TEXT, WHOLE_NUMBER } from '../route-description.ts'
import type { Importer } from './importer.ts'

const ROW_ERROR = objectSchema({ row: WHOLE_NUMBER, field: TEXT, column: TEXT, message: TEXT, model: TEXT }, ['column'])

/** `data` of an import's answer (SPEC, "Import result"). */
const RESULT = objectSchema(
  {
    success: BOOLEAN,
    processed: WHOLE_NUMBER,
    failed: WHOLE_NUMBER,
    errors: listSchema(ROW_ERROR),
    created: WHOLE_NUMBER,
    updated: WHOLE_NUMBER,
    ignored_columns: listSchema(TEXT),
    ignored_sheets: listSchema(TEXT),
    deleted: WHOLE_NUMBER,
    dry_run: BOOLEAN,
    errors_truncated: BOOLEAN,
  },
  ['ignored_sheets', 'deleted', 'dry_run', 'errors_truncated'],
)

/** What an import takes and gives (SPEC, "Import endpoint"). */
export function describeImport(): RouteDescription {
  return {
    summary: 'Writes the rows of a file; what is wrong with a row is told by its number.',
    bodyType: 'multipart/form-data',
    body: objectSchema(
      {
        file: { type: 'string', contentMediaType: 'application/octet-stream' },
        append_data: BOOLEAN,
        dry_run: BOOLEAN,
      },
      ['dry_run'],
    ),
    data: RESULT,
  }
}

/** What the template of an import takes and gives. */
export function describeTemplate({ service: { plan } }: Importer): RouteDescription {
  const formats = templateFormats(plan)
  return {
    summary: 'A file to fill in, with examples, that the import takes.',
    query: { file_type: { enum: formats } },
    fileTypes: formats.map(templateType),
  }
}
