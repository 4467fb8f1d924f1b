import type { JsonSchema } from '../../kinds/json-schema.ts'
import { JOB_STATES } from '../../model/job-tables.ts'

/** Errors that are told of a job. */
export const ERRORS = 1_000

/** Of the files that jobs make. */
export const FILE_TYPES = [
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/pdf',
]

const ROWS: JsonSchema = { type: 'integer', minimum: 0 }
const TIME: JsonSchema = { type: ['string', 'null'], format: 'date-time' }

const PROGRESS: JsonSchema = {
  title: 'JobProgress',
  type: 'object',
  properties: {
    processed: ROWS,
    total: { type: ['integer', 'null'], minimum: 0, description: 'Rows of the file, once they are counted.' },
    failed: ROWS,
    created: ROWS,
    updated: ROWS,
    unchanged: ROWS,
    skipped: ROWS,
    deleted: ROWS,
  },
  required: ['processed', 'total', 'failed', 'created', 'updated', 'unchanged', 'skipped', 'deleted'],
}

const ERROR: JsonSchema = {
  title: 'JobError',
  type: 'object',
  properties: {
    row: { type: 'integer', minimum: 1, description: 'As a person sees it in the sheet: the header is 1.' },
    field: { type: 'string' },
    column: { type: 'string', description: 'The header in the file.' },
    message: { type: 'string' },
    model: { type: 'string' },
  },
  required: ['row', 'field', 'message', 'model'],
}

/** A job as it is sent. */
export const JOB_SCHEMA: JsonSchema = {
  title: 'Job',
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid' },
    resource: { type: 'string', description: 'The name in the path of the resource that works on it.' },
    kind: { type: 'string', enum: ['import', 'export'] },
    state: { type: 'string', enum: [...JOB_STATES] },
    user: { type: ['string', 'null'], description: 'The id of the user who asked for it.' },
    options: { type: 'object', description: 'What was asked for; not in lists.' },
    file: { type: ['string', 'null'], description: 'The name of the file that was sent.' },
    progress: PROGRESS,
    message: { type: 'string', description: 'What has become of it, for a person; empty where all is well.' },
    result: { type: ['object', 'null'], description: 'What an import has come to; in lists, null if it is large.' },
    result_file: { type: ['string', 'null'], description: 'The name of the file that can be fetched.' },
    attempts: { type: 'integer', minimum: 0, description: 'Times that a worker has begun with it.' },
    is_cancel_requested: { type: 'boolean' },
    created_at: { type: 'string', format: 'date-time' },
    started_at: TIME,
    ended_at: TIME,
    errors: {
      type: 'array',
      items: ERROR,
      maxItems: ERRORS,
      description: 'Of the rows that failed, the first ones; not in lists.',
    },
  },
  required: [
    'id',
    'resource',
    'kind',
    'state',
    'user',
    'file',
    'progress',
    'message',
    'result',
    'result_file',
    'attempts',
    'is_cancel_requested',
    'created_at',
    'started_at',
    'ended_at',
  ],
}
