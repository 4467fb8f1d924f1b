import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { channels, type Ongoing, type RequestEvent, traced } from '../../core/channels.ts'
import { runInContext } from '../../core/context.ts'
import type { ApiRequest } from '../../core/request.ts'
import type { Endpoint } from './endpoint.ts'

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** A body that is read while it is sent ends the event with its last byte, or when the client leaves. */
export function observeRequest<A extends Answer>(
  { resource, action, method, path }: Endpoint,
  request: ApiRequest,
  answer: (failed: (error: unknown) => void) => Promise<A>,
): Promise<A> {
  const event: Ongoing<RequestEvent> = {
    id: request.id,
    resource: resource ?? null,
    action,
    method,
    route: path,
    status: 0,
    statements: 0,
    duration: 0,
  }
  const response = Promise.withResolvers<A>()
  const told = traced(channels.request, event, async () => {
    const failures: unknown[] = []
    const made = await runInContext({ request: event }, () => answer(error => failures.push(error)))
    event.status = made.status
    response.resolve(made)
    for (const failure of failures) throw failure
    if (made.body instanceof Readable) await sent(made.body)
  })
  // The sender of the answer gets the error from the answer's body.
  told.catch(response.reject)
  return response.promise
}

/** Waits for the end of a body. A client that leaves is no failure. */
async function sent(body: Readable): Promise<void> {
  try {
    await finished(body, { cleanup: true })
  } catch (error) {
    if (body.errored) throw error
  }
}
