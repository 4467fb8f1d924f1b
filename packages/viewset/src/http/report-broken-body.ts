import { reportError } from '../core/context.ts'
import type { HttpRequest } from './http-request.ts'

/** What Node and the Fetch standard say of a stream whose reader has left. */
const OF_THE_READER = ['AbortError', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE']

/** Logs why the making of an answer has failed after its head was sent: its client only sees that it breaks off. */
export function reportBrokenBody(error: Error & { readonly code?: unknown }, request: HttpRequest): void {
  const isOfReader = OF_THE_READER.includes(error.name) || OF_THE_READER.includes(String(error.code))
  if (!isOfReader && !request.signal.aborted) reportError(error, 'an answer broke off', request)
}
