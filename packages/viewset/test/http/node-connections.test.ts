import { once } from 'node:events'
import type { Socket } from 'node:net'
import { AllowAny, BulkViewSet } from 'viewset'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiOptions, TestApi, useApi } from '../support/api.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { expectError, expectNotAllowed, expectSuccess, nonField } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { askRaw, RawConnection } from '../support/raw-http.ts'
import { serializers } from '../support/serializers.ts'

/** No database is asked here, so one is enough. */
const tables = models(sqliteDialect.kit)

// A handler of the Fetch standard sees none of this: its server has read the request line, and closes connections.
describe('what a server of Node knows of a connection', () => {
  const gate = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const options: ApiOptions = {
    tables,
    resources: {
      authors: BulkViewSet({
        model: tables.authors,
        serializer: serializers(tables).AuthorReference,
        permissionClasses: [AllowAny],
        actions: {
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
  }
  const api = useApi(sqliteDialect, options)
  let port: number
  beforeAll(async () => {
    port = await api.listen()
  })

  describe('a request line that names the host, too', () => {
    const ask = (lines: string) => askRaw(port, `GET ${lines}\r\nconnection: close\r\n\r\n`)
    const next = async (lines: string) => (await ask(lines)).envelope().next
    beforeEach(() => seed(api.database, tables, { authors: [{ name: 'Ada' }, { name: 'Bob' }] }))

    test.each([
      ['the same host', 'http://shop.example/api/authors/?page_size=1 HTTP/1.1\r\nhost: shop.example'],
      ['a foreign host', 'http://evil.example/api/authors/?page_size=1 HTTP/1.1\r\nhost: shop.example'],
      ['any scheme', 'HTTPS://x/api/authors/?page_size=1 HTTP/1.1\r\nhost: shop.example'],
    ])('%s: links have the Host header', async (_, lines) => {
      expect(await next(lines)).toBe('http://shop.example/api/authors/?page_size=1&page=2')
    })

    test('what is no host, or names a user, is 400', async () => {
      const message = 'The URL is malformed.'
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
      expectNotAllowed(response, 'PROPFIND')
    })
  })

  test.each(['/authors/', '/nothing/', '/'])('two Host headers are 400: GET %s', async path => {
    const hosts = 'host: shop.example\r\nHost: evil.example'
    const response = await askRaw(port, `GET /api${path} HTTP/1.1\r\n${hosts}\r\nconnection: close\r\n\r\n`)
    expectError(response, 400, 'Send one Host header.', nonField('Send one Host header.'))
  })

  test('while the server is being closed, a request that has begun to arrive is 503', async () => {
    const closed = await TestApi.start(sqliteDialect, options)
    const { server } = closed
    const port = await closed.listen()
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const late = new RawConnection(port).send('POST /api/authors/ HTTP/1.1\r\n')
    const [socket] = await accepted
    await expect.poll(() => socket.bytesRead).toBeGreaterThan(0)
    const waiting = new RawConnection(port).send(
      'POST /api/authors/wait/ HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n',
    )
    await reached.promise
    const closing = closed.stop()
    await expect.poll(() => server.listening).toBe(false)

    const body = '{"name":"Ada"}'
    late.send(`host: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    await late.closed
    const [refused, ...more] = late.responses
    expectError(refused!, 503, 'The server is shutting down. Please try again.')
    expect(refused!.headers).toMatchObject({ connection: 'close', 'retry-after': '1' })
    expect(more).toEqual([])

    gate.resolve()
    await waiting.closed
    await closing
    expectSuccess(waiting.responses[0]!, 200, { data: 'waited' })
    expect(waiting.responses[0]!.headers.connection).toBe('close')
    expect(await closed.rows('authors')).toEqual([])
    await closed.close()
  })
  afterAll(() => gate.resolve())
})
