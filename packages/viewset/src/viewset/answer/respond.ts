import { once } from 'node:events'
import { Readable } from 'node:stream'
import { attachment } from '../../core/content-disposition.ts'
import { currentContext } from '../../core/context.ts'
import { dataEnvelope, type EnvelopeParts, envelopeEnd, envelopeStart } from '../../core/envelope.ts'
import { jsonOf } from '../../core/json/json-of.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import { inEnglish } from '../../core/messages/message.ts'
import { languageHeaders } from '../../core/messages/wording.ts'
import { EventBody, EventStream } from './event-stream.ts'
import { Bare, Download, JsonText, ListPage, Reply } from './reply.ts'

/** A response, before a server or framework sends it. */
export interface ApiResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  /** The whole body, or the bytes of a long list or a file, which are made while they are sent. */
  readonly body: string | Buffer | Readable
}

/** Files contain the data of many users. No browser shall guess that one is a page. */
const NO_SNIFFING = { 'x-content-type-options': 'nosniff' }
export const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }

type MakeEnvelope = NonNullable<ReturnType<typeof currentContext>['envelope']>

export class Rendered {
  readonly response: ApiResponse

  constructor(response: ApiResponse) {
    this.response = response
  }
}

/** A write makes its JSON in the transaction, so a value that is not valid JSON undoes the write. */
export function rendered(reply: Reply): Reply {
  const { data, status } = reply
  const isRead = data instanceof Download || data instanceof EventStream || data instanceof Rendered
  if (isRead || (data instanceof ListPage && data.json === undefined)) {
    checkSendable(reply)
    // Throws if JSON cannot show `extra`.
    envelopeEnd(reply)
    return reply
  }
  return new Reply(new Rendered(data instanceof Bare ? bareResponse(data, reply) : wholeResponse(reply)), { status })
}

/** Whether a reply is an event stream, which goes on after the request. */
export function isEventStream({ data }: Reply): boolean {
  return data instanceof EventStream || (data instanceof Rendered && data.response.body instanceof EventBody)
}

/** The answer of a mixin. @throws TypeError for one that no server can send */
export function checkedAnswer(answer: ApiResponse): ApiResponse {
  const { status, headers, body } = Object(answer) as Partial<ApiResponse>
  const isBody = typeof body === 'string' || Buffer.isBuffer(body) || body instanceof Readable
  if (typeof status !== 'number' || typeof headers !== 'object' || !isBody) {
    throw new TypeError('around must return an answer with status, headers and body: that of next, or another.')
  }
  checkSendable({ status, headers })
  return answer
}

/** The response to a reply. A promise only if its first bytes have to be read. */
export function respond(reply: Reply): ApiResponse | Promise<ApiResponse> {
  if (reply.data instanceof Rendered) return reply.data.response
  if (reply.data instanceof Download) return fileResponse(reply.data, reply)
  if (reply.data instanceof EventStream) return eventResponse(reply.data, reply)
  return reply.data instanceof Bare ? bareResponse(reply.data, reply) : successResponse(reply)
}

function successResponse(reply: Reply): ApiResponse | Promise<ApiResponse> {
  const { data } = reply
  if (!(data instanceof ListPage) || data.json !== undefined) return wholeResponse(reply)
  // The envelope of a project needs all of the data.
  if (currentContext().envelope)
    return data.items().then(items => wholeResponse(reply.with({ data: data.with(items) })))
  checkSendable(reply)
  const { message, success, extra } = reply
  const stream = Readable.from(streamPage(data, { message, success, extra, links: data.links }), { objectMode: false })
  return begun(stream).then(() => jsonResponse(reply, stream))
}

function wholeResponse(reply: Reply): ApiResponse {
  const { status, headers } = reply
  checkSendable(reply)
  // RFC 9110, 15.3.5: no body on 204. A typed client makes the envelope of a destroy by itself.
  return status === 204 ? { status, headers, body: '' } : jsonResponse(reply, successBody(reply))
}

function jsonResponse({ status = 200, headers }: Reply, body: ApiResponse['body']): ApiResponse {
  return { status, headers: { ...JSON_TYPE, ...headers }, body }
}

