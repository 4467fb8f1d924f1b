import { timestampNow } from './clock.ts'
import { type ApiError, mapErrors } from './errors.ts'
import { jsonOf } from './json/json-of.ts'
import { ENGLISH, errorCode, inLanguage } from './messages/message.ts'
import type { Wording } from './messages/wording.ts'

/** Totals and links of a paginated list. */
export interface PageLinks {
  /** `null` if the pagination class does not count. Absent if its style has no count. */
  readonly count?: number | null
  readonly next: string | null
  readonly previous: string | null
}

/** The keys of an envelope in their order. Keys of an action or of the project come after them. */
export const ENVELOPE_KEYS = [
  'success',
  'timestamp',
  'message',
  'count',
  'next',
  'previous',
  'data',
  'errors',
  'codes',
] as const

/** Further keys of an envelope, by their names on the wire. */
export type EnvelopeExtra = Readonly<Record<string, unknown>> & {
  readonly [K in (typeof ENVELOPE_KEYS)[number]]?: never
}

export interface EnvelopeParts {
  readonly message?: string
  /** `false` for a response that has data although a part of the request failed. Default true. */
  readonly success?: boolean
  readonly links?: PageLinks | undefined
  readonly extra?: EnvelopeExtra | undefined
}

/** The envelope up to its data: `{"success":true,...,"data":`. {@link envelopeEnd} closes it. */
export function envelopeStart({ message = '', links, success = true }: EnvelopeParts): string {
  const text = message === '' ? '""' : JSON.stringify(message)
  const start = `{"success":${success},"timestamp":"${timestampNow()}","message":${text},`
  if (!links) return `${start}"data":`
  const { count, next = null, previous = null } = links
  const total = count === undefined ? '' : `"count":${JSON.stringify(count)},`
  return `${start}${total}"next":${JSON.stringify(next)},"previous":${JSON.stringify(previous)},"data":`
}

export function envelopeEnd({ extra }: EnvelopeParts): string {
  if (extra === undefined) return '}'
  const json = jsonOf(extra)
  return json === '{}' ? '}' : `,${json.slice(1)}`
}

export function dataEnvelope(dataJson: string, parts: EnvelopeParts): string {
  return `${envelopeStart(parts)}${dataJson}${envelopeEnd(parts)}`
}

/** The statuses whose envelope always has `errors`. */
export const WITH_ERRORS: ReadonlySet<number> = new Set([400, 409, 422])
/** The statuses whose envelope has `errors` if the request is about many records: the errors are those of its items. */
export const WITH_ERRORS_IN_BULK: ReadonlySet<number> = new Set([412, 428])

/** A whole error envelope in the client's language. It has `errors`, and perhaps `codes`, if its status has them. */
export function errorEnvelope(
  error: ApiError,
  { language, errorCodes }: Pick<Wording, 'language' | 'errorCodes'> = PLAIN,
): string {
  const { status, text, fieldErrors = {} } = error
  const hasErrors = WITH_ERRORS.has(status) || (error.fieldErrors && WITH_ERRORS_IN_BULK.has(status))
  return inLanguage(language, () =>
    JSON.stringify({
      success: false,
      timestamp: timestampNow(),
      message: String(text),
      data: null,
      ...(hasErrors && { errors: mapErrors(fieldErrors, String) }),
      ...(hasErrors && errorCodes && { codes: mapErrors(fieldErrors, errorCode) }),
    }),
  )
}

/** For an error before the API has seen a request. */
const PLAIN = { language: ENGLISH, errorCodes: false }
