import assert from 'node:assert/strict'
import { expectSuccess, until } from '../expect.ts'
import type { FaceContext, FaceRules } from '../face-context.ts'
import type { StartedFace } from '../started-face.ts'

/** More than the sockets on both sides and the server keep for a client that does not read. */
const BUFFERED = 64 * 1024 ** 2
/** More than the connections of SQLite for long responses. */
const MANY = 7
/** 12 MB as pages. */
const ROWS = 1_200
const LONG = 600_000

const storePages = (context: FaceContext) => context.store(Array.from({ length: ROWS }, (_, i) => `note ${i}`))

/** The head of another long list shows that a database connection is free. */
async function expectFree(api: StartedFace): Promise<void> {
  await until('a connection of the database', async () => {
    return (await api.ask('/pages/?paginated=false', { method: 'HEAD' })).status === 200
  })
}

export const clientRules: FaceRules = {
  'a client that leaves aborts the signal of its request': async context => {
    const api = await context.api()
    const waiting = api.sample.wait()
    const connection = api.connect().send(api.head('GET', '/notes/wait/'))
    await waiting.begun.promise
    connection.socket.destroy()
    await waiting.aborted.promise
    assert.deepEqual(
      api.log.filter(({ err }) => String(err).includes('Abort')),
      [],
    )
  },

  'a client that leaves in the middle of a file ends it': async context => {
    const api = await context.api()
    const before = api.sample.floods.length
    for (let i = 0; i < 3; i++) {
      const connection = api.connect().send(api.head('GET', '/notes/flood/'))
      await until('the file', () => connection.responses.length > 0)
      connection.socket.destroy()
    }
    await Promise.all(api.sample.floods.slice(before).map(({ ended }) => ended))
    assert.equal(api.sample.floods.length, before + 3)
  },

  'clients that leave in the middle of long lists give back what they held': async context => {
    const api = await context.api()
    await storePages(context)
    for (let i = 0; i < MANY; i++) {
      const leaving = new AbortController()
      const response = await fetch(`${api.url}/pages/?paginated=false`, { signal: leaving.signal })
      assert.equal(response.status, 200)
      leaving.abort()
    }
    await expectFree(api)
  },

  'a file is made as fast as it is read, and not faster': context =>
    context.with({ settings: { COMMON: { STALL_TIMEOUT: LONG } } }, async api => {
      const connection = api.connect()
      connection.socket.pause()
      connection.send(api.head('GET', '/notes/flood/'))
      await until('the file', () => api.sample.floods.length > 0)
      const [flood] = api.sample.floods
      assert.ok(flood)
      let made = -1
      await until('a pause', async () => {
        const before = made
        made = flood.made
        assert.ok(made < BUFFERED, 'What nobody reads is not made.')
        await new Promise(resolve => setTimeout(resolve, 100))
        return made > 0 && made === before
      })
      // A client that reads again gets more.
      connection.socket.resume()
      await until('more of the file', () => flood.made > made)
      connection.socket.destroy()
      await flood.ended
    }),

  'a client that reads nothing for STALL_TIMEOUT gives back what it held': context =>
    context.with({ settings: { COMMON: { STALL_TIMEOUT: 500 } } }, async api => {
      await storePages(context)
      const readers = Array.from({ length: MANY }, (_, i) => {
        const connection = api.connect()
        connection.socket.pause()
        return connection.send(api.head('GET', i === 0 ? '/notes/flood/' : '/pages/?paginated=false'))
      })
      await until('the file', () => api.sample.floods.length > 0)
      // Other clients get their responses meanwhile.
      expectSuccess(await api.ask('/notes/?page_size=1'))
      expectSuccess(await api.send('POST', '/notes/echo/', {}))
      await api.sample.floods[0]?.ended
      // On a busy machine, this client would be a slow one too.
      await expectFree(await context.api())
      for (const { socket } of readers) socket.destroy()
    }),
}