/** Waits for the first bytes of an answer: an error before them still gets its own status. */
async function begun(stream: Readable): Promise<void> {
  if (stream.errored) throw stream.errored
  await once(stream, 'readable')
}

function bareResponse({ contentType, body }: Bare, { status = 200, headers: own }: Reply): ApiResponse {
  const headers = { 'content-type': contentType, ...NO_SNIFFING, ...own }
  checkSendable({ status, headers })
  return { status, headers, body }
}

/** Proxies must not hold back events to store or compress several at once. */
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
    ...(file.isWorded && languageHeaders(currentContext())),
    // Headers are ASCII, and so is English.
    ...(warnings.length > 0 && {
      'x-export-warnings': warnings
        .map(inEnglish)
        .join(' ')
        .replace(/[^\x20-\x7e]/g, '?'),
    }),
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
  const { envelope } = currentContext()
  if (envelope) return projectBody(reply, envelope)
  if (data instanceof JsonText) return dataEnvelope(data.json, reply)
  if (!(data instanceof ListPage)) return dataEnvelope(jsonOf(data), reply)
  const { message, success, extra } = reply
  return dataEnvelope(data.json ?? '[]', { message, success, extra, links: data.links })
}

/** @throws TypeError for an envelope that is no JSON */
function projectBody({ data, status = 200, message, success, extra }: Reply, envelope: MakeEnvelope): string {
  const isPage = data instanceof ListPage
  const text = isPage || data instanceof JsonText ? data.json : jsonOf(data)
  const links = isPage ? data.links : undefined
  const shown = text === undefined ? null : parseJson(text)
  const made = envelope({ data: shown, status, message, success, extra, links })
  if (made instanceof Promise) throw new TypeError('The option envelope returned a promise: it cannot wait.')
  if (made === undefined || typeof made === 'function' || typeof made === 'symbol') {
    throw new TypeError('The option envelope must return JSON: an object, a list, a text or null.')
  }
  return jsonOf(made)
}

function streamPage(page: ListPage, parts: EnvelopeParts): AsyncIterable<string> {
  // Made before the first byte is sent: a value that is not valid JSON still gets its own status.
  return streamBatches(page, `${envelopeStart(parts)}[`, `]${envelopeEnd(parts)}`)
}

async function* streamBatches(page: ListPage, start: string, end: string): AsyncGenerator<string> {
  let text = start
  let isFirst = true
  for await (const batch of page.batches()) {
    // Each batch is an array. Without their brackets, the batches form one array.
    const items = batch.slice(1, -1)
    if (items === '') continue
    yield isFirst ? text + items : `,${items}`
    isFirst = false
    text = ''
  }
  yield text + end
}

interface Sendable {
  readonly status?: number | undefined
  readonly headers: Readonly<Record<string, string | string[]>>
}

/** RFC 9110, 5.6.2. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i
/** RFC 9110, 5.5. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Servers report these mistakes too late: with an answer that is no envelope, or by ending the process. */
function checkSendable(answer: Sendable): void {
  const fault = whyUnsendable(answer)
  if (fault) throw fault
}

export function whyUnsendable({ status = 200, headers }: Sendable): TypeError | undefined {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    return new TypeError(`An answer cannot have the status ${status}: give one from 200 to 599.`)
  }
  for (const name of Object.keys(headers)) {
    if (!NAME.test(name)) return new TypeError(`An answer cannot have a header with the name ${JSON.stringify(name)}.`)
    const value = headers[name]
    // Most headers have one text, and each answer is checked.
    if (isSendable(value)) continue
    const wrong = Array.isArray(value) ? value.find(each => !isSendable(each)) : value
    if (wrong === undefined && Array.isArray(value)) continue
    return new TypeError(
      `The header ${name} cannot be ${JSON.stringify(wrong)}: encode it, as encodeURIComponent does.`,
    )
  }
  return undefined
}

function isSendable(value: unknown): boolean {
  return typeof value === 'string' && VALUE.test(value)
}
