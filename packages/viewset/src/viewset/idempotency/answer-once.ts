import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { currentContext } from '../../core/context.ts'
import { ApiError, Conflict, ValidationError } from '../../core/errors.ts'
import { type Message, message } from '../../core/messages/message.ts'
import type { ApiRequest } from '../../core/request.ts'
import { shownValue } from '../../core/text.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import { withBigints } from '../../store/sql-parts.ts'
import { Reply } from '../answer/reply.ts'
import { type ApiResponse, respond } from '../answer/respond.ts'
import { holdUpload } from '../files/upload.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { readerOf } from '../reading/reader.ts'
import type { MixinAround } from '../seams.ts'
import { fixedValuesOf } from '../write/fixed-values.ts'
import { KEY_HEADER } from './key-description.ts'
import type { KeyedRequest, StoredAnswer } from './key-store.ts'

/** @throws ValidationError for a malformed key, or a key without a user */
export function keyedRequest(view: GenericViewSet): KeyedRequest | undefined {
  const { request, user, method, registered } = view
  const header = request.headers['idempotency-key']
  const { keys } = registered
  if (header === undefined || !keys) return undefined
  const refuse = (text: ReturnType<typeof message>) => new ValidationError({ [KEY_HEADER]: [text] })
  const key = /^"(.*)"$/.exec(String(header))?.[1] ?? String(header)
  if (key.length === 0 || key.length > 255) throw refuse(message('invalid_idempotency_key', { value: shownValue(key) }))
  if (user === null && !keys.anonymous) throw refuse(message('invalid_idempotency_key.anonymous'))
  const owner = [user?.id ?? null, fixedValuesOf(view), method, request.url, key]
  return { store: keys, id: sha256(JSON.stringify(owner, withBigints)), storesNothing: false }
}

/** Another request with the key has not ended. */
class KeyInUse extends Error {}

/**
 * Carries out a request once, and sends its first answer again. `run` runs a mixin's around, which encloses all others,
 * in one transaction.
 *
 * @throws Conflict while another request with the key runs; ApiError 422 for a key with another body
 */
export async function answerOnce(
  view: GenericViewSet,
  keyed: KeyedRequest,
  run: (around: MixinAround) => Promise<ApiResponse>,
): Promise<ApiResponse> {
  view.keyed = keyed
  const held = await holdUpload(view)
  try {
    const fingerprint = held ? await fingerprintOfUpload(held) : sha256(JSON.stringify(view.request.body, withBigints))
    const around = { isNeeded: () => true, run: onceIn(keyed, fingerprint) }
    return await inTurn(view, keyed, () => run(around))
  } finally {
    await held?.remove()
  }
}

/** Requests of this process wait for one another; only the first of them asks whether another process has the key. */
async function inTurn(
  { request, user }: GenericViewSet,
  { store, id }: KeyedRequest,
  run: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const patience = waitOf(request)
  const until = performance.now() + patience
  const signal = patience === 0 ? undefined : request.signal
  const end = await store.running.take(id, { owner: String(user?.id), patience, signal })
  if (!end) throw inUse()
  try {
    for (let pause = SHORTEST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        return await run()
      } catch (error) {
        if (!(error instanceof KeyInUse)) throw error
        if (performance.now() >= until) throw inUse()
        await sleep(pause, undefined, signal && { signal })
      }
    }
  } finally {
    end()
  }
}

function onceIn(keyed: KeyedRequest, fingerprint: string): MixinAround['run'] {
  const { store, id } = keyed
  return async (view, next) => {
    if (!(await store.lock(id))) throw new KeyInUse()
    const stored = await store.find(id)
    if (stored) return replayed(view, stored, fingerprint)
    keyed.storesNothing = false
    const answer = await next()
    const isCarriedOut = answer.status < 300 && !keyed.storesNothing
    if (isCarriedOut) await store.keep(id, fingerprint, await keptAnswer(answer, readerOf(view)))
    return answer
  }
}

/** An internal header of stored answers: what their user could see, as a text of `readerOf`. */
const READER = ':reader'

