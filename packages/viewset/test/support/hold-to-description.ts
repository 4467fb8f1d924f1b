import { subscribe } from 'node:diagnostics_channel'
import { type Server, Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { OpenApiDocument } from 'viewset'
import type { RegistrationEvent } from 'viewset/observability'
import { writesFixedParts } from '../../src/http/router.ts'
import type { DescribedApi } from './described-api.ts'
import { differenceOfAnswer, differenceOfRequest, mediaType } from './described-exchange.ts'

interface RegisteredApi {
  readonly prefix: string
  /** Made with its first answer: most files of tests register more than they ask. */
  described(): Promise<DescribedApi>
}

/** Of methods that are no operations, and of requests whose client has left. */
const UNSEEN = [405, 499]

/** What shows the document itself is not in it. */
const OF_THE_DOCUMENT = /^\/(openapi\.json|docs)(\/|$)/

/** The APIs of each server. */
const registered = new WeakMap<Server, RegisteredApi[]>()
const pending = new Set<Promise<void>>()
const differences = new Set<string>()
const allowed: RegExp[] = []

let isHeld = false

async function holdExamples(document: OpenApiDocument): Promise<void> {
  const { wrongExamplesOf } = await import('./wrong-examples.ts')
  for (const wrong of wrongExamplesOf(document)) differences.add(`a wrong example: ${JSON.stringify(wrong)}`)
}

/**
 * Holds all that the APIs of this process accept and answer against their own documents. Files of tests share it.
 * `examples` holds the examples of each document against its schemas as well, which costs time.
 */
export function holdToDescription({ examples }: { readonly examples: boolean }): void {
  if (isHeld) return
  isHeld = true
  subscribe('viewset.registration', message => {
    const { server, prefix, document } = message as RegistrationEvent
    if (server === null) return
    let made: Promise<DescribedApi> | undefined
    const described = () => {
      made ??= Promise.all([import('./described-api.ts'), document()]).then(async ([module, of]) => {
        if (examples) await holdExamples(of)
        return module.DescribedApi.of(of)
      })
      return made
    }
    const api = { prefix: prefix.replace(/\/$/, ''), described }
    registered.set(server, [...(registered.get(server) ?? []), api])
  })
  subscribe('fastify.initialization', message => {
    const { fastify } = message as { readonly fastify: FastifyInstance }
    fastify.addHook('onSend', (request, reply, payload, done) => {
      const api = apiOf(fastify.server, request, reply)
      if (api) {
        const held = jsonOf(request, reply, payload)
          .then(body => hold(api, { request, reply, body }))
          .catch(error => void differences.add(String(error)))
        pending.add(held)
        held.finally(() => pending.delete(held))
      }
      done()
    })
  })
}

/**
 * Says of the running test that it goes beyond the document on purpose: differences like `pattern` are none in it.
 *
 * @param _reason why the document is right to say less
 */
export function allowUndescribed(pattern: RegExp, _reason: string): void {
  allowed.push(pattern)
}

/** The differences since this was asked last. */
export async function foundDifferences(): Promise<readonly string[]> {
  await Promise.all(pending)
  const found = [...differences].filter(difference => !allowed.some(pattern => pattern.test(difference)))
  allowed.length = 0
  differences.clear()
  return found
}

/** The API whose operation has answered, if it was one. */
function apiOf(server: Server, request: FastifyRequest, reply: FastifyReply): RegisteredApi | undefined {
  const { url } = request.routeOptions
  // What no operation answers: another address, another method, or a route or a hook of the application.
  const isOther =
    url === undefined ||
    !writesFixedParts(url, request.url) ||
    request.method === 'OPTIONS' ||
    UNSEEN.includes(reply.statusCode)
  if (isOther || reply.getHeader('x-request-id') === undefined) return undefined
  const apis = (registered.get(server) ?? []).filter(({ prefix }) => `${url}/`.startsWith(`${prefix}/`))
  return apis.toSorted((a, b) => b.prefix.length - a.prefix.length)[0]
}

interface Held {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly body: unknown
}

async function hold(api: RegisteredApi, { request, reply, body }: Held): Promise<void> {
  const { method, routeOptions, headers, query } = request
  const route = (routeOptions.url ?? '').slice(api.prefix.length)
  const described = (await api.described()).operationAt(method === 'HEAD' ? 'GET' : method, route)
  if (OF_THE_DOCUMENT.test(route)) return
  if (described === undefined) {
    differences.add(`${method} ${route} is not in the document`)
    return
  }
  const exchange = {
    query: query as Record<string, unknown>,
    requestType: mediaType(headers['content-type']),
    requestBody: request.body,
    method,
    status: reply.statusCode,
    headers: reply.getHeaders(),
    body,
  }
  const found = [
    differenceOfAnswer(described, exchange),
    reply.statusCode < 300 ? differenceOfRequest(described, exchange) : undefined,
  ]
  for (const difference of found) if (difference !== undefined) differences.add(`${described.name} ${difference}`)
}

/** The JSON of an answer; of a stream only where a test injects its request, as those over the wire are broken off. */
async function jsonOf(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (request.method === 'HEAD' || mediaType(reply.getHeader('content-type')) !== 'application/json') return undefined
  if (typeof payload === 'string') return JSON.parse(payload)
  if (!(payload instanceof Readable) || request.raw.socket instanceof Socket) return undefined
  const text = await writtenTo(reply)
  return text === undefined ? undefined : JSON.parse(text)
}

/** What a stream writes, in passing; `undefined` for one that does not come to its end. */
function writtenTo({ raw }: FastifyReply): Promise<string | undefined> {
  const chunks: Buffer[] = []
  const write = raw.write.bind(raw) as (chunk: Buffer, ...rest: unknown[]) => boolean
  raw.write = (chunk: Buffer, ...rest: unknown[]) => {
    chunks.push(Buffer.from(chunk))
    return write(chunk, ...rest)
  }
  return new Promise(resolve => {
    raw.once('finish', () => resolve(Buffer.concat(chunks).toString()))
    raw.once('close', () => resolve(undefined))
  })
}
