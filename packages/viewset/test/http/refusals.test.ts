import { once } from 'node:events'
import { request as httpRequest, METHODS } from 'node:http'
import { createGunzip, gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { AllowAny, BaseViewSet, BulkViewSet } from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { TestResponse } from 'viewset/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { expectError, expectSuccess, ID, nonField, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { askRaw, listen, RawConnection } from '../support/raw-http.ts'
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
  const gate = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
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
            handler: async () => {
              reached.resolve()
              await gate.promise
              return 'waited'
            },
          },
        },
      }),
    },
  })
  let port: number
  beforeAll(async () => {
    port = await listen(api.app)
  })

  const ask = (method: string, path: string, headers = {}) =>
    new Promise<TestResponse>((resolve, reject) => {
      const request = httpRequest({ port, host: '127.0.0.1', path: `/api${path}`, method, headers }, async response => {
        const bytes = Buffer.concat(await response.toArray())
        resolve(new TestResponse(response.statusCode ?? 0, response.headers, bytes))
      })
      request.on('error', reject).end()
    })

  describe('HARDENING 14: a method that nothing answers is 405, with Allow', () => {
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
        expectError(response, 405, `Method "${method}" is not allowed here.`)
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

  describe('a request line that names the host, too', () => {
    const ask = (lines: string) => askRaw(port, `GET ${lines}\r\nconnection: close\r\n\r\n`)
    const next = async (lines: string) => (await ask(lines)).envelope().next
    beforeEach(() => seed(api.database, tables, { authors: [{ name: 'Ada' }, { name: 'Bob' }] }))

    test.each([
      ['the same host', 'http://shop.example/api/authors/?page_size=1 HTTP/1.1\r\nhost: shop.example'],
      ['another host, which counts', 'http://shop.example/api/authors/?page_size=1 HTTP/1.1\r\nhost: other.example'],
      ['any scheme', 'HTTPS://shop.example/api/authors/?page_size=1 HTTP/1.1\r\nhost: x'],
    ])('%s: links are as they should be', async (_, lines) => {
      expect(await next(lines)).toBe('http://shop.example/api/authors/?page_size=1&page=2')
    })

    test('what is no host is 400', async () => {
      const message = 'The Host header is malformed.'
      const response = await ask('http://user@evil.example/api/authors/?page_size=1 HTTP/1.1\r\nhost: x')
      expectError(response, 400, message, nonField(message))
      expect((await ask('http:///api/authors/ HTTP/1.1\r\nhost: x')).status).toBe(400)
    })

    test('what it does not lead to is 404 or 405, as elsewhere', async () => {
      expectError(await ask('http://x/api/nothing/ HTTP/1.1\r\nhost: x'), 404, 'There is nothing at this address.')
      const response = await askRaw(
        port,
        'PROPFIND http://x/api/authors/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
      )
      expectError(response, 405, 'Method "PROPFIND" is not allowed here.')
    })
  })

  test.each(['/authors/', '/nothing/', '/'])('two Host headers are 400: GET %s', async path => {
    const hosts = 'host: shop.example\r\nHost: evil.example'
    const response = await askRaw(port, `GET /api${path} HTTP/1.1\r\n${hosts}\r\nconnection: close\r\n\r\n`)
    expectError(response, 400, 'Send one Host header.', nonField('Send one Host header.'))
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

  describe('HARDENING 13: an empty body that is called JSON', () => {
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
      const message = 'Invalid data. Expected an object, but got nothing.'
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

  test('HARDENING 40: while the server is being closed, requests over open connections are 503', async () => {
    const { server } = api.app
    const accepted = once(server, 'connection')
    const idle = new RawConnection(port)
    await accepted
    const waiting = new RawConnection(port).send(
      'POST /api/authors/wait/ HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n',
    )
    await reached.promise
    const closing = api.app.close()
    await expect.poll(() => server.listening).toBe(false)

    const body = '{"name":"Ada"}'
    idle.send(
      `POST /api/authors/ HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    await idle.closed
    const [refused, ...more] = idle.responses
    expectError(refused!, 503, 'The server is shutting down. Please try again.')
    expect(refused!.headers).toMatchObject({ connection: 'close', 'retry-after': '1' })
    expect(more).toEqual([])

    gate.resolve()
    await waiting.closed
    await closing
    expectSuccess(waiting.responses[0]!, 200, { data: 'waited' })
    expect(waiting.responses[0]!.headers.connection).toBe('close')
    expect(await api.rows('authors')).toEqual([])
  })
  afterAll(() => gate.resolve())
})
