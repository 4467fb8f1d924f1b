import { once } from 'node:events'
import { connect } from 'node:net'
import { createTestDatabase } from 'viewset/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { ChildApi } from '../support/child-api.ts'
import { describeDialects, sqliteDialect, type TestDialect } from '../support/dialects.ts'
import { expectError, expectSuccess, ID } from '../support/expect.ts'
import { notesTable } from '../support/notes.ts'
import { RawConnection } from '../support/raw-http.ts'

const children: ChildApi[] = []
const removals: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(children.splice(0).map(child => child.kill()))
  for (const remove of removals.splice(0)) await remove()
})

async function start(...args: Parameters<typeof ChildApi.start>): Promise<ChildApi> {
  const child = await ChildApi.start(...args)
  children.push(child)
  return child
}

async function createDatabase({ kit, server }: TestDialect): Promise<string> {
  const { url, drop } = await createTestDatabase({ ...server, schema: { notes: notesTable(kit) } })
  removals.push(drop)
  return url
}

const notesOf = async (child: ChildApi) =>
  (await child.get('/notes/?paginated=false')).data<{ id: string; text: string }[]>()

describe('two processes on one SQLite file', () => {
  async function startTwo(busyTimeout?: number): Promise<[ChildApi, ChildApi]> {
    const path = await createDatabase(sqliteDialect)
    const options = busyTimeout === undefined ? {} : { busyTimeout }
    return [await start(path, options), await start(path, options)]
  }

  test('lose no write that was acknowledged', async () => {
    const both = await startTwo()
    const clients = Array.from({ length: 8 }, (_, client) => client)
    const created = await Promise.all(
      clients.map(async client => {
        const ids: string[] = []
        for (let i = 0; i < 25; i++) {
          const response = await both[client % 2]!.post('/notes/', { text: `${client} ${i}` })
          expectSuccess(response, 201, { data: { id: ID, text: `${client} ${i}`, reads: null } })
          ids.push(response.data<{ id: string }>().id)
        }
        return ids
      }),
    )
    for (const child of both) {
      expect((await notesOf(child)).map(({ id }) => id).toSorted()).toEqual(created.flat().toSorted())
    }
  })

  test('lose no update of one record either: each sees what the other has stored', async () => {
    const both = await startTwo()
    const { id } = (await both[0].post('/notes/', { text: 'read by many' })).data<{ id: string }>()
    const responses = await Promise.all(Array.from({ length: 100 }, (_, i) => both[i % 2]!.post(`/notes/${id}/read/`)))
    expect(responses.map(({ status }) => status)).toEqual(Array(100).fill(200))
    const counts = responses.map(response => response.data<number>()).toSorted((a, b) => a - b)
    expect(counts).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
    for (const child of both) expect((await child.get(`/notes/${id}/`)).data().reads).toBe(100)
  })

  test('wait for each other without blocking, and are 503 when it takes too long', async () => {
    const [holder, waiter] = await startTwo(1_000)
    const { response, release } = await holder.hold()
    const started = performance.now()
    let answered = false
    const writing = waiter.post('/notes/', { text: 'late' }).finally(() => {
      answered = true
    })
    let reads = 0
    while (!answered) {
      expectSuccess(await waiter.get('/notes/'), 200, { count: 0, data: [] })
      reads++
    }
    expect(reads).toBeGreaterThan(10)
    expectError(await writing, 503, 'The database is busy. Please try again.')
    expect((await writing).headers['retry-after']).toBe('1')
    expect(performance.now() - started).toBeGreaterThanOrEqual(1_000)

    const second = waiter.post('/notes/', { text: 'in time' })
    release()
    expectSuccess(await response, 200, { data: 'released' })
    expectSuccess(await second, 201, { data: { id: ID, text: 'in time', reads: null } })
  })

  test("never see each other's uncommitted rows", async () => {
    const both = await startTwo()
    const { response, release } = await both[0].hold()
    for (const child of both) expect(await notesOf(child)).toEqual([])
    release()
    await response
    for (const child of both) expect((await notesOf(child)).map(({ text }) => text)).toEqual(['held'])
  })
})

describeDialects('SIGTERM', dialect => {
  test('answers what is in flight, refuses what is new, and exits with 0', async () => {
    const location = await createDatabase(dialect)
    const child = await start(location)
    const idle = new RawConnection(child.port)
    await once(idle.socket, 'connect')
    const { response, release } = await child.hold()

    child.signal('SIGTERM')
    await expect.poll(() => isListening(child.port)).toBe(false)
    idle.send('GET /api/notes/ HTTP/1.1\r\nhost: x\r\n\r\n')
    await idle.closed
    expectError(idle.responses[0]!, 503, 'The server is shutting down. Please try again.')

    release()
    expectSuccess(await response, 200, { data: 'released' })
    expect(await child.exited).toEqual([0, null])
    const next = await start(location)
    expect((await notesOf(next)).map(({ text }) => text)).toEqual(['held'])
  })

  test('ends a process that has nothing to do at once, also with connections kept alive', async () => {
    const child = await start(await createDatabase(dialect))
    expectSuccess(await child.get('/notes/'), 200, { count: 0, data: [] })
    const started = performance.now()
    child.signal('SIGTERM')
    expect(await child.exited).toEqual([0, null])
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  test('SIGKILL leaves nothing of a request that was not answered', async () => {
    const location = await createDatabase(dialect)
    const child = await start(location)
    const { response } = await child.hold()
    child.signal('SIGKILL')
    await expect(response).rejects.toThrow('fetch failed')
    const next = await start(location)
    expect(await notesOf(next)).toEqual([])
    expect((await next.post('/notes/', { text: 'works' })).status).toBe(201)
  })
})

function isListening(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' })
  return once(socket, 'connect')
    .then(() => true)
    .catch(() => false)
    .finally(() => socket.destroy())
}
