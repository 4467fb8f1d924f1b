import { type Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { inflateRawSync } from 'node:zlib'
import { tokens } from '../small-atlas.ts'
import type { RecordedRequest } from './recorded-request.ts'

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Each character is a byte. */
  readonly body: string
}

/** Headers of the connection, and those that each server adds in its own way. */
const OF_THE_CONNECTION = ['connection', 'date', 'keep-alive', 'transfer-encoding']

/** Sends a request to a server on 127.0.0.1. All servers get the same host, so that links are the same. */
export async function ask(
  { port, agent }: { readonly port: number; readonly agent: Agent },
  { method, path, as, headers, payload = '' }: RecordedRequest,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const token = as === 'stranger' ? 'of-nobody' : as && tokens[as]
  const asked = request(
    {
      agent,
      method,
      port,
      host: '127.0.0.1',
      path: `/api${path}`,
      headers: {
        host: 'atlas.test',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(payload !== '' && { 'content-length': Buffer.byteLength(payload) }),
        ...headers,
      },
    },
    async response => {
      const own = Object.entries(response.headers).filter(([name]) => !OF_THE_CONNECTION.includes(name))
      const body = (await buffer(response)).toString('latin1')
      resolve({
        status: response.statusCode ?? 0,
        headers: Object.fromEntries(own.map(([name, value]) => [name, String(value)])),
        body,
      })
    },
  )
  asked.on('error', reject)
  asked.end(payload)
  return promise
}

/** The answer without times and new ids. The ids of known records stay. A workbook is its parts. */
export function masked({ status, headers, body }: Answer, known: ReadonlySet<string>): Answer {
  const mask = (text: string) =>
    text
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, id => (known.has(id) ? id : '<id>'))
      .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{6})?Z?/g, '<time>')
      // Versions begin with the time of creation.
      .replace(/\b1[78]\d{11}\b/g, '<version>')
      .replace(/_\d{8}_\d{6}\./g, '_<time>.')
      // Of a PDF.
      .replace(/\(D:\d{14}Z\)/g, '<time>')
      .replace(/\/ID \[.*?\]/g, '/ID <id>')
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mask(value)])),
    body: mask(body.startsWith('PK\x03\x04') ? unzipped(Buffer.from(body, 'latin1')) : body),
  }
}

/** The entries of a ZIP archive, in its order: a workbook has its time and its ids in compressed parts. */
function unzipped(archive: Buffer): string {
  const parts: string[] = []
  const end = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  let at = archive.readUInt32LE(end + 16)
  while (at < end) {
    const length = archive.readUInt32LE(at + 20)
    const nameEnd = at + 46 + archive.readUInt16LE(at + 28)
    const header = archive.readUInt32LE(at + 42)
    const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28)
    const data = archive.subarray(start, start + length)
    const isDeflated = archive.readUInt16LE(at + 10) === 8
    parts.push(archive.toString('utf8', at + 46, nameEnd), String(isDeflated ? inflateRawSync(data) : data))
    at = nameEnd + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return parts.join('\n')
}
