import { Readable } from 'node:stream'
import { HttpRequest } from 'viewset/http'

/** A request without a server: what it costs is what Viewset costs. */
export class PlainRequest extends HttpRequest {
  readonly headers: HttpRequest['headers']
  readonly #bytes: Uint8Array | undefined

  constructor(method: string, target: string, body?: unknown, headers: HttpRequest['headers'] = {}) {
    super({ id: 'plain', method, target, native: undefined, baseUrl: 'http://localhost' })
    this.#bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    this.headers = { ...(this.#bytes && { 'content-type': 'application/json' }), ...headers }
  }

  get signal(): AbortSignal {
    return new AbortController().signal
  }

  get incoming(): Readable | null {
    return this.#bytes ? Readable.from([this.#bytes]) : null
  }

  override async readBytes(): Promise<Uint8Array> {
    return this.#bytes ?? new Uint8Array()
  }

  protected get address() {
    return { protocol: 'http', host: 'localhost' }
  }

  protected get log() {
    return { logError: console.error, logWarning: console.warn }
  }
}
