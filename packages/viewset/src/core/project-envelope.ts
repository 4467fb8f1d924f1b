import type { EnvelopeExtra, PageLinks } from './envelope.ts'
import { type ApiError, NotFound } from './errors.ts'
import { errorCode } from './messages/message.ts'

/** JSON Schema, draft 2020-12, as OpenAPI 3.1 has it. */
export interface EnvelopeSchema {
  readonly [keyword: string]: unknown
}

/** The action that a request is about. Both are `undefined` if a request reaches no endpoint. */
export interface EnvelopePlace {
  /** The name of the resource, as in the option `resources`; `undefined` for an endpoint of the API itself. */
  readonly resource: string | undefined
  readonly action: string | undefined
}

/** What an answer of success is made from. */
export interface EnvelopeReply extends EnvelopePlace {
  /** The data as JSON has it: a record, a list of records, or what a custom action has returned. */
  readonly data: unknown
  readonly status: number
  readonly message: string
  readonly success: boolean
  /** Count and links of a page; `undefined` for any other answer. */
  readonly links: PageLinks | undefined
  readonly extra: EnvelopeExtra | undefined
}

/**
 * Makes the JSON of all answers of success, in place of the standard envelope. `schema` describes it in OpenAPI: it gets
 * the schema of the data.
 *
 * @example
 * const envelope: ProjectEnvelope = ({ data, links }) => (links ? { items: data, total: links.count } : data)
 */
export interface ProjectEnvelope {
  (reply: EnvelopeReply): unknown
  readonly schema?: (data: EnvelopeSchema, place: EnvelopePlace & { readonly isPage: boolean }) => EnvelopeSchema
}

/** One message about a field. */
export interface EnvelopeFieldError {
  /** Stable, such as `required` or `unique`; `invalid` for a text of the application. */
  readonly code: string
  /** In the client's language. */
  readonly message: string
}

/** What an answer to an error is made from. */
export interface EnvelopeError extends EnvelopePlace {
  readonly status: number
  /** Stable, such as `validation_error` or `not_found`. */
  readonly code: string
  /** In the client's language. */
  readonly message: string
  /** Messages by field, with dotted paths: `lines.2.price`. Empty if the error is not about fields. */
  readonly errors: Readonly<Record<string, readonly EnvelopeFieldError[]>>
  /** For a 404: the table of the missing record, which a nested route's parent may be. */
  readonly table: string | undefined
  /** The error itself. An error of the server is hidden in a standard one with an error id. */
  readonly error: ApiError
}

/** Another status and body for an error. */
export interface ErrorAnswer {
  /** Default: that of the error. */
  readonly status?: number
  /** Any JSON. */
  readonly body: unknown
}

/**
 * Makes the answers to errors, in place of the standard envelope; `undefined` leaves an error the standard one. `schema`
 * describes the bodies in OpenAPI.
 *
 * @example
 * const errorHandler: ErrorHandler = ({ status, message, errors }) => ({ body: { title: message, status, errors } })
 */
export interface ErrorHandler {
  (error: EnvelopeError): ErrorAnswer | undefined
  readonly schema?: EnvelopeSchema
}

/**
 * Changes a JSON body before an action reads it. `schema` describes the changed form in OpenAPI: it gets the schema of
 * the standard form.
 *
 * @example
 * const requestBody: RequestBody = body => (body as { data?: unknown }).data
 */
export interface RequestBody {
  (body: unknown, place: EnvelopePlace): unknown
  readonly schema?: (body: EnvelopeSchema, place: EnvelopePlace) => EnvelopeSchema
}

/** The JSON of a project, where it differs from the standard. */
export interface EnvelopeOptions {
  /** Makes the answers of success. Default: the standard envelope. Files and event streams have none. */
  readonly envelope?: ProjectEnvelope
  /** Makes the answers to errors. Default: the standard envelope. */
  readonly errorHandler?: ErrorHandler
  /** Changes a JSON body before an action reads it. */
  readonly requestBody?: RequestBody
}

/** What an {@link ErrorHandler} gets. Its texts are in the language of the current request. */
export function envelopeError(error: ApiError, place: EnvelopePlace): EnvelopeError {
  const { status, code, text, fieldErrors = {} } = error
  const errors = Object.entries(fieldErrors).map(([field, texts]) => {
    return [field, texts.map(each => ({ code: errorCode(each), message: String(each) }))] as const
  })
  const table = error instanceof NotFound ? error.table : undefined
  return { ...place, status, code, message: String(text), errors: Object.fromEntries(errors), table, error }
}