function replayed(
  view: GenericViewSet,
  { fingerprint: first, status, headers: kept, body }: StoredAnswer,
  fingerprint: string,
): ApiResponse | Promise<ApiResponse> {
  if (first !== fingerprint) {
    const text = message('idempotency_key_reused')
    throw new ApiError(422, 'idempotency_key_reused', text, { errors: { [KEY_HEADER]: [text] } })
  }
  const reader = readerOf(view)
  const { [READER]: madeFor = reader, ...headers } = kept
  const answer = { status, headers: { ...headers, 'idempotency-replayed': 'true' }, body }
  if (madeFor === reader) return answer
  if (view.isCustom || !OF_RECORDS.includes(view.action) || currentContext().envelope) {
    return withoutData(answer, message('answer_withheld'))
  }
  const { data, ...envelope } = JSON.parse(body)
  const shown = onlyDescribed(data, view.getSerializer().outputSchema())
  return { ...answer, body: JSON.stringify({ ...envelope, data: shown }) }
}

/** The actions whose data are records, as the serializer shows them. */
const OF_RECORDS = ['create', 'update', 'partialUpdate', 'bulkCreate', 'bulkUpdate', 'restore']

/** What a schema describes of records, at all depths. */
function onlyDescribed(data: unknown, schema: JsonSchema): unknown {
  if (Array.isArray(data)) return data.map(item => onlyDescribed(item, partOf(schema.items) ?? schema))
  if (typeof data !== 'object' || data === null) return data
  const forms = [schema, ...(Array.isArray(schema.anyOf) ? schema.anyOf : [])]
  const properties = forms.map(form => partOf(partOf(form)?.properties)).find(found => found !== undefined)
  if (!properties) return data
  const known = Object.entries(data).filter(([name]) => Object.hasOwn(properties, name))
  return Object.fromEntries(known.map(([name, value]) => [name, onlyDescribed(value, partOf(properties[name]) ?? {})]))
}

function partOf(schema: unknown): JsonSchema | undefined {
  return typeof schema === 'object' && schema !== null ? (schema as JsonSchema) : undefined
}

/** Characters of an answer that is stored with its data. */
const MOST_KEPT = 1024 ** 2

/** @throws ValidationError for a file, which cannot be sent again. The write is then undone. */
async function keptAnswer(sent: ApiResponse, reader: string): Promise<ApiResponse> {
  const answer = { ...sent, headers: { ...sent.headers, [READER]: reader } }
  const { body } = answer
  if (body instanceof Readable || Buffer.isBuffer(body)) {
    if (body instanceof Readable) body.destroy()
    throw new ValidationError({ [KEY_HEADER]: [message('invalid_idempotency_key.file')] })
  }
  return body.length <= MOST_KEPT ? answer : withoutData(answer, message('answer_too_long'))
}

async function withoutData(answer: ApiResponse, text: Message): Promise<ApiResponse> {
  if (answer.body === '') return answer
  const { status } = answer
  const { body } = await respond(new Reply(null, { status, message: String(text) }))
  return { ...answer, body }
}

/** Milliseconds between two attempts to get the lock of a key, which another process has. */
const SHORTEST_PAUSE = 50
const LONGEST_PAUSE = 1_000
/** Seconds that a client may wait for the first request. */
const LONGEST_WAIT = 30

/** The milliseconds of `Prefer: wait=10` (RFC 7240, 4.3). */
function waitOf(request: ApiRequest): number {
  const wait = /(?:^|[\s,;])wait\s*=\s*"?(\d{1,6})/i.exec(String(request.headers.prefer ?? ''))?.[1]
  return Math.min(Number(wait ?? 0), LONGEST_WAIT) * 1_000
}

function inUse(): Conflict {
  const errors = { [KEY_HEADER]: [message('idempotency_key_in_use')] }
  return new Conflict(errors, message('idempotency_key_in_use'), { headers: { 'retry-after': '1' } })
}

interface HeldUpload {
  readonly path: string
  readonly file: object | undefined
  readonly fields: ReadonlyMap<string, string>
}

async function fingerprintOfUpload({ path, file, fields }: HeldUpload): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([...fields]))
  if (file) await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

function sha256(text = ''): string {
  return createHash('sha256').update(text).digest('hex')
}
