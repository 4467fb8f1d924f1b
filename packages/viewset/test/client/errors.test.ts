import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AllowAny, ApiError, BulkViewSet, IsAuthenticated, ReadOnlyViewSet, ServiceUnavailable } from 'viewset'
import { ClientError, createClient } from 'viewset/client'
import { afterEach, describe, expect, test } from 'vitest'
import { useClient } from '../support/client.ts'
import { describeOneDialect, sqliteDialect } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const LONG = 'x'.repeat(21)
const TOO_LONG = 'Ensure this field has no more than 20 characters.'

/** The error of a call that must fail. */
async function errorOf(call: Promise<unknown>): Promise<ClientError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof ClientError) return error
  throw new Error(`This is no ClientError: ${String(error)}`)
}

describeOneDialect('a client is told of a refusal', dialect => {
  const tables = models(dialect.kit)
  const { AuthorSerializer } = serializers(tables)
  const resources = {
    authors: BulkViewSet({
      model: tables.authors,
      serializer: AuthorSerializer,
      permissionClasses: [AllowAny],
      actions: {
        busy: {
          method: 'POST',
          detail: false,
          handler: () => {
            throw new ServiceUnavailable('Not now.', 7)
          },
        },
        teapot: {
          method: 'POST',
          detail: false,
          describes: { errors: { 418: 'It is a teapot.' } },
          handler: () => {
            throw new ApiError(418, 'teapot', 'I am a teapot.')
          },
        },
      },
    }),
    secrets: ReadOnlyViewSet({
      model: tables.authors,
      serializer: AuthorSerializer,
      permissionClasses: [IsAuthenticated],
    }),
  }
  const listening = useClient(dialect, { tables, resources })

  test('by fields, with the whole answer and the name of the request', async () => {
    const error = await errorOf(listening.client().authors.create({ name: LONG }))
    const errors = { name: [TOO_LONG] }
    expect(error).toMatchObject({
      name: 'ClientError',
      status: 400,
      message: TOO_LONG,
      errors,
    })
    expect(error.envelope).toMatchObject({ success: false, data: null, errors })
    expect(error.requestId).toMatch(/./)
    expect(error.retryAfter).toBeUndefined()
  })

  test('by the items of a bulk request', async () => {
    const items = [{ name: 'Ada' }, { name: LONG }]
    const { errors } = await errorOf(listening.client().authors.bulkCreate(items))
    expect(errors).toEqual({ '1.name': [TOO_LONG] })
  })

  test('by a taken value, a missing record, a missing permission, or a bad parameter', async () => {
    const { authors, secrets } = listening.client()
    await seed(listening.api.database, tables, { authors: [{ id: uuid(1), name: 'Ada', email: 'ada@example.org' }] })
    const calls = [
      authors.create({ name: 'Ada', email: 'ada@example.org' }),
      authors.retrieve(uuid(9)),
      secrets.list(),
      authors.list({ page_size: 0 }),
      authors.actions.teapot.post(),
    ]
    const told = await Promise.all(calls.map(async call => errorOf(call)))
    expect(told.map(({ status, message, errors }) => [status, message, Object.keys(errors)])).toEqual([
      [400, 'Another record already has this value.', ['email']],
      [404, 'There is no such record, or you may not see it.', []],
      [401, 'Authentication credentials were not provided.', []],
      [400, 'Enter a whole number above 0.', ['page_size']],
      [418, 'I am a teapot.', []],
    ])
  })

  test('with the seconds to wait', async () => {
    const error = await errorOf(listening.client().authors.actions.busy.post())
    expect([error.status, error.retryAfter]).toEqual([503, 7])
  })
})

