import { request as httpRequest, METHODS } from 'node:http'
import { createGunzip, gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { AllowAny, BaseViewSet, BulkViewSet } from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { TestResponse } from 'viewset/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { expectError, expectNotAllowed, expectSuccess, ID, nonField, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { askRaw, RawConnection } from '../support/raw-http.ts'
import { serializers } from '../support/serializers.ts'

/** No database is asked here, so one is enough. */
const tables = models(sqliteDialect.kit)
const JSON_TYPE = { 'content-type': 'application/json' }
const authors = BaseViewSet({
  model: tables.authors,
  serializer: serializers(tables).AuthorReference,
  permissionClasses: [AllowAny],
})
const ROUTED = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

describe('what is refused before it reaches an action', () => {
  const api = useApi(sqliteDialect, {
    tables,
    server: {
      requestTimeout: 300,
      http: { headersTimeout: 200, connectionsCheckingInterval: 20 },
    },
    resources: {
      authors: BulkViewSet({
        model: tables.authors,
        serializer: serializers(tables).AuthorReference,
        permissionClasses: [AllowAny],
        actions: {
          restore: { method: 'POST', detail: true, handler: async view => view.serialize(await view.getObject()) },
          wait: {
            method: 'POST',
            detail: false,
            handler: () => 'waited',
          },
        },
      }),
    },
  })
  let port: number
  beforeAll(async () => {
    port = await api.listen()
  })

  const ask = (method: string, path: string, headers = {}) =>
    new Promise<TestResponse>((resolve, reject) => {
      const request = httpRequest({ port, host: '127.0.0.1', path: `/api${path}`, method, headers }, async response => {
        const bytes = Buffer.concat(await response.toArray())
        resolve(new TestResponse(response.statusCode ?? 0, response.headers, bytes))
      })
      request.on('error', reject).end()
    })

  describe('a method that nothing answers is 405, with Allow', () => {
    // CONNECT asks for a tunnel: Node closes the connection.
    test.each(METHODS.filter(method => !ROUTED.includes(method) && method !== 'CONNECT'))('%s', async method => {
      for (const [path, allow] of [
        ['/authors/', 'POST, GET, HEAD, OPTIONS'],
        ['/authors', 'POST, GET, HEAD, OPTIONS'],
        ['/authors/?page=2', 'POST, GET, HEAD, OPTIONS'],
        [`/authors/${uuid(1)}/`, 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
        [`/authors/${uuid(1)}/restore/`, 'POST, OPTIONS'],
        ['/authors/wait/', 'POST, OPTIONS'],
      ] as const) {
        const response = await ask(method, path)
        expectNotAllowed(response, method)
        expect(response.headers.allow).toBe(allow)
      }
    })

    test('and 404 where there is nothing', async () => {
      for (const path of ['/nothing/', '//', `/authors/${uuid(1)}/nothing/`]) {
        const response = await ask('PROPFIND', path)
        expectError(response, 404, 'There is nothing at this address.')
        expect(response.headers.allow).toBeUndefined()
      }
      expectError(await ask('PROPFIND', '/%zz'), 400, 'The URL is malformed.', nonField('The URL is malformed.'))
    })

    test('before the body is read', async () => {
      const headers = 'host: x\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n'
      for (const [method, path, status] of [
        ['SEARCH', '/api/authors/', 405],
        ['PUT', '/api/authors/', 405],
        ['POST', '/api/nothing/', 404],
      ] as const) {
        const connection = new RawConnection(port).send(`${method} ${path} HTTP/1.1\r\n${headers}\r\n{"a`)
        await expect.poll(() => connection.responses.map(response => response.status)).toEqual([status])
        connection.socket.destroy()
      }
    })
  })

  test('a plugin below a prefix with a parameter knows its methods as well', async () => {
    const app = Fastify(serverOptions)
    await app.register(resources, {
      prefix: '/:tenant/api',
      database: api.database,
      resources: { authors },
    })
    const response = await app.inject({ method: 'PROPFIND' as 'GET', url: '/acme/api/authors/' })
    expect([response.statusCode, response.headers.allow]).toEqual([405, 'POST, GET, HEAD, OPTIONS'])
    await app.close()
  })

  describe('an expectation', () => {
    const post = (expectation: string) =>
      askRaw(
        port,
        `POST /api/authors/ HTTP/1.1\r\nhost: x\r\nexpect: ${expectation}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 14\r\n\r\n{"name":"Ada"}`,
      )

    test('that is not known is 417, in an envelope', async () => {
      expectError(await post('x'), 417, 'Only "Expect: 100-continue" can be met.')
      expect(await api.rows('authors')).toEqual([])
    })

    test('100-continue is met', async () => {
      const connection = new RawConnection(port).send(
        'POST /api/authors/ HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 14\r\n\r\n',
      )
      await expect.poll(() => connection.responses.map(({ status }) => status)).toEqual([100])
      connection.send('{"name":"Ada"}')
      await connection.closed
      expect(connection.responses.map(({ status }) => status)).toEqual([100, 201])
    })
  })

  describe('what never becomes a request', () => {
    const MALFORMED = 'The request is not valid HTTP.'
    const TOO_LARGE = 'The URL and the headers are too large.'

    test.each([
      ['an unknown method', 'FOO /api/authors/ HTTP/1.1\r\nhost: x\r\n\r\n'],
      ['no HTTP at all', 'hello\r\n\r\n'],
      ['a header without a name', 'GET /api/authors/ HTTP/1.1\r\nhost: x\r\n: y\r\n\r\n'],
      ['two lengths', 'POST /api/authors/ HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}'],
    ])('%s is 400', async (_, text) => {
      expectError(await askRaw(port, text), 400, MALFORMED, nonField(MALFORMED))
    })

    test.each([
      ['headers', `GET /api/authors/ HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`],
      ['a URL', `GET /api/authors/?${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`],
    ])('%s above 16 KB: 431', async (_, text) => {
      expectError(await askRaw(port, text), 431, TOO_LARGE)
    })

    test('headers that come too slowly: 408', async () => {
      const response = await askRaw(port, 'GET /api/authors/ HTTP/1.1\r\nhost: x\r\n')
      expectError(response, 408, 'The request took too long to arrive.')
    })

    test('a body that comes too slowly: 408, and nothing is stored', async () => {
      const response = await askRaw(
        port,
        'POST /api/authors/ HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n{"name":',
      )
      expectError(response, 408, 'The request took too long to arrive.')
      expect(await api.rows('authors')).toEqual([])
    })

    test('a connection that is gone does not end the server', async () => {
      for (const text of [
        '',
        'FOO / HTTP/1.1\r\n\r\n',
        'POST /api/authors/ HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{',
      ]) {
        const connection = new RawConnection(port).send(text)
        await expect.poll(() => connection.socket.readyState).not.toBe('opening')
        connection.socket.resetAndDestroy()
        await connection.closed
      }
      expect((await ask('GET', '/authors/')).status).toBe(200)
    })
  })

  describe('an empty body that is called JSON', () => {
    test.each(['DELETE', 'POST'] as const)('is no obstacle where %s needs none', async method => {
      await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada' }] })
      const path = method === 'POST' ? `/authors/${uuid(1)}/restore/` : `/authors/${uuid(1)}/`
      const response = await api.request(method, path, { payload: '', headers: JSON_TYPE })
      if (method === 'DELETE') expect([response.status, response.text]).toEqual([204, ''])
      else expectSuccess(response, 200, { data: { id: uuid(1), name: 'Ada' } })
    })

    test.each(['PUT', 'PATCH'] as const)('is 400 for a %s', async method => {
      await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada' }] })
      const response = await api.request(method, `/authors/${uuid(1)}/`, { payload: '', headers: JSON_TYPE })
      const message = 'Send a JSON object.'
      expectError(response, 400, message, nonField(message))
    })
  })

  describe('a body that is encoded', () => {
    test.each(['gzip', 'br', 'deflate, gzip', 'x-unknown'])('%s is 415', async encoding => {
      for (const payload of ['{"name":"Ada"}', gzipSync('{"name":"Ada"}')]) {
        const headers = { ...JSON_TYPE, 'content-encoding': encoding }
        const response = await api.post('/authors/', undefined, { payload, headers })
        expectError(response, 415, 'Send the body as it is, without content-encoding.')
        expect(response.headers['accept-encoding']).toBe('identity')
      }
      expect(await api.rows('authors')).toEqual([])
    })

    test('is read where a plugin has decoded it', async () => {
      const app = Fastify(serverOptions)
      app.addHook('preParsing', async (_request, _reply, payload) =>
        Object.assign(payload.pipe(createGunzip()), { receivedEncodedLength: encoded.length }),
      )
      await app.register(resources, { database: api.database, resources: { authors } })
      const encoded = gzipSync('{"name":"Ada"}')
      const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' }
      const response = await app.inject({ method: 'POST', url: '/authors/', payload: encoded, headers })
      expect([response.statusCode, response.json().data.name]).toEqual([201, 'Ada'])
      await app.close()
    })

    test('identity is none', async () => {
      const headers = { 'content-encoding': 'Identity' }
      expectSuccess(await api.post('/authors/', { name: 'Ada' }, { headers }), 201, { data: { id: ID, name: 'Ada' } })
    })
  })
})
