import { createServer, type IncomingMessage, type Server } from 'node:http'
import { Readable } from 'node:stream'

/** A request as the floor's handlers need it. */
export interface FloorRequest {
  readonly origin: string
  /** Without the query string. */
  readonly path: string
  readonly query: URLSearchParams
  /** What the path has behind the resource's name, `''` for the list. */
  readonly id: string
  readonly method: string
  /** `undefined` where there is none. */
  readonly body: unknown
}

export interface FloorResponse {
  readonly status: number
  /** Text, or its parts while they are read. */
  readonly body: string | AsyncIterable<string> | Iterable<string>
}

export type Handler = (request: FloorRequest) => FloorResponse | Promise<FloorResponse>

/** The hand-written server: node:http and one handler, which answers below `address`. */
export function createFloor(address: string, handler: Handler): Server {
  const base = `${address}/`
  return createServer(async (request, response) => {
    const { status, body } = await answer(base, handler, request)
    const type = { 'content-type': 'application/json; charset=utf-8' }
    if (typeof body === 'string') {
      response.writeHead(status, { ...type, 'content-length': Buffer.byteLength(body) }).end(body)
    } else {
      Readable.from(body, { objectMode: false }).pipe(response.writeHead(status, type))
    }
  })
}

async function answer(base: string, handler: Handler, request: IncomingMessage): Promise<FloorResponse> {
  const url = request.url ?? '/'
  const end = url.indexOf('?')
  const path = end === -1 ? url : url.slice(0, end)
  if (!path.startsWith(base)) return failure(404, 'There is no such record, or you may not see it.')
  const id = path.endsWith('/') ? path.slice(base.length, -1) : path.slice(base.length)
  const query = new URLSearchParams(end === -1 ? '' : url.slice(end + 1))
  try {
    const { method = 'GET' } = request
    const body = method === 'GET' ? undefined : await readBody(request)
    return await handler({ origin: `http://${request.headers.host}`, path, query, id, method, body })
  } catch (error) {
    console.error(error)
    return failure(500, 'Something went wrong on our side.')
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString())
}

export function failure(status: number, message: string): FloorResponse {
  return { status, body: JSON.stringify({ success: false, timestamp: timestamp(), message, data: null }) }
}

export function success(data: unknown, status = 200): FloorResponse {
  return { status, body: JSON.stringify({ success: true, timestamp: timestamp(), message: '', data }) }
}

/** Now, with microseconds. */
export function timestamp(): string {
  const microseconds = Math.trunc((performance.timeOrigin + performance.now()) * 1_000)
  const date = new Date(microseconds / 1_000)
  return `${date.toISOString().slice(0, 23)}${String(microseconds % 1_000).padStart(3, '0')}Z`
}
