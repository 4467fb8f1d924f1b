import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  AllowAny,
  ApiError,
  BaseModelSerializer,
  Download,
  EventStream,
  ImportableViewSet,
  IsAuthenticated,
  importModel,
  ReadOnlyViewSet,
  Reply,
  type ServerSentEvent,
} from 'viewset'
import type { Authenticate } from 'viewset/auth'
import { kit } from 'viewset/sqlite'

export const notes = kit.table('notes', {
  id: kit.uuid().primaryKey().$defaultFn(randomUUID),
  text: kit.text(100).notNull(),
})

/** The message of an error that only the log may contain. */
export const SECRET = 'the secret of the application'

/** The bytes of `GET /notes/file/`. Every byte value occurs. */
export const FILE = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 256))

const BINARY = 'application/octet-stream'
const IS_FILE = { fileTypes: [BINARY] }

/** A file without an end, as fast as it is read. */
class Flood extends Readable {
  /** The number of bytes so far. */
  made = 0
  readonly ended = new Promise<void>(resolve => this.once('close', resolve))

  override _read(): void {
    this.made += FILE.length
    this.push(FILE)
  }
}

/** A response that waits for `go`. */
class Waiting {
  readonly begun = Promise.withResolvers<void>()
  readonly aborted = Promise.withResolvers<void>()
  readonly #released = Promise.withResolvers<void>()

  go(): void {
    this.#released.resolve()
  }

  async answer(signal: AbortSignal | undefined): Promise<string> {
    signal?.addEventListener('abort', () => this.aborted.resolve(), { once: true })
    this.begun.resolve()
    await Promise.race([this.#released.promise, this.aborted.promise])
    return 'done'
  }
}

/** Events that a rule sends. */
class Events {
  readonly begun = Promise.withResolvers<void>()
  readonly aborted = Promise.withResolvers<void>()
  /** The number of requested events. */
  asked = 0
  readonly #waiting: (ServerSentEvent | null)[] = []
  #next = Promise.withResolvers<void>()

  /** `null` ends the stream. */
  send(...events: readonly (ServerSentEvent | null)[]): void {
    this.#waiting.push(...events)
    this.#next.resolve()
  }

  async *all(signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    signal.addEventListener('abort', () => this.aborted.resolve(), { once: true })
    this.begun.resolve()
    while (true) {
      this.asked++
      if (this.#waiting.length === 0) await Promise.race([this.#next.promise, this.aborted.promise])
      const event = this.#waiting.shift()
      if (!event) return
      if (this.#waiting.length === 0) this.#next = Promise.withResolvers()
      yield event
    }
  }
}

/** The API under test: notes, long lists, and actions that fail in many ways. */
export class SampleApi {
  /** The responses to `GET /notes/flood/`, in the order of their requests. */
  readonly floods: Flood[] = []
  #waiting = new Waiting()
  #events = new Events()
  readonly #authenticated = new WeakSet<object>()

  /** Controls the next `GET /notes/wait/`. */
  wait(): Waiting {
    this.#waiting = new Waiting()
    return this.#waiting
  }

  /** Controls the next `GET /notes/events/`. */
  events(): Events {
    this.#events = new Events()
    return this.#events
  }

  /** Accepts all credentials. */
  readonly authenticate: Authenticate = ({ native, headers }) => {
    if (typeof native === 'object' && native !== null) this.#authenticated.add(native)
    return headers.authorization === undefined ? null : { id: 'ann' }
  }

  readonly resources = {
    notes: ImportableViewSet({
      model: notes,
      serializer: BaseModelSerializer(notes, { fields: ['id', 'text'] }),
      permissionClasses: [AllowAny],
      importPermissionClasses: [IsAuthenticated],
      exportPermissionClasses: [AllowAny],
      importFileConfig: {
        fileFormat: 'csv',
        order: ['notes'],
        models: {
          notes: importModel({ model: notes, fields: ['text'], uniqueFields: ['text'], matchWithoutIndex: true }),
        },
      },
      actions: {
        echo: { method: 'POST', detail: false, handler: ({ request: { params, query } }) => ({ params, query }) },
        native: { method: 'GET', detail: false, handler: ({ request }) => this.#isAuthenticated(request.native) },
        wait: { method: 'GET', detail: false, handler: ({ request }) => this.#waiting.answer(request.signal) },
        events: {
          method: 'GET',
          detail: false,
          describes: { events: true },
          handler: () => new EventStream(signal => this.#events.all(signal)),
        },
        file: { method: 'GET', detail: false, describes: IS_FILE, handler: () => download(Readable.from([FILE])) },
        flood: { method: 'GET', detail: false, describes: IS_FILE, handler: () => download(this.#flood()) },
        broken: {
          method: 'GET',
          detail: false,
          describes: IS_FILE,
          handler: () => download(Readable.from(breakOff())),
        },
        crash: {
          method: 'GET',
          detail: false,
          handler: () => {
            throw new Error(SECRET)
          },
        },
        inline: {
          method: 'GET',
          detail: false,
          describes: IS_FILE,
          handler: () => new Reply(download(Readable.from([FILE])), { headers: { 'Content-Disposition': 'inline' } }),
        },
        unsendable: {
          method: 'GET',
          detail: false,
          handler: ({ request: { query } }) => unsendable[String(query.what)]?.() ?? null,
        },
        cookies: {
          method: 'GET',
          detail: false,
          describes: { errors: { 403: 'Always.' } },
          handler: () => {
            throw new ApiError(403, 'no_cookies', 'No cookies.', { headers: { 'set-cookie': ['a=1', 'b=2; Path=/'] } })
          },
        },
      },
    }),
    /** Without pagination, this list is larger than the buffers of any network. */
    pages: ReadOnlyViewSet({
      model: notes,
      serializer: BaseModelSerializer(notes, { fields: ['id'], extra: { filler: () => 'x'.repeat(10_000) } }),
      permissionClasses: [AllowAny],
      exportPermissionClasses: [AllowAny],
    }),
  }

  #isAuthenticated(native: unknown): boolean {
    return typeof native === 'object' && native !== null && this.#authenticated.has(native)
  }

  #flood(): Flood {
    const flood = new Flood()
    this.floods.push(flood)
    return flood
  }
}

function download(stream: Readable): Download {
  return new Download({ filename: 'Übersicht "1".bin', contentType: BINARY, stream })
}

/** Responses that every server rejects in its own way. */
const unsendable: Readonly<Record<string, () => unknown>> = {
  header: () => new Reply(null, { headers: { 'x-note': `${SECRET} €` } }),
  lines: () => new Reply(null, { headers: { 'x-note': `${SECRET}\r\nx-more: 1` } }),
  name: () => new Reply(null, { headers: { [SECRET]: 'x' } }),
  status: () => new Reply(null, { status: 99 }),
  type: () => new Download({ filename: 'a.txt', contentType: `${SECRET} €`, stream: Readable.from([FILE]) }),
  refusal: () => {
    throw new ApiError(403, 'refused', SECRET, { headers: { 'x-note': '€' } })
  },
  statusOfRefusal: () => {
    throw new ApiError(Number.NaN, 'refused', SECRET)
  },
}

/** Fails after a part was sent. */
async function* breakOff(): AsyncGenerator<Buffer> {
  for (let i = 0; i < 3; i++) {
    yield FILE
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  throw new Error(SECRET)
}
