import { once } from 'node:events'
import { connect, createServer, type OutgoingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createHandler } from 'viewset/node'
import { createTestDatabase } from 'viewset/testing'
import { expect, onTestFinished, test } from 'vitest'
import { notes, SampleApi } from '../../../viewset-faces/src/sample-api.ts'

/** Asks the sample API over HTTP/2, where a body has no headers that say so. */
async function start() {
  const stored = await createTestDatabase({ schema: { notes } })
  const { resources, authenticate } = new SampleApi()
  const handler = createHandler({ prefix: '/api', database: stored.database, resources, authenticate })
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
  return async (path: string, headers: OutgoingHttpHeaders = {}, body?: string) => {
    const stream = client.request({ ':path': `/api${path}`, ...headers }, { endStream: body === undefined })
    if (body !== undefined) stream.end(body)
    const [head] = (await once(stream, 'response')) as [{ readonly ':status'?: number }]
    return { status: head[':status'], text: await text(stream) }
  }
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
