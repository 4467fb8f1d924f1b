import type { Readable } from 'node:stream'
import { ENVELOPE_KEYS, type EnvelopeExtra, type PageLinks } from '../../core/envelope.ts'
import { jsonOf } from '../../core/json/json-of.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import type { Text } from '../../core/messages/message.ts'

/** The parts of an answer beside its data. */
export interface ReplyOptions {
  /** HTTP status. Default: that of the action. */
  readonly status?: number | undefined
  /** The envelope's message. Default `""`. */
  readonly message?: string
  /** Further headers of the response. */
  readonly headers?: Readonly<Record<string, string>>
  /** The envelope's `success`. `false` is for data with partial errors. Default true. */
  readonly success?: boolean
  /** Further keys of the envelope, after the standard ones: `{ meta: { took: 3 } }`. They keep their names. */
  readonly extra?: EnvelopeExtra | undefined
}

/**
 * The answer of an action with more than data: status, message, headers.
 *
 * @example
 * return new Reply(report, { status: 202, message: 'The report is being made.' })
 */
export class Reply<T = unknown> {
  readonly data: T
  readonly status: number | undefined
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  readonly success: boolean
  readonly extra: EnvelopeExtra | undefined

  /** @throws TypeError for a further key with the name of a standard one */
  constructor(data: T, { status, message = '', headers = {}, success = true, extra }: ReplyOptions = {}) {
    refuseOwnKeys(extra)
    this.data = data
    this.status = status
    this.message = message
    this.headers = headers
    this.success = success
    this.extra = extra
  }

  /** The same reply with some of it changed. */
  with<U = T>(changes: ReplyOptions & { readonly data?: U }): Reply<U> {
    const { status, message, headers, success, extra } = this
    // Without `data` in the changes, no type is given for it, so U is T.
    const data = 'data' in changes ? changes.data : this.data
    return new Reply(data as U, { status, message, headers, success, extra, ...changes })
  }
}

function refuseOwnKeys(extra: EnvelopeExtra | undefined): void {
  if (extra === undefined) return
  const own = ENVELOPE_KEYS.find(key => Object.hasOwn(extra, key))
  if (own !== undefined) throw new TypeError(`"${own}" is the envelope's own key: extra cannot set it.`)
}

/** Data that is JSON text already, so that no code parses it between the database and the client. */
export class JsonText {
  readonly json: string

  constructor(json: string) {
    this.json = json
  }
}

/**
 * A file as the result of an action, sent as an attachment instead of an envelope. Nothing is read before it is sent,
 * so an error before the first byte is still an error envelope.
 *
 * @example
 * return new Download({ filename: 'labels.txt', contentType: 'text/plain; charset=utf-8', stream: Readable.from(lines) })
 */
export class Download {
  readonly filename: string
  readonly contentType: string
  /** A stream of bytes. */
  readonly stream: Readable
  /** Values that the file could not show, as known at its first bytes. */
  readonly warnings: readonly Text[]
  /** Whether it has texts in the client's language, such as the notes of a template. */
  readonly isWorded: boolean

  constructor(file: {
    readonly filename: string
    readonly contentType: string
    readonly stream: Readable
    readonly warnings?: readonly Text[]
    readonly isWorded?: boolean
  }) {
    this.filename = file.filename
    this.contentType = file.contentType
    this.stream = file.stream
    this.warnings = file.warnings ?? []
    this.isWorded = file.isWorded ?? false
    // `begun` reports an error before the response has begun. Without a listener, it would end the process.
    this.stream.on('error', () => {})
  }
}

/**
 * An answer without an envelope that is no attachment either, such as a page.
 *
 * @example
 * return new Reply(new Bare('text/html; charset=utf-8', page), { headers: { 'content-security-policy': policy } })
 */
export class Bare {
  readonly contentType: string
  readonly body: string | Buffer

  constructor(contentType: string, body: string | Buffer) {
    this.contentType = contentType
    this.body = body
  }
}

/**
 * A list as the result of an action: the items as JSON text, made directly from the rows, and the page's links. Items
 * become objects only on demand. A long list is read while it is sent.
 *
 * @example
 * override async list() {
 *   const page = await super.list()
 *   return page.map(item => ({ ...item, label: `${item.index}. ${item.name}` }))
 * }
 */
export class ListPage<T = unknown> {
  /** Count and links; `undefined` for a list that is not paginated. */
  readonly links: PageLinks | undefined
  /** JSON arrays of the items, one for each batch. */
  readonly #batches: readonly [string] | AsyncIterable<string>

  constructor(batches: readonly [string] | AsyncIterable<string>, links?: PageLinks) {
    this.#batches = batches
    this.links = links
  }

  /** The whole JSON array; `undefined` for a list that is read while it is sent. */
  get json(): string | undefined {
    return Array.isArray(this.#batches) ? this.#batches[0] : undefined
  }

  /** JSON arrays whose items together are the list. */
  async *batches(): AsyncGenerator<string> {
    yield* this.#batches
  }

  /** All items as objects, in memory. */
  async items(): Promise<T[]> {
    const items: T[] = []
    for await (const batch of this.batches()) items.push(...(parseJson(batch) as T[]))
    return items
  }

  /** The same page with these items. */
  with<U>(items: readonly U[]): ListPage<U> {
    return new ListPage<U>([jsonOf(items)], this.links)
  }

  /** The same list with other items. */
  map<U>(change: (item: T) => U): ListPage<U> {
    const changed = (batch: string) => jsonOf((parseJson(batch) as T[]).map(change))
    if (this.json !== undefined) return new ListPage<U>([changed(this.json)], this.links)
    return new ListPage<U>(mapBatches(this.batches(), changed), this.links)
  }
}

async function* mapBatches(batches: AsyncIterable<string>, change: (batch: string) => string): AsyncGenerator<string> {
  for await (const batch of batches) yield change(batch)
}
