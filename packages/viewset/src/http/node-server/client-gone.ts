import type { ServerResponse } from 'node:http'

/** Aborts when a client leaves before its answer is whole; after a whole answer there is nothing left to abort. */
export function signalOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  // The request's own end comes with its body's.
  if (response.destroyed && !response.writableFinished) gone.abort()
  else response.once('close', () => gone.abort())
  return gone.signal
}
