import { randomUUID } from 'node:crypto'

const REQUEST_ID = /^[\w.:-]{1,100}$/

/** The id that a proxy or a client gave a request by `x-request-id`, if that is one, or a new one. */
export function requestId(given: unknown): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}
