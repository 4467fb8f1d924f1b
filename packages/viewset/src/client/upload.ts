import type { Ask } from './send.ts'

interface UploadOptions {
  readonly ask: Ask | undefined
  readonly onProgress: OnProgress | undefined
  readonly signal: AbortSignal | undefined
}

/**
 * Sends a file as multipart/form-data. `fetch` reports no progress, so a browser uses `XMLHttpRequest` for it, unless
 * the application replaced `fetch`. Elsewhere, the bytes are counted while they are sent.
 */
export async function uploadRequest(
  file: Upload,
  fields: UploadForm['fields'],
  { ask, onProgress, signal }: UploadOptions,
): Promise<{ readonly ask: Ask; readonly init: RequestInit }> {
  const { name = 'file', content } =
    file instanceof Blob ? { name: file instanceof File ? file.name : undefined, content: file } : file
  // Node's fetch fails if the response to a form arrives early. It can abandon a stream.
  if (!hasXhr()) {
    return { ask: ask ?? fetch, init: countedBody({ name, content, fields }, onProgress, signal) }
  }
  const body = new FormData()
  for (const [field, value] of Object.entries(fields)) body.append(field, value)
  body.append('file', content instanceof Blob ? content : await new Response(content).blob(), name)
  return { ask: ask ?? (onProgress ? xhrWithProgress(onProgress) : fetch), init: { body } }
}

interface Xhr {
  readonly upload: { onprogress: (event: { readonly loaded: number; readonly total: number }) => void }
  readonly response: Blob
  readonly status: number
  responseType: 'blob'
  onload: () => void
  onerror: () => void
  onabort: () => void
  onloadend: () => void
  open(method: string, address: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: FormData): void
  abort(): void
}

const hasXhr = (): boolean => 'XMLHttpRequest' in globalThis

function xhrWithProgress(onProgress: OnProgress): Ask {
  return (address, { method = 'POST', headers: sent, body, signal }) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const { XMLHttpRequest } = globalThis as unknown as { readonly XMLHttpRequest: new () => Xhr }
      const xhr = new XMLHttpRequest()
      xhr.open(method, address)
      xhr.responseType = 'blob'
      new Headers(sent).forEach((value, name) => {
        xhr.setRequestHeader(name, value)
      })
      xhr.upload.onprogress = ({ loaded, total }) => onProgress({ loaded, total })
      xhr.onerror = xhr.onabort = () => reject(new TypeError('The connection failed'))
      xhr.onload = () => {
        const headers = new Headers()
        // A page of another origin may see no headers.
        for (const [, name = '', value = ''] of xhr.getAllResponseHeaders().matchAll(/^(.+?): (.*)$/gm)) {
          headers.append(name, value)
        }
        // These statuses allow no body, not even an empty one.
        const body = xhr.status === 204 || xhr.status === 205 ? null : xhr.response
        resolve(new Response(body, { status: xhr.status, headers }))
      }
      const abort = () => xhr.abort()
      signal?.addEventListener('abort', abort)
      xhr.onloadend = () => signal?.removeEventListener('abort', abort)
      xhr.send(body as FormData)
    })
}

/** Sent bytes of a request. */
export interface UploadProgress {
  readonly loaded: number
  /** `undefined` if it is unknown, as for a stream. */
  readonly total: number | undefined
}

/** Receives the progress of an upload. */
export type OnProgress = (progress: UploadProgress) => void

/** A file to send: a `File`, a `Blob`, or bytes with a name. */
export type Upload =
  | Blob
  | {
      readonly name: string
      /** A stream is sent while it is read if the platform can (Node), or else read first. */
      readonly content: UploadContent
    }
/** The bytes of a file that is sent. */
export type UploadContent = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

interface UploadForm {
  readonly name: string
  readonly content: UploadContent
  readonly fields: Readonly<Record<string, string>>
}

function countedBody(
  { name, content, fields }: UploadForm,
  onProgress: OnProgress = () => {},
  signal?: AbortSignal,
): RequestInit & { readonly duplex: 'half' } {
  const boundary = crypto.randomUUID()
  const part = (field: string) => `--${boundary}\r\ncontent-disposition: form-data; name="${field}"`
  const quoted = name.replace(/["\r\n]/g, encodeURIComponent)
  const start = Object.entries(fields).map(([field, value]) => `${part(field)}\r\n\r\n${value}\r\n`)
  start.push(`${part('file')}; filename="${quoted}"\r\ncontent-type: application/octet-stream\r\n\r\n`)
  const blob = content instanceof ReadableStream ? undefined : new Blob([content])
  const stream = blob?.stream() ?? content
  async function* bytes() {
    const encoder = new TextEncoder()
    yield encoder.encode(start.join(''))
    let loaded = 0
    for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) {
      // Node's fetch reads an aborted body to its end, which a stream may not have.
      if (signal?.aborted) return
      yield chunk
      loaded += chunk.length
      onProgress({ loaded, total: blob?.size })
    }
    yield encoder.encode(`\r\n--${boundary}--\r\n`)
  }
  return {
    body: ReadableStream.from(bytes()),
    duplex: 'half',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}
