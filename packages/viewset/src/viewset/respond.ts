import { once } from 'node:events'
import { Readable } from 'node:stream'
import { attachment } from '../core/content-disposition.ts'
import { dataEnvelope, type EnvelopeParts, envelopeEnd, envelopeStart } from '../core/envelope.ts'
import { checkSendable, whyUnsendable } from './check-sendable.ts'
import { EventBody } from './event-body.ts'
import { EventStream } from './event-stream.ts'
import { Bare, Download, JsonText, ListPage, Reply } from './reply.ts'

/** A response as the core sees it, whatever server sends it. */
export interface ApiResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  /** What is there as a whole, or the bytes of a long list or a file while they are made, of which the first are there. */
  readonly body: string | Buffer | Readable
}

/** What is in a file comes from many hands: no browser shall guess that it is a page. */
const NO_SNIFFING = { 'x-content-type-options': 'nosniff' }
export const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }

/** A response that stands already, as the data of a reply. */
export class Rendered {
  readonly response: ApiResponse

  constructor(response: ApiResponse) {
    this.response = response
  }
}

/**
 * A reply whose JSON is made now. A write is rendered in its transaction: what no JSON can show is an error, and an error
 * stores nothing. A file, events and a list that is read while it is sent stay as they are.
 */
export function rendered(reply: Reply): Reply {
  const { data, status } = reply
  const isRead = data instanceof Download || data instanceof EventStream || data instanceof Rendered
  if (isRead || (data instanceof ListPage && data.json === undefined)) return reply
  return new Reply(new Rendered(data instanceof Bare ? bareResponse(data, reply) : wholeResponse(reply)), { status })
}

/** The response to a reply: at once, unless its first bytes have to be read. */
export function respond(reply: Reply): ApiResponse | Promise<ApiResponse> {
  if (reply.data instanceof Rendered) return reply.data.response
  if (reply.data instanceof Download) return fileResponse(reply.data, reply)
  if (reply.data instanceof EventStream) return eventResponse(reply.data, reply)
  return reply.data instanceof Bare ? bareResponse(reply.data, reply) : successResponse(reply)
}

function successResponse(reply: Reply): ApiResponse | Promise<ApiResponse> {
  const { data } = reply
  if (!(data instanceof ListPage) || data.json !== undefined) return wholeResponse(reply)
  checkSendable(reply)
  const { message, success, extra } = reply
  const stream = Readable.from(streamPage(data, { message, success, extra, links: data.links }), { objectMode: false })
  return begun(stream).then(() => jsonResponse(reply, stream))
}

/** The response to a reply whose JSON can be made at once. */
function wholeResponse(reply: Reply): ApiResponse {
  const { status, headers } = reply
  checkSendable(reply)
  // RFC 9110, 15.3.5: no body on 204. A typed client makes the envelope of a destroy by itself.
  return status === 204 ? { status, headers, body: '' } : jsonResponse(reply, successBody(reply))
}

function jsonResponse({ status = 200, headers }: Reply, body: ApiResponse['body']): ApiResponse {
  return { status, headers: { ...JSON_TYPE, ...headers }, body }
}

/** Waits for the first bytes of an answer: what goes wrong before them gets a status of its own. */
async function begun(stream: Readable): Promise<void> {
  if (stream.errored) throw stream.errored
  await once(stream, 'readable')
}

function bareResponse({ contentType, body }: Bare, { status = 200, headers: own }: Reply): ApiResponse {
  const headers = { 'content-type': contentType, ...NO_SNIFFING, ...own }
  checkSendable({ status, headers })
  return { status, headers, body }
}

/** Nobody in between keeps events back, to store or to compress more of them at once. */
const AS_THEY_COME = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' }

function eventResponse({ events }: EventStream, { status = 200, headers: own }: Reply): ApiResponse {
  const headers = { 'content-type': 'text/event-stream', ...AS_THEY_COME, ...NO_SNIFFING, ...own }
  checkSendable({ status, headers })
  return { status, headers, body: new EventBody(events) }
}

async function fileResponse(file: Download, { status = 200, headers: own }: Reply): Promise<ApiResponse> {
  const { stream, filename, contentType, warnings } = file
  await begun(stream)
  const headers = {
    'content-type': contentType,
    'content-disposition': attachment(filename),
    ...NO_SNIFFING,
    ...(warnings.length > 0 && { 'x-export-warnings': warnings.join(' ').replace(/[^\x20-\x7e]/g, '?') }),
    ...own,
  }
  const fault = whyUnsendable({ status, headers })
  if (fault) {
    stream.destroy()
    throw fault
  }
  return { status, headers, body: stream }
}

function successBody(reply: Reply): string {
  const { data } = reply
  if (data instanceof JsonText) return dataEnvelope(data.json, reply)
  if (!(data instanceof ListPage)) return dataEnvelope(JSON.stringify(data) ?? 'null', reply)
  const { message, success, extra } = reply
  return dataEnvelope(data.json ?? '[]', { message, success, extra, links: data.links })
}

/** The envelope of a list that is read while it is sent. */
function streamPage(page: ListPage, parts: EnvelopeParts): AsyncIterable<string> {
  // Made before the first byte is sent: what cannot be JSON is still an error with a status of its own.
  return streamBatches(page, `${envelopeStart(parts)}[`, `]${envelopeEnd(parts)}`)
}

async function* streamBatches(page: ListPage, start: string, end: string): AsyncGenerator<string> {
  let text = start
  let isFirst = true
  for await (const batch of page.batches()) {
    // The batches are arrays; without their brackets they are parts of one array.
    const items = batch.slice(1, -1)
    if (items === '') continue
    yield isFirst ? text + items : `,${items}`
    isFirst = false
    text = ''
  }
  yield text + end
}
