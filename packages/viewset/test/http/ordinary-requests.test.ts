import { once } from 'node:events'
import { request } from 'node:http'
import { AllowAny, BaseViewSet, Message } from 'viewset'
import type { ResourcesOptions } from 'viewset/fastify'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { describeDialects, pgDialect, sqliteDialect, type TestDialect } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { foundDifferences } from '../support/hold-to-description.ts'
import { type Models, models, seed } from '../support/models.ts'
import { useObservedEvents } from '../support/observed-events.ts'
import { RawConnection } from '../support/raw-http.ts'
import { serializers } from '../support/serializers.ts'
import { appOf, type FaceApp, type TestFace } from '../support/test-app.ts'
import { authorSettings } from '../support/write-paths.ts'

const FACES: readonly TestFace[] = ['fastify', 'node', 'fetch']

/** An API over a server that listens, and what is counted in its process. */
function useServer(dialect: TestDialect, face: TestFace, resources: (tables: Models) => ResourcesOptions['resources']) {
  const tables = models(dialect.kit)
  let stored: TestDatabase
  let app: FaceApp
  let port = 0
  // `fetch` would make controllers in this process.
  const ask = async (method: string, path: string, body?: unknown): Promise<number | undefined> => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = text === undefined ? {} : { 'content-type': 'application/json' }
    const asked = request({ port, method, path: `/api${path}`, headers, agent: false }).end(text)
    const [response] = await once(asked, 'response')
    response.resume()
    await once(response, 'close')
    return response.statusCode
  }
  beforeAll(async () => {
    stored = await createTestDatabase({ schema: tables, ...dialect.server })
    app = await appOf(face, { database: stored.database, resources: resources(tables) })
    port = await app.listen()
    // The first request makes the description that the tests are held to.
    await ask('GET', '/authors/')
    expect(await foundDifferences()).toEqual([])
  })
  beforeEach(async () => {
    await stored.clear()
    await seed(stored.database, tables, { authors: [{ id: uuid(1), name: 'Ada', email: 'ada@example.org' }] })
  })
  afterAll(async () => {
    await app.close()
    await stored.drop()
  })
  return {
    ask,
    get server() {
      return app.server
    },
    connect: () => new RawConnection(port),
  }
}

function countControllers(): { readonly count: number } {
  const counted = { count: 0 }
  vi.stubGlobal(
    'AbortController',
    class extends AbortController {
      constructor() {
        super()
        counted.count++
      }
    },
  )
  return counted
}

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/** A POST without a body. */
const LOSE = 'POST /api/authors/lose/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n'
const AUTHOR = `/authors/${uuid(1)}/`
const SERIALIZABLE = `/serializable/${uuid(1)}/`

const REQUESTS: readonly (readonly [method: string, path: string, status: number, body?: unknown])[] = [
  ['GET', AUTHOR, 200],
  ['GET', '/authors/', 200],
  ['POST', '/authors/', 201, { name: 'Bob' }],
  ['PUT', AUTHOR, 200, { name: 'Bob' }],
  ['PATCH', AUTHOR, 200, { name: 'Bob' }],
  ['DELETE', AUTHOR, 204],
  ['POST', '/authors/bulk-create/', 201, [{ name: 'Bob' }, { name: 'Cy' }]],
  ['PATCH', '/authors/bulk-update/', 200, [{ id: uuid(1), name: 'Bob' }]],
  ['POST', '/authors/bulk-upsert/', 200, [{ name: 'Bob', email: 'ada@example.org' }]],
  // These run in a transaction.
  ['POST', '/serializable/', 201, { name: 'Bob' }],
  ['PATCH', SERIALIZABLE, 200, { name: 'Bob' }],
  ['DELETE', SERIALIZABLE, 204],
  ['GET', `/authors/${uuid(2)}/`, 404],
  ['POST', '/authors/', 400, { name: 1 }],
  ['PATCH', `/serializable/${uuid(2)}/`, 404, { name: 'Bob' }],
]

describeDialects('a request that does not wait', dialect => {
  describe.each(FACES)('over %s', face => {
    const api = useServer(dialect, face, tables => {
      const settings = authorSettings(tables)
      return { authors: FullViewSet(settings), serializable: FullViewSet({ ...settings, isolation: 'serializable' }) }
    })

    // Hono's server makes a `Request` of a request with a body, which has its own controller.
    for (const [method, path, status, body] of REQUESTS.filter(([method]) => face !== 'fetch' || method === 'GET')) {
      test(`makes no AbortController: ${method} ${path}, ${status}`, async () => {
        const controllers = countControllers()
        expect(await api.ask(method, path, body)).toBe(status)
        expect(controllers.count).toBe(0)
      })
    }

    for (const [method, path, status, body] of REQUESTS.filter(([, , status]) => status < 400)) {
      test(`makes no error: ${method} ${path}, ${status}`, async () => {
        // An error of the API makes its text.
        const texts = vi.spyOn(Message.prototype, 'toString')
        expect(await api.ask(method, path, body)).toBe(status)
        expect(texts).not.toHaveBeenCalled()
      })
    }
  })
})

describe.each(FACES)('pg over %s: a transaction that loses against others', face => {
  const lost = Object.assign(new Error('could not serialize access'), { code: '40001' })
  let runs = 0
  let act = async () => {}
  const api = useServer(pgDialect, face, tables => ({
    authors: BaseViewSet({
      model: tables.authors,
      serializer: serializers(tables).AuthorReference,
      permissionClasses: [AllowAny],
      actions: {
        // A serializable transaction runs up to ten times. The last pauses take seconds.
        lose: {
          method: 'POST',
          detail: false,
          isolation: 'serializable',
          handler: async () => {
            runs++
            await act()
            throw lost
          },
        },
      },
    }),
  }))
  const events = useObservedEvents()
  const statuses = () => events.requests.ended.map(({ status }) => status)
  beforeEach(() => {
    runs = 0
  })

  test('does not run again for a client that has left before the pause', async () => {
    const connection = api.connect()
    const [socket] = await once(api.server, 'connection')
    const closed = once(socket, 'close')
    act = async () => {
      connection.socket.destroy()
      await closed
    }
    connection.send(LOSE)
    await expect.poll(statuses).toEqual([499])
    expect(runs).toBe(1)
  })

  test('does not run again for a client that leaves during a pause', async () => {
    const connection = api.connect()
    act = async () => {
      if (runs === 7) setImmediate(() => connection.socket.destroy())
    }
    connection.send(LOSE)
    await expect.poll(statuses, { timeout: 30_000 }).toEqual([499])
    expect(runs).toBeLessThan(10)
  })
})

describe.each(['fastify', 'node'] as const)('over %s: the signal of a request', face => {
  const signals: (AbortSignal | undefined)[] = []
  const api = useServer(sqliteDialect, face, tables => ({
    authors: BaseViewSet({
      model: tables.authors,
      serializer: serializers(tables).AuthorReference,
      permissionClasses: [AllowAny],
      actions: {
        keep: { method: 'GET', detail: false, handler: ({ request }) => void signals.push(request.signal) },
      },
    }),
  }))

  test('does not abort after a complete response', async () => {
    expect(await api.ask('GET', '/authors/keep/')).toBe(200)
    expect(signals.map(signal => signal?.aborted)).toEqual([false])
  })
})
