import type { OnProgress, UploadForm } from './upload-form.ts'

/** A form that is read while it is sent, and tells how far it is. */
export function countedBody(
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
