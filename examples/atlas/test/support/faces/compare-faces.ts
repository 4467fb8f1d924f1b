import { Agent } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type { OpenApiDocument } from 'viewset'
import { serverOptions } from 'viewset/fastify'
import { createHandler as createFetchHandler } from 'viewset/fetch'
import { createHandler as createNodeHandler } from 'viewset/node'
import type { Face } from 'viewset-faces'
import { expect } from 'vitest'
import { expressFace, fastifyFace, honoFace, onNode } from '../../../../../packages/viewset/test/support/faces.ts'
import { prepareApi } from '../../../src/app.ts'
import { tokens } from '../small-atlas.ts'
import { type Answer, ask, masked } from './ask.ts'
import type { AtlasCopies } from './atlas-copies.ts'
import { describedRequests, operationsOf } from './described-requests.ts'
import { pageRequests } from './page-requests.ts'
import { operationOf, type RecordedRequest } from './recorded-request.ts'
import { writtenRequests } from './written-requests.ts'

/** As their guides have them. */
const FACES: readonly Face[] = [
  fastifyFace('Fastify', serverOptions),
  honoFace('Hono', (app, options) => {
    const handler = createFetchHandler(options)
    app.all(`${options.prefix}/*`, c => handler(c.req.raw))
    return handler
  }),
  expressFace('Express', (app, options) => {
    const handler = createNodeHandler(options)
    app.disable('x-powered-by').use(handler).use(handler.onError)
    return handler
  }),
  onNode,
]

/** The result of the same requests to all faces. */
interface Comparison {
  readonly requests: number
  /** All statuses of answers. */
  readonly statuses: readonly number[]
  /** The operations of the document that no request has done with success. */
  readonly untried: readonly string[]
  readonly differences: readonly unknown[]
  /** Faults and warnings. */
  readonly logged: readonly unknown[]
}

/** Expects the same bytes of all faces, in requests that do each operation of the atlas. */
export async function expectSameBytes(copies: AtlasCopies): Promise<void> {
  const { requests, ...found } = await compareFaces(copies)
  expect(requests).toBeGreaterThan(300)
  expect(found).toEqual({
    statuses: [200, 201, 202, 204, 207, 307, 400, 401, 403, 404, 405, 409, 412, 413, 415, 428],
    untried: [],
    differences: [],
    logged: [],
  })
}

/** Serves a copy of the atlas over each face, and sends all the same requests over sockets. */
async function compareFaces(copies: AtlasCopies): Promise<Comparison> {
  const servers: Awaited<ReturnType<typeof start>>[] = []
  // One after the other: PostgreSQL copies a database for one at a time.
  for (const face of FACES) servers.push(await start(face, copies))
  const known = new Set(Object.values(copies.known).flat())
  const askAll = (request: RecordedRequest) =>
    Promise.all(servers.map(async server => masked(await ask(server, request), known)))
  const textOf = async (path: string) =>
    Buffer.from((await askAll({ method: 'GET', path }))[0]?.body ?? '', 'latin1').toString()
  try {
    const document = JSON.parse(await textOf('/openapi.json')) as OpenApiDocument
    const requests = [
      ...pageRequests(await textOf('/docs/')),
      ...describedRequests(document, copies.known),
      ...(await writtenRequests(copies)),
    ]
    const differences: unknown[] = []
    const statuses = new Set<number>()
    const done = new Set<string>()
    for (const request of requests) {
      const [expected, ...others] = (await askAll(request)) as [Answer, ...Answer[]]
      statuses.add(expected.status)
      if (expected.status < 300) done.add(operationOf(request, known))
      for (const [i, answer] of others.entries()) {
        if (isDeepStrictEqual(answer, expected)) continue
        differences.push({ request: `${request.method} ${request.path}`, face: FACES[i + 1]?.name, answer, expected })
      }
    }
    const untried = operationsOf(document).filter(operation => !done.has(operation))
    return {
      requests: requests.length,
      statuses: [...statuses].toSorted(),
      untried,
      differences,
      logged: servers.flatMap(server => server.logged),
    }
  } finally {
    await Promise.all(servers.map(server => server.stop()))
  }
}

async function start(face: Face, copies: AtlasCopies) {
  const atlas = await copies.open()
  const logged: unknown[] = []
  const logger = {
    error: (details: object) => logged.push(details),
    // The time of a count depends on the machine, not on the face.
    warn: (message: string) => message.includes('counting took') || logged.push(message),
  }
  const api = await prepareApi(atlas, { tokens })
  // Jobs are stored only: the time of their work would differ.
  const { url, close } = await face.start({ ...api, jobs: { ...api.jobs, work: false }, logger })
  const agent = new Agent({ keepAlive: true })
  return {
    agent,
    logged,
    port: Number(new URL(url).port),
    stop: async () => {
      agent.destroy()
      await close()
      await atlas.database.close()
    },
  }
}
