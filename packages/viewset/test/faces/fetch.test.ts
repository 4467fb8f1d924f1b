import { AllowAny, BaseModelSerializer, ReadOnlyViewSet } from 'viewset'
import { createHandler, type FetchHandler } from 'viewset/fetch'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { notes, SampleApi } from '../../../viewset-faces/src/sample-api.ts'

/** What servers other than Node's do with requests and answers, without one. */
const URL_ = 'http://localhost/api'

let stored: TestDatabase
let sample: SampleApi
let handler: FetchHandler
beforeAll(async () => {
  stored = await createTestDatabase({ schema: { notes } })
})
afterAll(() => stored.drop())
beforeEach(() => {
  sample = new SampleApi()
  handler = createHandler({
    prefix: '/api',
    database: stored.database,
    resources: sample.resources,
    authenticate: sample.authenticate,
    settings: { COMMON: { STALL_TIMEOUT: 300 } },
  })
})

const ask = (path: string, init?: RequestInit) => handler(new Request(URL_ + path, init))

/** A body of which only a part comes, and then an error. */
function brokenBody(): RequestInit {
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode('{"text":'))
      await new Promise(resolve => setTimeout(resolve, 20))
      controller.error(new Error('the client has gone'))
    },
  })
  return { method: 'POST', body, duplex: 'half' } as RequestInit
}

test('an answer that nobody reads ends, and lets the API close', async () => {
  expect((await ask('/notes/flood/')).status).toBe(200)
  await handler.close()
  expect(sample.floods.map(({ destroyed }) => destroyed)).toEqual([true])
})

test('an answer that is cancelled ends at once', async () => {
  const { body } = await ask('/notes/flood/')
  await body?.cancel()
  await sample.floods[0]?.ended
  await handler.close()
})

test('an answer ends with the signal of its request', async () => {
  const leaving = new AbortController()
  await ask('/notes/flood/', { signal: leaving.signal })
  leaving.abort()
  await sample.floods[0]?.ended
  const before = AbortSignal.abort()
  const waiting = sample.wait()
  waiting.go()
  expect((await ask('/notes/wait/', { signal: before })).status).toBe(200)
})

test('what is thrown because a client has gone is no fault of ours, whatever the reason is; anything else is', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  let leaving = new AbortController()
  const leave = (error: unknown) => () => {
    leaving.abort('closed')
    throw error
  }
  const ownFault = new Error('broken')
  const act = createHandler({
    database: stored.database,
    resources: {
      notes: ReadOnlyViewSet({
        model: notes,
        serializer: BaseModelSerializer(notes, { fields: ['id'] }),
        permissionClasses: [AllowAny],
        actions: {
          reason: { method: 'GET', detail: false, handler: leave('closed') },
          abort: { method: 'GET', detail: false, handler: leave(new DOMException('Gone.', 'AbortError')) },
          fault: { method: 'GET', detail: false, handler: leave(ownFault) },
        },
      }),
    },
    authenticate: sample.authenticate,
  })
  const statuses: number[] = []
  for (const action of ['reason', 'abort', 'fault']) {
    leaving = new AbortController()
    const { status } = await act(new Request(`http://localhost/notes/${action}/`, { signal: leaving.signal }))
    statuses.push(status)
  }
  expect(statuses).toEqual([499, 499, 500])
  expect(log.mock.calls.map(([, error]) => error)).toEqual([ownFault])
  log.mockRestore()
  await act.close()
})

test('a body that breaks is nobody else’s error, whoever reads it', async () => {
  const json = { ...brokenBody(), headers: { 'content-type': 'application/json' } }
  expect((await ask('/notes/', json)).status).toBe(400)
  // Refused before it is read.
  for (const path of ['/nothing/', '/notes/file/', '/notes/import-from-file/']) {
    expect((await ask(path, brokenBody())).status).toBeGreaterThanOrEqual(401)
  }
  const upload = { 'content-type': 'multipart/form-data; boundary=x', authorization: 'Bearer x' }
  expect((await ask('/notes/import-from-file/', { ...brokenBody(), headers: upload })).status).toBe(400)
  // What nobody listens to would end the process, and so the test.
  await new Promise(resolve => setTimeout(resolve, 50))
})

test('a request without a body has none, whatever the server makes of it', async () => {
  const empty = () =>
    ({ method: 'POST', body: new ReadableStream({ start: c => c.close() }), duplex: 'half' }) as RequestInit
  expect((await ask('/notes/echo/', empty())).status).toBe(200)
  expect((await ask('/notes/', empty())).status).toBe(400)
})

test('HEAD has no body, and keeps nothing open', async () => {
  const response = await ask('/notes/flood/', { method: 'HEAD' })
  expect(response.body).toBe(null)
  await sample.floods[0]?.ended
  await handler.close()
  expect((await ask('/notes/')).status).toBe(503)
})

test('a body that somebody else is reading is a fault that the log tells', async () => {
  const taken = (path: string) => {
    const request = new Request(URL_ + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"text":"a"}',
    })
    request.body?.getReader()
    return handler(request)
  }
  expect((await taken('/notes/')).status).toBe(500)
  expect((await taken('/nothing/')).status).toBe(404)
})

test('a logger that fails is told of on stderr, and the request is answered', async () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => {})
  const fail = () => {
    throw new Error('the disk is full')
  }
  const resources = sample.resources
  const failing = createHandler({ database: stored.database, resources, logger: { error: fail, warn: fail } })
  const response = await failing(new Request('http://localhost/notes/crash/'))
  const [[logged] = []] = written.mock.calls
  written.mockRestore()
  expect(response.status).toBe(500)
  expect(logged).toContain(response.headers.get('x-error-id'))
})
