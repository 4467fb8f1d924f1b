import type { JsonSchema } from '../../kinds/json-schema.ts'
import { HISTORY_ACTIONS } from '../../model/tables/history-tables.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { RecordNames } from '../description/record-names.ts'
import {
  listSchema,
  objectSchema,
  type RouteDescription,
  TEXT,
  WHOLE_NUMBER,
} from '../description/route-description.ts'
import { HISTORY_PAGES } from './read-history.ts'

const AT_PARAMETER: JsonSchema = {
  type: 'string',
  format: 'date-time',
  description:
    'Shows the record as it was at this time: its own fields, with the ids of related records. Needs the permission to read the history.',
}

const ID: JsonSchema = { ...WHOLE_NUMBER, description: 'The number of an entry.' }
const NULLABLE: JsonSchema = { type: ['string', 'null'] }
const VALUES: JsonSchema = { type: ['object', 'null'], additionalProperties: true }

const ENTRY: JsonSchema = {
  title: 'HistoryEntry',
  ...objectSchema(
    {
      id: { ...ID, type: ['integer', 'null'], description: 'The number of the entry; null for that of a child.' },
      path: {
        ...NULLABLE,
        description: 'The place of a nested child, such as `lines.7`; null for the record itself.',
      },
      action: { enum: [...HISTORY_ACTIONS] },
      source: { ...NULLABLE, description: 'The action of the API that wrote, such as `bulk_update`.' },
      at: { type: 'string', format: 'date-time' },
      user: { ...NULLABLE, description: 'The id of the user.' },
      reason: { ...NULLABLE, description: 'The header `X-Change-Reason` of the request.' },
      request_id: NULLABLE,
      job: { ...NULLABLE, description: 'The id of the job that wrote, such as an import.' },
      before: { ...VALUES, description: 'The changed fields before; of a deleted record, all fields.' },
      after: { ...VALUES, description: 'The changed fields after; of a new record, all fields.' },
      redacted: { ...listSchema(TEXT), description: 'Changed fields whose values are not kept.' },
    },
    ['redacted'],
  ),
}

const PAST_RECORD: JsonSchema = {
  title: 'PastRecord',
  type: 'object',
  description: 'With `at`: the fields of the record at that time, with the ids of related records.',
}

const UNCERTAIN = { 409: 'The history does not say what the record was. `message` has the reason.' }

/** What the history adds to a retrieve. */
export function describeAt({ data = {} }: RouteDescription, isRestricted: boolean): Partial<RouteDescription> {
  return {
    query: { at: AT_PARAMETER },
    data: { anyOf: [data, PAST_RECORD] },
    errors: { ...UNCERTAIN, ...(isRestricted && { 403: 'The user may not read the history.' }) },
  }
}

export function describeHistory(names: RecordNames): RouteDescription {
  return {
    summary: `List the history of ${names.one}`,
    description: 'One entry for each change, newest first. A deleted record keeps its history.',
    query: HISTORY_PAGES.queryParameters,
    data: listSchema(ENTRY),
    pages: {
      links: objectSchema({
        count: WHOLE_NUMBER,
        next: { type: ['string', 'null'], format: 'uri' },
        previous: { type: ['string', 'null'], format: 'uri' },
      }),
    },
  }
}

export function describeDifference(names: RecordNames): RouteDescription {
  const change = objectSchema({ field: TEXT, before: {}, after: {} })
  return {
    summary: `Compare two states of ${names.one}`,
    description: 'The fields that differ between the states after two entries of its history.',
    query: { from: ID, to: ID },
    data: { title: 'HistoryDifference', ...objectSchema({ from: ID, to: ID, changes: listSchema(change) }) },
    errors: UNCERTAIN,
  }
}

export function describeRevert(names: RecordNames, serializer: ModelSerializer): RouteDescription {
  const fields = { ...listSchema(TEXT), description: 'The fields to bring back. Default: all that have changed.' }
  return {
    summary: `Revert ${names.one}`,
    description: 'Brings back the state after an entry, as an update with the same rules.',
    body: objectSchema({ entry: ID, fields }, ['fields']),
    data: serializer.outputSchema(),
  }
}
