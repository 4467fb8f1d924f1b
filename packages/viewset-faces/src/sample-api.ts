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

/** What an error of ours says, which is for the log only. */
export const SECRET = 'the secret of the application'

/** The bytes of `GET /notes/file/`, all that there are. */
export const FILE = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 256))

const BINARY = 'application/octet-stream'
const IS_FILE = { fileTypes: [BINARY] }

/** A file without an end, as fast as it is read. */
class Flood extends Readable {
  /** Bytes that were made. */
  made = 0
  readonly ended = new Promise<void>(resolve => this.once('close', resolve))

  override _read(): void {
    this.made += FILE.length
    this.push(FILE)
  }
}

/** An answer that waits until it is told to go on. */
class Waiting {
  readonly begun = Promise.withResolvers<void>()
  readonly aborted = Promise.withResolvers<void>()
  readonly #told = Promise.withResolvers<void>()

  go(): void {
    this.#told.resolve()
  }

  async answer(signal: AbortSignal | undefined): Promise<string> {
    signal?.addEventListener('abort', () => this.aborted.resolve(), { once: true })
    this.begun.resolve()
    await Promise.race([this.#told.promise, this.aborted.promise])
    return 'done'
  }
}

/** Events that happen when a rule says so. */
class Events {
  readonly begun = Promise.withResolvers<void>()
  readonly aborted = Promise.withResolvers<void>()
  /** How many have been asked for. */
  asked = 0
  readonly #waiting: (ServerSentEvent | null)[] = []
  #next = Promise.withResolvers<void>()

  /** `null` is the end. */
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

/** The API that the rules ask: notes, which are also lists that are long, and actions that do what goes wrong. */
export class SampleApi {
  /** What `GET /notes/flood/` sends, in the order in which it was asked for. */
  readonly floods: Flood[] = []
  #waiting = new Waiting()
  #events = new Events()
  readonly #authenticated = new WeakSet<object>()

  /** What the next `GET /notes/wait/` does. */
  wait(): Waiting {
    this.#waiting = new Waiting()
    return this.#waiting
  }

  /** What the next `GET /notes/events/` sends. */
  events(): Events {
    this.#events = new Events()
    return this.#events
  }

  /** Everybody who says so is somebody. */
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
    /** As a list that is not paginated, it is larger than what any network keeps. */
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

/** What is refused by every server, in a way of its own. */
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

/** Fails when a part of it is sent. */
async function* breakOff(): AsyncGenerator<Buffer> {
  for (let i = 0; i < 3; i++) {
    yield FILE
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  throw new Error(SECRET)
}
