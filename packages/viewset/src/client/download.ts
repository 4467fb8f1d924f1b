import { ClientError } from './client-error.ts'

/** A file as the API sends it; nothing of it is read yet. */
export class Download {
  readonly filename: string
  /** Its media type, such as `text/csv; charset=utf-8`. */
  readonly type: string
  /** What the file could not show, as a sentence for people; empty where it shows all. */
  readonly warnings: string
  readonly #response: Response
  readonly #signal: AbortSignal | undefined

  constructor(response: Response, signal?: AbortSignal) {
    const { headers } = response
    const disposition = headers.get('content-disposition') ?? ''
    const [, encoded] = /filename\*=UTF-8''([^;]+)/.exec(disposition) ?? []
    const [, plain = 'download'] = /filename="([^"]*)"/.exec(disposition) ?? []
    this.filename = encoded === undefined ? plain : decodeURIComponent(encoded)
    this.type = headers.get('content-type') ?? ''
    this.warnings = headers.get('x-export-warnings') ?? ''
    this.#response = response
    this.#signal = signal
  }

  /** The bytes as they arrive. */
  get stream(): ReadableStream<Uint8Array> {
    return this.#response.body ?? new Blob([]).stream()
  }

  /** The whole file. @throws ClientError where the connection breaks off, or the call was aborted */
  async blob(): Promise<Blob> {
    return this.#response.blob().catch(cause => {
      const what = this.#signal?.aborted ? 'The call was aborted' : 'The connection broke off'
      throw new ClientError(`${what} before all of ${this.filename} was there.`, { cause })
    })
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.blob()).arrayBuffer()
  }

  async text(): Promise<string> {
    return (await this.blob()).text()
  }
}
