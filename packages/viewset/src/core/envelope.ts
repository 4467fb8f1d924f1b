import { timestampNow } from './clock.ts'
import type { ApiError } from './errors.ts'

/** Totals and links of a paginated list (SPEC, "Standard response envelope"). */
export interface PageLinks {
  /** `null` only where a pagination class is set not to count. */
  readonly count: number | null
  readonly next: string | null
  readonly previous: string | null
}

/** The envelope up to its data: `{"success":true,...,"data":`, to be closed by {@link ENVELOPE_END}. */
export function envelopeStart(message = '', links?: PageLinks, success = true): string {
  // Every part but the message and the links is plain ASCII without quotes, so only those need escaping.
  const text = message === '' ? '""' : JSON.stringify(message)
  const start = `{"success":${success},"timestamp":"${timestampNow()}","message":${text},`
  if (!links) return `${start}"data":`
  return `${start}"count":${links.count},"next":${JSON.stringify(links.next)},"previous":${JSON.stringify(links.previous)},"data":`
}

export const ENVELOPE_END = '}'

/** A whole envelope around data that is JSON text already. Not a success is what has data but did not go all well. */
export function dataEnvelope(dataJson: string, message = '', links?: PageLinks, success = true): string {
  return `${envelopeStart(message, links, success)}${dataJson}${ENVELOPE_END}`
}

/** A whole error envelope; `errors` stands in it exactly on 400 and 409 (CONTRACT, "Envelope"). */
export function errorEnvelope(error: ApiError): string {
  const body = { success: false, timestamp: timestampNow(), message: error.message, data: null }
  const hasErrors = error.status === 400 || error.status === 409
  return JSON.stringify(hasErrors ? { ...body, errors: error.errors ?? {} } : body)
}
