import { STATUS_CODES } from 'node:http'
import cors from '@fastify/cors'
import jwt from '@fastify/jwt'
import rateLimit from '@fastify/rate-limit'
import Fastify, { type FastifyInstance } from 'fastify'
import { AllowAny, BaseViewSet, IsAuthenticated, PermissionDenied } from 'viewset'
import { type ResourcesOptions, resources, serverOptions } from 'viewset/fastify'
import { TestResponse } from 'viewset/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { expectError, expectSuccess, nonField } from '../support/expect.ts'
import { models, users } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

/** No database is asked here, so one is enough. */
const tables = models(sqliteDialect.kit)
const settings = { model: tables.authors, serializer: serializers(tables).AuthorReference }

describe('what hooks and plugins of the application refuse', () => {
  const database = useApi(sqliteDialect, { tables, resources: {} })
  const logged: string[] = []
  let app: FastifyInstance
  afterEach(() => app.close())

  const errors = Object.fromEntries(
    [401, 403, 407, 409, 410, 413, 429, 451].map(status => [status, 'What a hook or a plugin refuses.']),
  )

  /** An application that has hooks of its own before the API. */
  async function start(prepare: (app: FastifyInstance) => unknown, options: Partial<ResourcesOptions> = {}) {
    logged.length = 0
    app = Fastify({
      ...serverOptions,
      logger: { level: 'error', stream: { write: (line: string) => void logged.push(line) } },
    })
    await prepare(app)
    await app.register(resources, {
      prefix: '/api',
      database: database.database,
      openapi: { errors },
      resources: {
        authors: BaseViewSet({ ...settings, permissionClasses: [AllowAny] }),
        known: BaseViewSet({
          ...settings,
          permissionClasses: [IsAuthenticated],
          actions: { whoami: { method: 'GET', detail: false, handler: view => view.user } },
        }),
      },
      ...options,
    })
  }
  async function get(url: string, headers: Record<string, string> = {}): Promise<TestResponse> {
    const response = await app.inject({ url, headers })
    return new TestResponse(response.statusCode, response.headers, response.rawPayload)
  }
  const refusing = (thrown: object) => (app: FastifyInstance) =>
    app.addHook('onRequest', async () => {
      throw thrown
    })
  const failure = (properties: object, message = 'Not today.') => Object.assign(new Error(message), properties)

  test('@fastify/rate-limit: 429 with its message and headers, in the envelope', async () => {
    // The plugin's own message counts the seconds.
    const errorResponseBuilder = () => failure({ statusCode: 429 }, 'Rate limit exceeded.')
    await start(app => app.register(rateLimit, { max: 1, timeWindow: 60_000, errorResponseBuilder }))
    expect((await get('/api/authors/')).status).toBe(200)
    const response = await get('/api/authors/')
    expectError(response, 429, 'Rate limit exceeded.')
    expect(response.headers).toMatchObject({
      'retry-after': expect.stringMatching(/^\d+$/),
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
    })
    expect(response.headers['x-request-id']).toBeDefined()
    expect(logged).toEqual([])
  })

  test('@fastify/rate-limit with an answer of its own that is no error', async () => {
    const answer = { statusCode: 429, error: 'Too Many Requests', message: 'Slow down.' }
    await start(app => app.register(rateLimit, { max: 1, timeWindow: 60_000, errorResponseBuilder: () => answer }))
    await get('/api/authors/')
    expectError(await get('/api/authors/'), 429, 'Slow down.')
    expect(logged).toEqual([])
  })

  describe('@fastify/jwt', () => {
    const secret = 'a secret that is long enough for everybody'
    const refusal = 'No Authorization was found in request.headers'

    test('in a hook: 401 with a challenge', async () => {
      await start(async app => {
        await app.register(jwt, { secret })
        app.addHook('onRequest', request => request.jwtVerify())
      })
      const response = await get('/api/authors/')
      expectError(response, 401, refusal)
      expect(response.headers['www-authenticate']).toBe('Bearer')
      const authorization = `Bearer ${app.jwt.sign({ id: 'ann' })}`
      expect((await get('/api/authors/', { authorization })).status).toBe(200)
      expect(logged).toEqual([])
    })

    test('in authenticate, through the native request', async () => {
      await start(app => app.register(jwt, { secret }), {
        authenticate: ({ native }) => native.jwtVerify<{ id: string }>().then(({ id }) => ({ id })),
      })
      expectError(await get('/api/known/whoami/'), 401, refusal)
      const authorization = `Bearer ${app.jwt.sign({ id: 'ann' })}`
      expectSuccess(await get('/api/known/whoami/', { authorization }), 200, {
        data: { id: 'ann' },
      })
      expect(logged).toEqual([])
    })
  })

  test('@fastify/cors: preflights are its own, and its headers are on every answer', async () => {
    await start(app => app.register(cors, { origin: 'https://shop.example', methods: ['GET', 'POST'] }))
    const origin = 'https://shop.example'
    const preflight = await app.inject({
      method: 'OPTIONS',
      url: '/api/authors/',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
    expect([preflight.statusCode, preflight.headers['access-control-allow-methods']]).toEqual([204, 'GET, POST'])
    for (const [url, status] of [
      ['/api/authors/', 200],
      ['/api/known/', 401],
      ['/api/nothing/', 404],
    ] as const) {
      const response = await get(url, { origin })
      expect([response.status, response.headers['access-control-allow-origin']]).toEqual([status, origin])
    }
  })

  test.each([
    ['statusCode', failure({ statusCode: 403 }), 403, 'Not today.'],
    ['a status that is a word, too', failure({ statusCode: 403, status: 'fail' }), 403, 'Not today.'],
    ['no message', failure({ statusCode: 410 }, ''), 410, 'Gone'],
    ['one of our own errors', new PermissionDenied('Closed on Sundays.'), 403, 'Closed on Sundays.'],
    ['an object that is no error', { statusCode: 451, message: 'Ask a lawyer.' }, 451, 'Ask a lawyer.'],
  ])('a hook with %s keeps its status and its message', async (_, thrown, status, message) => {
    await start(refusing(thrown))
    expectError(await get('/api/authors/'), status, message)
    expectError(await get('/api/nothing/'), status, message)
    expect(logged).toEqual([])
  })

  test.each([400, 409])('a hook with a %i has errors in the envelope', async status => {
    await start(refusing(failure({ statusCode: status })))
    expectError(await get('/api/authors/'), status, 'Not today.', nonField('Not today.'))
  })

  test.each([413, 415])('a hook with a %i keeps its own words', async status => {
    await start(refusing(failure({ statusCode: status })))
    expectError(await get('/api/authors/'), status, 'Not today.')
  })

  test("a hook's headers are sent, those of the error and those of the reply", async () => {
    await start(app =>
      app.addHook('onRequest', async (_request, reply) => {
        reply.header('x-queue', '7').header('www-authenticate', 'Basic realm="shop"')
        throw failure({ statusCode: 401, headers: { 'retry-after': '5', 'x-number': 6 } })
      }),
    )
    const { headers } = await get('/api/authors/')
    expect(headers).toMatchObject({
      'x-queue': '7',
      'retry-after': '5',
      'x-number': '6',
      'www-authenticate': 'Basic realm="shop"',
      'content-type': 'application/json; charset=utf-8',
    })
  })

  test("a hook's headers say nothing of the message, and several stay several", async () => {
    const headers = {
      'Content-Type': 'text/html',
      'content-length': '3',
      'content-encoding': 'br',
      'transfer-encoding': 'chunked',
      connection: 'upgrade',
      'keep-alive': 'timeout=9',
      trailer: 'x-end',
      upgrade: 'h2c',
      'set-cookie': ['a=1', 'b=2'],
    }
    await start(refusing(failure({ statusCode: 403, headers })))
    const response = await app.inject('/api/authors/')
    expect(response.json().message).toBe('Not today.')
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'set-cookie': ['a=1', 'b=2'],
    })
    for (const name of ['content-encoding', 'keep-alive', 'trailer', 'upgrade']) {
      expect(response.headers).not.toHaveProperty(name)
    }
  })

  test.each([400, 403, 407])('an error of an HTTP client in authenticate keeps its %i, and no words', async status => {
    const upstream = failure(
      {
        statusCode: status,
        headers: { 'retry-after': '7', 'WWW-Authenticate': 'Basic', 'set-cookie': 'sid=1', 'content-length': '2' },
      },
      'GET https://10.0.0.7/users?key=sk_live_1234 failed',
    )
    await start(() => {}, {
      authenticate: () => {
        throw upstream
      },
    })
    const response = await get('/api/authors/')
    const text = STATUS_CODES[status] ?? ''
    expectError(response, status, text, ...(status === 400 ? [nonField(text)] : []))
    expect(response.headers).toMatchObject({ 'retry-after': '7', 'www-authenticate': 'Basic' })
    expect(response.headers).not.toHaveProperty('set-cookie')
    expect(response.text).not.toContain('sk_live')
    expect(logged).toEqual([])
  })

  test.each([
    ['nothing of the kind', failure({})],
    ['a 5xx', failure({ statusCode: 502 }, 'upstream 10.0.0.7 is away')],
    ['a status that is none', failure({ statusCode: 'no' })],
    ['a 2xx', failure({ statusCode: 200 })],
    ['only a status, as clients of other services do', failure({ status: 403 })],
  ])('a hook that throws %s is our own fault, whose text stays in the log', async (_, thrown) => {
    await start(refusing(thrown))
    const response = await get('/api/authors/')
    expect(response.status).toBe(500)
    expect(response.envelope().message).toMatch(/^Something went wrong on our side\. Please quote error id /)
    expect(response.text).not.toContain(thrown.message)
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain(thrown.message)
  })

  test('an error of a view is no refusal, whatever a library has written on it', async () => {
    class Upstream extends BaseViewSet({ ...settings, permissionClasses: [AllowAny] }) {
      override async list(): Promise<never> {
        throw failure({ statusCode: 401 }, 'Invalid key sk_live_1234')
      }
    }
    await start(() => {}, { resources: { authors: Upstream } })
    const response = await get('/api/authors/')
    expect(response.status).toBe(500)
    expect(response.text).not.toContain('sk_live')
  })

  test("the native request is Fastify's, in authenticate and in a view", async () => {
    await start(
      app => {
        app.decorateRequest('visitor', '')
        app.addHook('preHandler', async request => {
          request.visitor = 'ann'
        })
      },
      {
        authenticate: ({ native }) => (native.visitor === 'ann' ? users.ann : null),
        resources: {
          authors: BaseViewSet({
            ...settings,
            permissionClasses: [IsAuthenticated],
            actions: {
              where: {
                method: 'GET',
                detail: false,
                handler: ({ request: { native } }) => `${native.ip} ${native.visitor} ${native.routeOptions.url}`,
              },
            },
          }),
        },
      },
    )
    expectSuccess(await get('/api/authors/where/'), 200, { data: '127.0.0.1 ann /api/authors/where/' })
  })
})

declare module 'fastify' {
  interface FastifyRequest {
    visitor: string
  }
}
