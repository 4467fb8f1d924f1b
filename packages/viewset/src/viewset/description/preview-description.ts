import type { JsonSchema } from '../../kinds/json-schema.ts'
import { BOOLEAN, listSchema, objectSchema, TEXT } from './route-description.ts'
import { ROW_ERROR } from './row-error-description.ts'

const HEADER: JsonSchema = {
  title: 'PreviewHeader',
  ...objectSchema({
    header: { ...TEXT, description: 'As the file has it; `(column 3)` for a column without one.' },
    field: {
      type: ['string', 'array', 'null'],
      items: TEXT,
      description: 'The field that it feeds, or the fields; null for none.',
    },
    reason: {
      type: ['string', 'null'],
      enum: ['mapping', 'exact', 'case', 'separators', 'configured', 'near', null],
      description: 'Why it is taken for that.',
    },
  }),
}

const MISSING: JsonSchema = {
  title: 'PreviewField',
  ...objectSchema({
    field: TEXT,
    required: { ...BOOLEAN, description: 'An import cannot do without it.' },
  }),
}

const ROW: JsonSchema = {
  title: 'PreviewRow',
  ...objectSchema({
    row: { type: 'integer', minimum: 2, description: 'The number that a person sees in the sheet.' },
    cells: {
      ...listSchema({ type: ['string', 'number', 'boolean', 'null'] }),
      description: 'What stands in the file, column by column. Long texts are cut.',
    },
    values: {
      type: 'object',
      additionalProperties: true,
      description: 'What is read from it, by field; nothing for what is wrong or left to its default.',
    },
    problems: { ...listSchema(ROW_ERROR), description: 'What is wrong with its cells; the database was not asked.' },
  }),
}

const SHEET: JsonSchema = {
  title: 'PreviewSheet',
  ...objectSchema({
    name: { ...TEXT, description: 'Empty for CSV.' },
    model: { type: ['string', 'null'], description: 'What its rows become; null where that is several.' },
    headers: { ...listSchema(HEADER), description: 'Its columns. Header and field together are a mapping.' },
    missing: { ...listSchema(MISSING), description: 'Fields that no column feeds.' },
    rows: { ...listSchema(ROW), maxItems: 20, description: 'The first rows that are not blank.' },
    problems: { ...listSchema(TEXT), description: 'What is wrong with its columns.' },
  }),
}

/** `data` of a preview. */
export const PREVIEW: JsonSchema = {
  title: 'ImportPreview',
  ...objectSchema({
    format: { type: 'string', enum: ['csv', 'xls', 'xlsx'] },
    encoding: { type: ['string', 'null'], description: 'Of the text of a CSV file; null for a workbook.' },
    delimiter: { type: ['string', 'null'], description: 'Between the cells of a CSV file; null for a workbook.' },
    sheets: listSchema(SHEET),
    ignored_sheets: { ...listSchema(TEXT), description: 'Sheets that an import would not read.' },
    problems: { ...listSchema(TEXT), description: 'Why it is not known which sheets are meant.' },
  }),
}
