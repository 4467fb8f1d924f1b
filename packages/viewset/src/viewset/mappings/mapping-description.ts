import { SavedMapping } from '../../importing/saved/saved-mapping.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import { reportSchema } from '../../kinds/report-schema.ts'
import { READING } from '../description/file-descriptions.ts'
import type { RecordNames } from '../description/record-names.ts'
import {
  BOOLEAN,
  listSchema,
  objectSchema,
  type RouteDescription,
  TEXT,
  WHOLE_NUMBER,
} from '../description/route-description.ts'
import { MAPPING_PAGES } from './saved-mappings.ts'

const HEADERS: JsonSchema = {
  type: ['array', 'object'],
  items: TEXT,
  additionalProperties: listSchema(TEXT),
  description: 'The headers of the file, as the preview shows them. In a workbook, they may be grouped by sheet.',
  examples: [['Name', 'E-mail']],
}

export function describeMappings({ many }: RecordNames): RouteDescription {
  return {
    summary: `List the saved mappings for imports of ${many}`,
    description: 'Own mappings, then those of everyone, the newest first.',
    query: MAPPING_PAGES.queryParameters,
    data: listSchema(reportSchema(SavedMapping)),
    pages: {
      links: objectSchema({
        count: WHOLE_NUMBER,
        next: { type: ['string', 'null'], format: 'uri' },
        previous: { type: ['string', 'null'], format: 'uri' },
      }),
    },
  }
}

export function describeSavedMapping({ many }: RecordNames): RouteDescription {
  const properties = {
    name: { ...TEXT, maxLength: 100, default: '', description: 'What the user calls it.' },
    headers: HEADERS,
    everyone: { ...BOOLEAN, default: false, description: 'Whether it is for all users.' },
    ...READING,
  }
  return {
    summary: `Save a mapping for imports of ${many}`,
    description: 'A mapping with the same headers and name is replaced.',
    body: objectSchema(
      properties,
      Object.keys(properties).filter(name => name !== 'headers'),
    ),
    data: reportSchema(SavedMapping),
    errors: { 403: 'Only administrators save mappings for all users.', 409: 'The user has too many saved mappings.' },
  }
}

export function describeDeletedMapping({ many }: RecordNames): RouteDescription {
  return { summary: `Delete a saved mapping for imports of ${many}` }
}
