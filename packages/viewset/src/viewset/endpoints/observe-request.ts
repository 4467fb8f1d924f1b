import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { channels, type Ongoing, type RequestEvent, traced } from '../../core/channels.ts'
import { runInContext } from '../../core/context.ts'
import type { ApiRequest } from '../../core/request.ts'
import type { Reply } from '../answer/reply.ts'
import type { Endpoint, EndpointContext } from './endpoint.ts'

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
  const observed = traced(channels.request, event, async () => {
    const failures: unknown[] = []
    const made = await runInContext({ request: event }, () => answer(error => failures.push(error)))
    event.status = made.status
    response.resolve(made)
    for (const failure of failures) throw failure
    if (made.body instanceof Readable) await sent(made.body)
  })
  // The sender of the answer gets the error from the answer's body.
  observed.catch(response.reject)
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

const SHOWN = 300

/** Warns once, in development, if a request sends one statement more often than it should need statements at all. */
export function watchStatements(endpoint: Endpoint): Endpoint {
  const { statements: needed } = endpoint
  if (needed === undefined || process.env.NODE_ENV === 'production') return endpoint
  let hasWarned = false
  const answer = async (context: EndpointContext): Promise<Reply> => {
    if (hasWarned) return endpoint.answer(context)
    const sent = new Map<string, number>()
    const reply = await runInContext({ sent }, () => endpoint.answer(context))
    const [text, times] = mostSent(sent)
    if (times > needed && !hasWarned) {
      hasWarned = true
      const total = [...sent.values()].reduce((sum, each) => sum + each, 0)
      context.request.logWarning(warning(endpoint, { needed, total, times, text }))
    }
    return reply
  }
  return { ...endpoint, answer }
}

function mostSent(sent: ReadonlyMap<string, number>): readonly [text: string, times: number] {
  let most: readonly [string, number] = ['', 0]
  for (const entry of sent) if (entry[1] > most[1]) most = entry
  return most
}

interface Found {
  readonly needed: number
  readonly total: number
  readonly times: number
  readonly text: string
}

function warning({ method, path, action }: Endpoint, { needed, total, times, text }: Found): string {
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
  return `${method} ${path} (${action}) has sent ${total} statements where ${needed} would do, one of them ${times} times: ${shown} -- Ask for all records at once: by a relation field or an ExpressionField of the serializer, or before the records are shown. This is said once, and not in production.`
}