describe('a client without an answer of the API', () => {
  const tables = models(sqliteDialect.kit)
  const authors = ReadOnlyViewSet({
    model: tables.authors,
    serializer: serializers(tables).AuthorReference,
    permissionClasses: [AllowAny],
  })
  const servers: ReturnType<typeof createServer>[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections()
  })
  /** A client of a server that is none of ours. */
  async function clientOf(listener: RequestListener) {
    const server = createServer(listener)
    servers.push(server)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return { address, server, client: createClient<{ authors: typeof authors }>({ baseUrl: `${address}/api/` }) }
  }

  test('says what came from whom, where it is a page of a proxy', async () => {
    const page = '<html>\n  <h1>502 Bad Gateway</h1>\n</html>'
    const { address, client } = await clientOf((_request, response) => {
      response.writeHead(502, { 'content-type': 'text/html', 'retry-after': '3', 'x-request-id': 'proxy-1' }).end(page)
    })
    const error = await errorOf(client.authors.list())
    expect(error).toMatchObject({ status: 502, errors: {}, envelope: undefined, requestId: 'proxy-1', retryAfter: 3 })
    expect(error.message).toBe(
      `GET ${address}/api/authors/: this is no answer of the API, but 502 with text/html: <html> <h1>502 Bad Gateway</h1> </html>`,
    )
  })

  test.each([
    ['a page with a status of success', 'text/html', '<html></html>'],
    ['JSON that is no envelope', 'application/json', '{"hello":"world"}'],
    ['JSON that is cut off', 'application/json', '{"success":true,"data":['],
    ['null', 'application/json', 'null'],
  ])('does not take %s for one', async (_, type, body) => {
    const { client } = await clientOf((_request, response) => {
      response.writeHead(200, { 'content-type': type }).end(body)
    })
    const error = await errorOf(client.authors.list())
    expect([error.status, error.message]).toEqual([200, expect.stringContaining(`but 200 with ${type}: ${body}`)])
    expect((await errorOf(client.authors.export({ file_type: 'csv' }))).status).toBe(200)
  })

  test('says that nobody is there', async () => {
    const { address, server, client } = await clientOf(() => {})
    await new Promise(resolve => server.close(resolve))
    const error = await errorOf(client.authors.retrieve('1'))
    expect([error.status, error.envelope, error.cause]).toEqual([0, undefined, expect.any(TypeError)])
    expect(error.message).toMatch(`GET ${address}/api/authors/1/ got no answer: fetch failed: connect ECONNREFUSED`)
  })

  test('follows nobody to another address, where a POST would be a GET and its key that of somebody else', async () => {
    const asked: unknown[] = []
    const { address } = await clientOf(({ method, url }, response) => {
      asked.push(`${method} ${url}`)
      response.writeHead(301, { location: 'http://elsewhere.example/' }).end()
    })
    const client = createClient<{ authors: typeof authors }>({ baseUrl: address, headers: { 'x-api-key': 'mine' } })
    const error = await errorOf(client.$request('POST', '/authors/', { body: { name: 'Ada' } }))
    expect(error.message).toContain('got no answer: fetch failed: unexpected redirect')
    expect(asked).toEqual(['POST /authors/'])
  })

  test.each([['a text'], [undefined]])('says what a fetch of somebody else threw: %s', async reason => {
    const fetch = () => Promise.reject(reason)
    const client = createClient<{ authors: typeof authors }>({ baseUrl: '/api', fetch })
    const error = await errorOf(client.authors.list())
    expect([error.status, error.message]).toEqual([0, expect.stringContaining(`got no answer: ${reason}.`)])
  })

  test('says that the connection broke off, in an answer and in a file', async () => {
    const { client } = await clientOf((request, response) => {
      const type = request.method === 'POST' ? 'text/csv' : 'application/json'
      response.writeHead(200, { 'content-type': type, 'content-length': '100' })
      response.write('{"success":true', () => response.destroy())
    })
    expect((await errorOf(client.authors.list())).message).toContain('got no answer')
    const file = await client.authors.export({ file_type: 'csv' })
    expect((await errorOf(file.text())).message).toBe('The connection broke off before all of download was there.')
  })

  test('says that the request was aborted, and why', async () => {
    const controller = new AbortController()
    const { client } = await clientOf(() => controller.abort('no longer wanted'))
    const error = await errorOf(client.authors.list({}, { signal: controller.signal }))
    expect(error).toMatchObject({ status: 0, cause: 'no longer wanted' })
    expect(error.message).toMatch(/GET .* was aborted\./)
    expect((await errorOf(client.authors.list({}, { signal: AbortSignal.abort() }))).status).toBe(0)
  })

  test('says that a file was aborted, and why', async () => {
    const { client } = await clientOf((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/csv' }).write('name')
    })
    const controller = new AbortController()
    const file = await client.authors.export({ file_type: 'csv' }, {}, { signal: controller.signal })
    controller.abort('no longer wanted')
    expect(await errorOf(file.text())).toMatchObject({
      message: 'The call was aborted before all of download was there.',
      cause: 'no longer wanted',
    })
  })

  test('asks for its token and headers anew each time, and keeps neither', async () => {
    const seen: unknown[] = []
    const { address } = await clientOf(({ headers }, response) => {
      seen.push([headers.authorization, headers['x-tenant'], headers['x-call']])
      response.end('{"success":true,"data":[]}')
    })
    const tokens = ['one', null, 'three']
    const client = createClient<{ authors: typeof authors }>({
      baseUrl: address,
      token: async () => tokens.shift(),
      headers: () => ({ 'X-Tenant': String(tokens.length) }),
    })
    for (const call of ['a', 'b', 'c']) await client.authors.list({}, { headers: { 'X-Call': call } })
    await createClient<{ authors: typeof authors }>({ baseUrl: address, token: 'fixed' }).authors.list()
    expect(seen).toEqual([
      ['Bearer one', '2', 'a'],
      [undefined, '1', 'b'],
      ['Bearer three', '0', 'c'],
      ['Bearer fixed', undefined, undefined],
    ])
  })
})
