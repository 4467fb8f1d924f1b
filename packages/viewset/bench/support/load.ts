import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** The same for both servers, so that links are the same too. */
const HOST = 'bench.local'
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n')

export interface Response {
  readonly status: number
  readonly body: string
}

/** A keep-alive connection that knows just enough HTTP to leave the CPU to the servers. */
export class LoadConnection {
  readonly #socket: Socket
  #received: Buffer[] = []
  /** Bytes of the response that are still to come; -1 while its head is, and infinitely many of one in chunks. */
  #missing = -1
  #answer: { resolve(response: Buffer): void; reject(error: Error): void } | undefined

  static async open(port: number): Promise<LoadConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    return new LoadConnection(socket)
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', chunk => this.#receive(chunk))
    const fail = () => this.#answer?.reject(new Error('A server closed the connection'))
    socket.on('error', fail).on('close', fail)
  }

  /** Sends a request and resolves with the whole response. */
  send(request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#answer = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#answer = undefined
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    this.#received.push(chunk)
    if (this.#missing === -1) {
      const start = this.#received.length === 1 ? chunk : Buffer.concat(this.#received)
      const head = start.indexOf('\r\n\r\n')
      if (head === -1) return
      this.#missing = contentLength(start.toString('latin1', 0, head)) - (start.length - head - 4)
    } else {
      this.#missing -= chunk.length
    }
    if (this.#missing === Number.POSITIVE_INFINITY ? !endsChunks(this.#received) : this.#missing > 0) return
    const response = this.#received.length === 1 ? chunk : Buffer.concat(this.#received)
    this.#received = []
    this.#missing = -1
    this.#answer?.resolve(response)
  }
}

/** Neither JSON nor a CSV row is a zero alone on its line, so that one is the end. */
function endsChunks(received: readonly Buffer[]): boolean {
  return Buffer.concat(received.slice(-2)).subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
}

function contentLength(head: string): number {
  if (/transfer-encoding: chunked/i.test(head)) return Number.POSITIVE_INFINITY
  const length = /content-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error('A response has no content-length; teach load.ts to read it')
  return Number(length)
}

/** A request as it goes over the wire. */
export function requestBytes(method: string, path: string, body?: string): Buffer {
  const head = `${method} ${path} HTTP/1.1\r\nhost: ${HOST}\r\naccept: application/json\r\n`
  if (body === undefined) return Buffer.from(`${head}\r\n`)
  const length = Buffer.byteLength(body)
  return Buffer.from(`${head}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`)
}

export function readResponse(response: Buffer): Response {
  const head = response.indexOf('\r\n\r\n')
  const isChunked = /transfer-encoding: chunked/i.test(response.toString('latin1', 0, head))
  const body = response.subarray(head + 4)
  return { status: statusOf(response), body: (isChunked ? joinChunks(body) : body).toString() }
}

function joinChunks(body: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16)
    if (size === 0) return Buffer.concat(parts)
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}

/** Of `HTTP/1.1 200 OK`. */
export function statusOf(response: Buffer): number {
  return Number(response.toString('latin1', 9, 12))
}
