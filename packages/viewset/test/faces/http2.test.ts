import { once } from 'node:events'
import { connect, constants, createServer, type Http2ServerRequest, type OutgoingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { AllowAny, type ApiRequest, BaseModelSerializer, ReadOnlyViewSet } from 'viewset'
import { createHandler, type NodeHandlerOptions } from 'viewset/node'
import { createTestDatabase } from 'viewset/testing'
import { expect, onTestFinished, test } from 'vitest'
import { notes, SampleApi } from '../../../viewset-faces/src/sample-api.ts'

/** Asks the sample API over HTTP/2, where a body has no headers that say so. */
async function start(resources?: NodeHandlerOptions['resources']) {
  const stored = await createTestDatabase({ schema: { notes } })
  const sample = new SampleApi()
  const { authenticate } = sample
  const handler = createHandler({
    prefix: '/api',
    database: stored.database,
    resources: resources ?? sample.resources,
    authenticate,
  })
  // Node gives its listeners requests and responses that look like those of HTTP/1.
  const server = createServer(handler as Parameters<typeof createServer>[0]).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(async () => {
    client.close()
    await handler.close()
    server.close()
    await stored.drop()
  })
  const ask = async (path: string, headers: OutgoingHttpHeaders = {}, body?: string) => {
    const stream = client.request({ ':path': `/api${path}`, ...headers }, { endStream: body === undefined })
    if (body !== undefined) stream.end(body)
    const [head] = (await once(stream, 'response')) as [{ readonly ':status'?: number }]
    return { status: head[':status'], text: await text(stream) }
  }
  return Object.assign(ask, { client, sample })
}

test('a body without a length is read, and limited', async () => {
  const ask = await start()
  const json = { ':method': 'POST', 'content-type': 'application/json' }
  expect((await ask('/notes/', json, '{"text":"a"}')).status).toBe(201)
  expect((await ask('/notes/', json, `{"text":"${'x'.repeat(1024 ** 2)}"}`)).status).toBe(413)
  expect((await ask('/notes/', { ':method': 'POST' }, '{"text":"a"}')).status).toBe(415)
  expect(JSON.parse((await ask('/notes/')).text).data).toHaveLength(1)
})

test('a request without a body has none', async () => {
  const ask = await start()
  expect((await ask('/notes/echo/', { ':method': 'POST' })).status).toBe(200)
})

test('links and files are those of HTTP/1', async () => {
  const ask = await start()
  const [first] = JSON.parse((await ask('/')).text).data
  expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/notes\/$/)
  expect((await ask('/notes/file/')).status).toBe(200)
  expect((await ask('/notes/', { ':method': 'HEAD' })).text).toBe('')
})

test('a client that leaves aborts the signal of its request', async () => {
  const { client, sample } = await start()
  const waiting = sample.wait()
  const stream = client.request({ ':path': '/api/notes/wait/' })
  await waiting.begun.promise
  stream.close(constants.NGHTTP2_CANCEL)
  await waiting.aborted.promise
})

test('a signal that is first read after its client has left is aborted', async () => {
  const begun = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<boolean | undefined>()
  const handler = async ({ request }: { readonly request: ApiRequest }) => {
    const { stream } = request.native as unknown as Http2ServerRequest
    begun.resolve()
    await once(stream, 'close')
    aborted.resolve(request.signal?.aborted)
  }
  const { client } = await start({
    notes: ReadOnlyViewSet({
      model: notes,
      serializer: BaseModelSerializer(notes, { fields: ['id'] }),
      permissionClasses: [AllowAny],
      actions: { late: { method: 'GET', detail: false, handler } },
    }),
  })
  const stream = client.request({ ':path': '/api/notes/late/' })
  await begun.promise
  stream.close(constants.NGHTTP2_CANCEL)
  expect(await aborted.promise).toBe(true)
})
