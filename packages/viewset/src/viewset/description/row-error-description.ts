import type { JsonSchema } from '../../kinds/json-schema.ts'
import { objectSchema, TEXT, WHOLE_NUMBER } from './route-description.ts'

/** What is wrong with a row of a file. */
export const ROW_ERROR: JsonSchema = {
  title: 'ImportRowError',
  ...objectSchema(
    {
      row: { ...WHOLE_NUMBER, description: 'The number that a person sees in the sheet: the header is row 1.' },
      field: { ...TEXT, description: 'The column by its name in the API, or `non_field_errors`.' },
      column: { ...TEXT, description: 'The header of the column in the file.' },
      message: TEXT,
      model: { ...TEXT, description: 'What the row was to become.' },
    },
    ['column'],
  ),
}
