import type { Ask } from './send.ts'

/** What is used of the browser's own, whose types a program for Node does not have. */
declare const XMLHttpRequest: new () => {
  readonly upload: { onprogress: (event: { readonly loaded: number; readonly total: number }) => void }
  readonly response: Blob
  readonly status: number
  responseType: 'blob'
  onload: () => void
  onerror: () => void
  onabort: () => void
  open(method: string, address: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: FormData): void
  abort(): void
}

/** How much of a request has been sent, in bytes. */
export interface UploadProgress {
  readonly loaded: number
  /** `undefined` where nobody knows, as of a stream. */
  readonly total: number | undefined
}
export type OnProgress = (progress: UploadProgress) => void

/** A file to send: a `File`, a `Blob`, or what has a name beside its bytes. */
export type Upload =
  | Blob
  | {
      readonly name: string
      /** A stream is sent as it is read, where the platform can (Node); elsewhere, it is read first. */
      readonly content: Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
    }

/** A request of a file with fields beside it: how to ask, and what with. */
export interface UploadRequest {
  readonly ask: Ask
  readonly init: RequestInit & { readonly duplex?: 'half' }
}

/**
 * Makes the request that sends `file` as multipart/form-data, as the platform can: `fetch` tells no progress, so a browser
 * uses `XMLHttpRequest` for it, unless `ask` is the application's own; elsewhere, the bytes are counted on their way.
 */
export async function uploadRequest(
  file: Upload,
  fields: Readonly<Record<string, string>>,
  { ask = fetch, onProgress }: { readonly ask?: Ask | undefined; readonly onProgress?: OnProgress | undefined },
): Promise<UploadRequest> {
  const { name = 'file', content } =
    file instanceof Blob ? { name: file instanceof File ? file.name : undefined, content: file } : file
  const isBrowser = typeof XMLHttpRequest !== 'undefined'
  if (!isBrowser && (onProgress || content instanceof ReadableStream)) {
    return { ask, init: counted(name, content, fields, onProgress) }
  }
  const body = new FormData()
  for (const [field, value] of Object.entries(fields)) body.append(field, value)
  body.append('file', content instanceof Blob ? content : await new Response(content).blob(), name)
  return { ask: onProgress && ask === fetch ? byXhr(onProgress) : ask, init: { body } }
}

/** A body that is read while it is sent, and tells how far it is. */
function counted(
  name: string,
  content: Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  fields: Readonly<Record<string, string>>,
  onProgress: OnProgress = () => {},
): UploadRequest['init'] {
  const boundary = crypto.randomUUID()
  const part = (field: string) => `--${boundary}\r\ncontent-disposition: form-data; name="${field}"`
  const quoted = name.replace(/["\r\n]/g, encodeURIComponent)
  const start = Object.entries(fields).map(([field, value]) => `${part(field)}\r\n\r\n${value}\r\n`)
  start.push(`${part('file')}; filename="${quoted}"\r\ncontent-type: application/octet-stream\r\n\r\n`)
  const stream = content instanceof ReadableStream ? content : new Blob([content]).stream()
  const total = content instanceof ReadableStream ? undefined : new Blob([content]).size
  async function* bytes() {
    const encoder = new TextEncoder()
    yield encoder.encode(start.join(''))
    let loaded = 0
    for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) {
      yield chunk
      loaded += chunk.length
      onProgress({ loaded, total })
    }
    yield encoder.encode(`\r\n--${boundary}--\r\n`)
  }
  const body = ReadableStream.from(bytes())
  return { body, duplex: 'half', headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}

function byXhr(onProgress: OnProgress): Ask {
  return (address, { method = 'POST', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const xhr = new XMLHttpRequest()
      xhr.open(method, address)
      xhr.responseType = 'blob'
      new Headers(headers).forEach((value, name) => {
        xhr.setRequestHeader(name, value)
      })
      xhr.upload.onprogress = ({ loaded, total }) => onProgress({ loaded, total })
      xhr.onerror = xhr.onabort = () => reject(new TypeError('The connection failed'))
      xhr.onload = () => {
        const lines = xhr.getAllResponseHeaders().trim().split('\r\n')
        const pairs = lines.map(line => line.split(/: (.*)/s, 2) as [string, string])
        resolve(new Response(xhr.response, { status: xhr.status, headers: pairs }))
      }
      signal?.addEventListener('abort', () => xhr.abort())
      xhr.send(body as FormData)
    })
}
