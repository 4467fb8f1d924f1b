import type { Ask } from './send.ts'
import type { OnProgress } from './upload-form.ts'

/** What is used of the browser's own, whose types a program for Node does not have. */
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

/** Whether there is the browser's own way to ask. */
export const hasXhr = (): boolean => 'XMLHttpRequest' in globalThis

/** Asks as `fetch` does, and tells how much of the body is sent. */
export function xhrWithProgress(onProgress: OnProgress): Ask {
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
        // A page of another origin may be shown none.
        for (const [, name = '', value = ''] of xhr.getAllResponseHeaders().matchAll(/^(.+?): (.*)$/gm)) {
          headers.append(name, value)
        }
        // A response without a body takes none, be it an empty one.
        const body = xhr.status === 204 || xhr.status === 205 ? null : xhr.response
        resolve(new Response(body, { status: xhr.status, headers }))
      }
      const abort = () => xhr.abort()
      signal?.addEventListener('abort', abort)
      xhr.onloadend = () => signal?.removeEventListener('abort', abort)
      xhr.send(body as FormData)
    })
}
