import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  createRecord,
  currentDb,
  type Database,
  ExpressionField,
  FileExportMixin,
  transaction,
} from 'viewset'
import { kit, type PostgresServers, postgres } from 'viewset/pg'
import { startApi, type TestApi } from 'viewset/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runInContext } from '../../src/core/context.ts'
import type { Result } from '../../src/store/connection/driver.ts'
import { expectSuccess, ID } from '../support/expect.ts'
import { notesTable } from '../support/notes.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { appOf } from '../support/test-app.ts'

const notes = notesTable(kit)

/** The server that answers, by its port. */
const server = ExpressionField({ expression: sql`inet_server_port()`, type: 'integer' })

/** At another server, the same database. */
function at({ port }: PostgresServer, url: string): string {
  return Object.assign(new URL(url), { port }).href
}

async function tell({ url }: PostgresServer, text: string): Promise<Result> {
  const database = postgres(url, { poolSize: 1 })
  return database.run({ text }, []).finally(() => database.close())
}

describe('a primary with a hot standby', () => {
  let primary: PostgresServer
  let standby: PostgresServer
  let database: Database
  let api: TestApi
  let address: string

  const ask = async () => (await database.run({ text: 'select inet_server_port()' }, [])).rows[0]?.[0]
  const steps: Record<string, () => Promise<unknown>> = {
    ask,
    create: () => createRecord(notes, { text: 'written' }),
    drizzle: async () => currentDb().insert(notes).values({ text: 'written' }),
    'drizzle query': async () => void currentDb().select().from(notes),
    transaction: () => transaction(async () => {}),
    /** A write that looks like a read. */
    sequence: () => database.run({ text: `select nextval('numbers')` }, []),
    /** At a standby, is read until somebody ends it. */
    slow: () =>
      database.run(
        { text: 'select pg_sleep(case when pg_is_in_recovery() then 60 else 0 end), count(*) from notes' },
        [],
      ),
    fail: () => database.run({ text: 'select 1 / 0' }, []),
  }
  const resource = BulkViewSet.add(FileExportMixin)({
    model: notes,
    serializer: BaseModelSerializer(notes, { fields: ['id', 'text'], extra: { server } }),
    permissionClasses: [AllowAny],
    ordering: 'text',
    exportFieldConfig: { text: 'Text', server: 'Server' },
    actions: {
      act: {
        method: 'GET',
        detail: false,
        handler: async view => {
          const told: unknown[] = []
          for (const step of String(view.query.steps).split(',')) told.push(await steps[step]?.())
          // The list of the mixin that this class has; the type of a view is that of all.
          if (view.query.list) return (view as unknown as { list(): unknown }).list()
          return [told[0], told.at(-1)]
        },
      },
      post: { method: 'POST', detail: false, writes: false, handler: ask },
    },
  })
  const act = async (...names: string[]) => (await api.get(`/notes/act/?steps=${names}`)).data<unknown[]>()
  const create = async (text: string) => (await api.post('/notes/', { text })).data<{ id: string; server: number }>()
  /** How many statements of {@link steps.slow} run at the standby. */
  const sleeping = async () =>
    Number((await tell(standby, `select count(*) from pg_stat_activity where wait_event = 'PgSleep'`)).rows[0]?.[0])
  const serverOf = async (path = '/notes/') => (await api.get(path)).data<{ server: number }[]>()[0]?.server

  beforeAll(async () => {
    primary = await startPostgresServer({ settings: { synchronous_commit: 'on' } })
    standby = await primary.standby({ settings: { max_standby_streaming_delay: '0' } })
    api = await startApi({
      postgres: primary.url,
      schema: { notes },
      app: async ({ authenticate }, url) => {
        address = url
        database = postgres({ primary: url, replicas: [at(standby, url)] })
        const app = await appOf('fastify', { database, authenticate, resources: { notes: resource } })
        const close = async () => {
          await app.close()
          await database.close()
        }
        return { ...app, close }
      },
    })
    await api.database.run({ text: 'create sequence numbers' }, [])
  })
  afterAll(async () => {
    await api?.close()
    await standby?.stop()
    await primary?.stop()
  })
  beforeEach(async () => {
    await api.clear()
    await create('first')
    await expect.poll(() => serverOf()).toBe(standby.port)
  })

  test('reads the standby where a request only reads', async () => {
    const [{ id } = { id: '' }] = (await api.get('/notes/')).data<{ id: string }[]>()
    const shown = { id: ID, text: 'first', server: standby.port }
    expectSuccess(await api.get('/notes/'), 200, { count: 1, data: [{ ...shown, index: 1 }] })
    expectSuccess(await api.get(`/notes/${id}/`), 200, { data: shown })
    expectSuccess(await api.get('/notes/?paginated=false'), 200, { data: [{ ...shown, index: 1 }] })
    const file = await api.post('/notes/export/', { file_type: 'csv', includes: ['text', 'server'] })
    expect(file.text).toBe(`Text,Server\r\nfirst,${standby.port}\r\n`)
    expect(await act('ask', 'ask')).toEqual([String(standby.port), String(standby.port)])
  })

  test('asks the primary whatever writes, before and after it has', async () => {
    expect((await create('second')).server).toBe(primary.port)
    const [{ id } = { id: '' }] = (await api.get('/notes/')).data<{ id: string }[]>()
    expectSuccess(await api.patch(`/notes/${id}/`, { text: 'a' }), 200, {
      data: { id: ID, text: 'a', server: primary.port },
    })
    for (const write of ['create', 'drizzle', 'transaction', 'sequence']) {
      expect([write, ...(await act('ask', write, 'ask'))]).toEqual([write, String(standby.port), String(primary.port)])
    }
    // A query that is made and not sent has written nothing.
    expect(await act('ask', 'drizzle query', 'ask')).toEqual([String(standby.port), String(standby.port)])
    // A script knows of no request: it may do anything.
    expect(await database.use(ask)).toBe(String(primary.port))
  })

  test('asks the primary where an action may write, though not in one transaction', async () => {
    expectSuccess(await api.post('/notes/post/', {}), 200, { data: String(primary.port) })
  })

  test('never shows less than what was acknowledged before, however far the standby is behind', async () => {
    await tell(standby, 'select pg_wal_replay_pause()')
    try {
      const { id } = await create('second')
      for (let i = 0; i < 3; i++) {
        expectSuccess(await api.get(`/notes/${id}/`), 200, { data: { id: ID, text: 'second', server: primary.port } })
      }
      // Nor to others, who wrote nothing, and at a process that knows nothing of the write.
      const other = postgres({ primary: at(primary, address), replicas: [at(standby, address)] })
      const reads = other.reads()
      expect((await reads?.executor?.run({ text: 'select count(*) from notes' }, []))?.rows).toEqual([['2']])
      await other.close()
    } finally {
      await tell(standby, 'select pg_wal_replay_resume()')
    }
    await expect.poll(() => serverOf()).toBe(standby.port)
    expect((await api.get('/notes/')).envelope().count).toBe(2)
  })

  test('a count is not that of somebody who reads an older state', async () => {
    let pass = () => {}
    let isWaiting = false
    steps.gate = () => {
      isWaiting = true
      return new Promise<void>(resolve => {
        pass = resolve
      })
    }
    const early = api.get('/notes/act/?steps=ask,gate&list=true')
    await expect.poll(() => isWaiting).toBe(true)
    await tell(standby, 'select pg_wal_replay_pause()')
    try {
      await create('second')
      // Waits for the standby in vain; who comes meanwhile waits for a count of their own.
      const first = api.get('/notes/')
      await sleep(20)
      pass()
      await sleep(20)
      await create('third')
      const counts = [early, first, api.get('/notes/')].map(async response => (await response).envelope().count)
      expect((await Promise.all(counts)).at(-1)).toBe(3)
    } finally {
      await tell(standby, 'select pg_wal_replay_resume()')
    }
  })

  test('reads again at the primary what the standby had to give up, and shows errors of its own', async () => {
    await api.database.run(
      { text: `insert into notes (id, text) select gen_random_uuid(), 'x' from generate_series(1, 2000)` },
      [],
    )
    await expect.poll(() => serverOf()).toBe(standby.port)
    const slow = act('ask', 'slow', 'ask')
    await expect.poll(sleeping).toBe(1)
    await api.database.run({ text: 'delete from notes' }, [])
    await api.database.run({ text: 'vacuum notes' }, [])
    expect(await slow).toEqual([String(standby.port), String(primary.port)])
    // The standby itself is well: the next one reads there again.
    expect(await act('ask', 'ask')).toEqual([String(standby.port), String(standby.port)])
    expect((await api.get('/notes/act/?steps=fail')).status).toBe(500)
  })

  test('does without a standby that is gone, and takes it back', async () => {
    const running = Array.from({ length: 8 }, () => act('ask', 'slow', 'ask'))
    await expect.poll(sleeping).toBe(8)
    await standby.kill()
    for (const [, last] of await Promise.all(running)) expect(last).toBe(String(primary.port))
    for (let i = 0; i < 5; i++) expect(await serverOf()).toBe(primary.port)
    await standby.restart()
    await expect.poll(() => serverOf()).toBe(standby.port)
  })

  test('a server that is no copy is not read, and the log says so once', async () => {
    const other = postgres({ primary: address, replicas: [`${address}?application_name=other`] })
    const errors: unknown[] = []
    const log = { logError: (error: unknown) => void errors.push(error), logWarning: () => {} }
    try {
      const read = () =>
        runInContext({ log }, async () => (await other.reads()?.executor?.run({ text: 'select 1' }, []))?.rows)
      await expect.poll(async () => [await read(), errors.length]).toEqual([[['1']], 1])
      for (let i = 0; i < 3; i++) await read()
      expect(errors.map(String)).toEqual(['ConfigError: postgres.replicas[0]: server: is no standby; it is not read'])
    } finally {
      await other.close()
    }
  })
})

describe('is a ConfigError at start:', () => {
  const [one, two] = ['postgres://db-1/shop', 'postgres://db-2/shop']
  test.each([
    [{ replicas: [one] }, 'postgres: primary: is required: the server that takes the writes'],
    [{ primary: one }, 'postgres: replicas: must be a list of addresses, such as ["postgres://db-2/shop"]'],
    [
      { primary: one, replicas: two },
      'postgres: replicas: must be a list of addresses, such as ["postgres://db-2/shop"]',
    ],
    [{ primary: one, replicas: [two, two] }, 'postgres: replicas[1]: is listed already; each server is named once'],
    [{ primary: one, replicas: [one] }, 'postgres: replicas[0]: is listed already; each server is named once'],
    [
      { primary: one, replicas: [two, ''] },
      'postgres.replicas[1]: url: is required, such as "postgres://user:password@localhost/shop"',
    ],
    [{ primary: {}, replicas: [] }, 'postgres.primary: host: the configuration needs a "host" or a "connectionString"'],
    [{ primary: one, replica: [two] }, 'postgres: replica: unknown option; did you mean "replicas"?'],
  ])('%j', (servers, message) => {
    expect(() => postgres(servers as unknown as PostgresServers)).toThrow(message)
  })
})
