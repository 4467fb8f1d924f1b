import fc from 'fast-check'
import type { JsonSchema, OpenApiDocument } from 'viewset'
import type { Method } from './api.ts'
import { importForm } from './multipart.ts'
import { HOSTILE, type ValueSources, valuesOf } from './schema-values.ts'

/** A request that is drawn from a document, or is nearly what the document says. */
export interface DrawnRequest {
  /** The operation that it is drawn from. */
  readonly drawnFrom: { readonly method: Method; readonly path: string }
  readonly method: Method
  readonly url: string
  /** Parameters by their place and name: `query.page`. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly body: string | Uint8Array | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly as: string | undefined
  /** Whether all but the parameters and the body is as the document says. */
  readonly isStraight: boolean
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly schema: JsonSchema
}
interface Operation extends JsonSchema {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> }
}

/** Requests to all operations of a document; `known` are values that find something. */
export function drawnRequests(document: OpenApiDocument, known: readonly unknown[]): fc.Arbitrary<DrawnRequest> {
  const sources: ValueSources = { components: document.components.schemas ?? {}, known }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      requestsTo({ path, method: method.toUpperCase() as Method }, operation as Operation, sources),
    ),
  )
  return fc.oneof(...operations)
}

const TYPES = ['text/plain', 'application/json; charset=latin1', 'multipart/form-data', 'application/xml', '']
const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

function requestsTo(
  drawnFrom: DrawnRequest['drawnFrom'],
  { parameters = [], requestBody }: Operation,
  sources: ValueSources,
): fc.Arbitrary<DrawnRequest> {
  const values = parameters.map(({ name, in: place, schema }) => {
    const right = valuesOf(schema, sources)
    const drawn = fc.oneof({ arbitrary: right, weight: 9 }, { arbitrary: HOSTILE, weight: 1 })
    // A client takes . and .. out of a path before it asks.
    const value = place === 'path' ? drawn.filter(one => !/^\.\.?$/.test(textOf(one))) : drawn
    const isSent = place === 'path' ? fc.constant(true) : fc.integer({ min: 0, max: parameters.length }).map(n => n < 3)
    return fc.tuple(isSent, value).map(([sent, one]) => (sent ? [[`${place}.${name}`, one] as const] : []))
  })
  const json = requestBody?.content['application/json']
  return fc
    .record({
      parameters: fc.tuple(...values).map(entries => Object.fromEntries(entries.flat())),
      body: json ? bodies(valuesOf(json.schema, sources)) : fc.constant(undefined),
      as: fc.integer({ min: 0, max: 9 }).map(n => (n === 0 ? undefined : 'ann')),
      type: fc.oneof(
        { arbitrary: fc.constant(undefined), weight: 19 },
        { arbitrary: fc.constantFrom(...TYPES), weight: 1 },
      ),
      method: fc.oneof(
        { arbitrary: fc.constant(drawnFrom.method), weight: 19 },
        { arbitrary: fc.constantFrom(...METHODS), weight: 1 },
      ),
      file: fc.string({ unit: 'grapheme', maxLength: 20 }),
    })
    .map(({ parameters: sent, body, as, type, method, file }) => {
      const form = requestBody?.content['multipart/form-data'] && importForm(`name,country,population\n${file},DE,1\n`)
      const standard = form?.headers ?? (body === undefined ? {} : { 'content-type': 'application/json' })
      return {
        drawnFrom,
        method,
        url: urlOf(drawnFrom.path, sent),
        parameters: sent,
        body: form?.payload ?? (body === undefined ? undefined : JSON.stringify(body)),
        headers: type === undefined ? standard : { 'content-type': type },
        as,
        isStraight: type === undefined && method === drawnFrom.method && as !== undefined,
      }
    })
}

/** Bodies that are right, nearly right, and not at all. */
function bodies(right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { arbitrary: right, weight: 6 },
    { arbitrary: fc.tuple(right, HOSTILE, fc.nat()).map(([body, value, at]) => withOne(body, value, at)), weight: 3 },
    { arbitrary: HOSTILE, weight: 1 },
  )
}

/** The same value with one of its parts replaced, missing, or there besides. */
function withOne(body: unknown, value: unknown, at: number): unknown {
  if (Array.isArray(body) && body.length > 0)
    return body.with(at % body.length, withOne(body[at % body.length], value, at))
  if (typeof body !== 'object' || body === null) return value
  const keys = Object.keys(body)
  const key = keys[at % keys.length] ?? 'unknown'
  const { [key]: _, ...others } = body as Record<string, unknown>
  const changed = [{ ...others, [key]: value }, others, { ...body, unknown: value }]
  return changed[at % changed.length]
}

function urlOf(template: string, parameters: DrawnRequest['parameters']): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(textOf(parameters[`path.${name}`])))
  const query = Object.entries(parameters).flatMap(([name, value]) =>
    name.startsWith('query.') ? [`${encodeURIComponent(name.slice(6))}=${encodeURIComponent(textOf(value))}`] : [],
  )
  return query.length > 0 ? `${path}?${query.join('&')}` : path
}

function textOf(value: unknown): string {
  const text = Array.isArray(value)
    ? value.map(textOf).join(',')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)
  // No address has half of a character.
  return text.toWellFormed()
}
