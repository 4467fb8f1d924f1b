import { errorEnvelope, WITH_ERRORS, WITH_ERRORS_IN_BULK } from '../../core/envelope.ts'
import {
  type ApiError,
  Conflict,
  NotAuthenticated,
  NotFound,
  PermissionDenied,
  PreconditionFailed,
  ServiceUnavailable,
  STATUS_CODES,
  ValidationError,
} from '../../core/errors.ts'
import { ENGLISH, message } from '../../core/messages/message.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import { NOT_AS_EXPECTED } from '../../viewset/bulk/items.ts'
import { listSchema, objectSchema, TEXT, WHOLE_NUMBER } from '../../viewset/description/route-description.ts'
import { nameFrom } from './components.ts'
import { EXAMPLE_TIME } from './examples.ts'

interface Refusal {
  readonly description: string
  readonly headers?: Readonly<Record<string, JsonSchema>>
}

/** The meaning and headers of each error status, unless the application says otherwise. */
const STANDARD: Readonly<Record<number, Refusal>> = {
  400: { description: 'The request is not valid. `errors` has the messages by field.' },
  401: {
    description: 'The request has no valid credentials.',
    headers: { 'WWW-Authenticate': { required: true, description: 'The way to sign in (RFC 9110).', schema: TEXT } },
  },
  403: { description: 'The user may not do this.' },
  404: { description: 'There is no such record or page.' },
  408: { description: 'The request took too long to arrive.' },
  409: { description: 'The request conflicts with stored data. `errors` names the field if it is known.' },
  412: { description: NOT_AS_EXPECTED },
  413: { description: 'The body or the file is too large.' },
  415: {
    description: 'The body has an unsupported media type or encoding.',
    headers: { 'Accept-Encoding': { description: 'The accepted encodings.', schema: TEXT } },
  },
  429: {
    description: 'Too many requests of this kind at once.',
    headers: { 'Retry-After': { description: 'Seconds to wait.', schema: WHOLE_NUMBER } },
  },
  500: {
    description: 'An unexpected error. The message has an id for the log.',
    headers: { 'X-Error-Id': { required: true, description: 'The id of the error in the log.', schema: TEXT } },
  },
  503: {
    description: 'The server cannot answer now.',
    headers: { 'Retry-After': { description: 'Seconds to wait.', schema: WHOLE_NUMBER } },
  },
}

interface RefusalForm {
  readonly errorCodes?: boolean
  /** The schema of all errors, if the project makes their bodies. */
  readonly ownSchema?: JsonSchema | undefined
}

/** The error responses of a document: shared components, unless one route gives the status a meaning of its own. */
export class Refusals {
  readonly #ofAll: Readonly<Record<number, string>>
  readonly #errorCodes: boolean
  readonly #ownSchema: JsonSchema | undefined
  readonly #used = new Set<number>()

  /** @param ofAll Further statuses of each operation, with their meanings. */
  constructor(ofAll: Readonly<Record<number, string>> = {}, { errorCodes = false, ownSchema }: RefusalForm = {}) {
    this.#ofAll = ofAll
    this.#errorCodes = errorCodes
    this.#ownSchema = ownSchema
  }

  /** The statuses that each operation has because of other parts of the application. */
  get statuses(): readonly number[] {
    return Object.keys(this.#ofAll).map(Number)
  }

  response(status: number, meaning?: string): JsonSchema {
    const shared = this.#shared(status)
    if (meaning !== undefined && meaning !== shared?.description) {
      return this.#make(status, { ...shared, description: meaning })
    }
    this.#used.add(status)
    return { $ref: `#/components/responses/${nameOf(status)}` }
  }

  /** The shared responses that operations refer to. */
  get components(): Readonly<Record<string, JsonSchema>> {
    const used = [...this.#used].toSorted((a, b) => a - b)
    return Object.fromEntries(
      used.map(status => [nameOf(status), this.#make(status, this.#shared(status) ?? { description: nameOf(status) })]),
    )
  }

  #make(status: number, { description, headers }: Refusal): JsonSchema {
    return {
      description,
      headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' }, ...headers },
      content: { 'application/json': this.#content(status) },
    }
  }

  #content(status: number): JsonSchema {
    if (this.#ownSchema) return { schema: this.#ownSchema }
    return { schema: schemaOf(status), ...exampleOfStatus(status, this.#errorCodes) }
  }

  #shared(status: number): Refusal | undefined {
    const meaning = this.#ofAll[status]
    return meaning === undefined ? STANDARD[status] : { ...STANDARD[status], description: meaning }
  }
}

/** Errors whose message does not depend on the request. */
const EXAMPLES: Readonly<Record<number, () => ApiError>> = {
  400: () => new ValidationError({ name: [message('required')] }),
  401: () => new NotAuthenticated(),
  403: () => new PermissionDenied(),
  404: () => new NotFound(),
  409: () => new Conflict({ name: [message('unique')] }),
  412: () => new PreconditionFailed(),
  503: () => new ServiceUnavailable(),
}

function exampleOfStatus(status: number, errorCodes: boolean): JsonSchema {
  const error = EXAMPLES[status]?.()
  const envelope = error && errorEnvelope(error, { language: ENGLISH, errorCodes })
  return envelope ? { example: { ...JSON.parse(envelope), timestamp: EXAMPLE_TIME } } : {}
}

function schemaOf(status: number): JsonSchema {
  const [error, fieldError] = [ERROR.title, FIELD_ERROR].map(title => ({ $ref: `#/components/schemas/${title}` }))
  if (WITH_ERRORS_IN_BULK.has(status)) return { anyOf: [error, fieldError] }
  return (WITH_ERRORS.has(status) ? fieldError : error) as JsonSchema
}

function nameOf(status: number): string {
  return nameFrom(STATUS_CODES[status] ?? `Status ${status}`)
}

const TIMESTAMP = { type: 'string', format: 'date-time' }
const NULL = { type: 'null' }

/**
 * The standard envelope around data. It allows further keys only if the data is unknown, because the action may then
 * return any `Reply`.
 */
export function envelopeSchema(
  data: JsonSchema,
  success = true,
  more: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const own = { success: { type: 'boolean', const: success }, timestamp: TIMESTAMP, message: TEXT, data }
  const isKnown = Object.keys(data).length > 0
  return { ...objectSchema({ ...own, ...more }), ...(isKnown && { additionalProperties: false }) }
}

const FIELD_ERRORS: JsonSchema = {
  title: 'FieldErrors',
  description: 'Messages by field. `non_field_errors` has those that belong to no field.',
  type: 'object',
  additionalProperties: listSchema(TEXT),
}

export const ERROR: JsonSchema = { title: 'Error', ...envelopeSchema(NULL, false) }

const ERROR_CODES: JsonSchema = {
  title: 'ErrorCodes',
  description: 'The stable code of each message, in the shape of `errors`.',
  type: 'object',
  additionalProperties: listSchema(TEXT),
}

const FIELD_ERROR = 'ValidationError'

/** The schema of an error with messages by field, and perhaps their codes. */
export function fieldError(errorCodes: boolean): JsonSchema {
  const more = { errors: FIELD_ERRORS, ...(errorCodes && { codes: ERROR_CODES }) }
  return { title: FIELD_ERROR, ...envelopeSchema(NULL, false, more) }
}
