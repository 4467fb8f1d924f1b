import { Client } from 'pg'
import { currentDb } from 'viewset'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useActions } from '../support/actions.ts'
import { administer, configure } from '../support/administer.ts'
import { type TestApi, type TestResponse, useApi } from '../support/api.ts'
import { expectUnavailable, uuid } from '../support/expect.ts'
import { models } from '../support/models.ts'
import { ownPostgres } from '../support/own-postgres.ts'
import { authorResources, seedAuthors, storedAuthors, WRITES } from '../support/write-paths.ts'

const POOL = 2

const READS: readonly (readonly [label: string, read: (api: TestApi) => Promise<TestResponse>])[] = [
  ['a list', api => api.get('/authors/')],
  ['an unpaginated list', api => api.get('/authors/?paginated=false')],
  ['a retrieve', api => api.get(`/authors/${uuid(1)}/`)],
  ['an export', api => api.post('/authors/export/', { file_type: 'csv' })],
]

describe.each([
  ['a statement that takes too long', { statementTimeout: 150 }, {}],
  ['a lock that is not given in time', {}, { lock_timeout: '150ms' }],
] as const)('pg: %s', (_, options, settings) => {
  const dialect = ownPostgres({ poolSize: POOL, ...options })
  const tables = models(dialect.kit)
  const api = useApi(dialect, { tables, resources: authorResources(tables) })
  // Connections that were ended may still be in the pool.
  const works = async () => {
    const statuses = async () => {
      const answers = await Promise.all(Array.from({ length: POOL * 2 }, () => api.get('/authors/')))
      return answers.map(({ status }) => status)
    }
    await expect.poll(statuses).toEqual(Array(POOL * 2).fill(200))
  }
  beforeAll(async () => {
    await configure(dialect.url, settings)
    await works()
  })
  let other: Client
  beforeEach(async () => {
    await works()
    await seedAuthors(api, tables)
    other = new Client({ connectionString: dialect.url })
    await other.connect()
  })
  afterEach(() => other.end())

  /** Asks while somebody else holds a lock, more often than there are connections. */
  async function askBehind(lock: string, ask: (api: TestApi) => Promise<TestResponse>): Promise<void> {
    await other.query(`begin; set local lock_timeout = 0; ${lock}`)
    for (const response of await Promise.all(Array.from({ length: POOL * 2 }, () => ask(api)))) {
      expectUnavailable(response)
    }
    await other.query('rollback')
    const open = `select count(*)::int from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`
    await expect.poll(() => administer(dialect.url, open)).toEqual([[0]])
  }

  test.each(READS)('%s is 503, and works again', async (_label, read) => {
    await askBehind('lock table authors in access exclusive mode', read)
    expect((await read(api)).status).toBe(200)
  })

  test.each(WRITES)('%s is 503, stores nothing, and works again', async (_label, status, write) => {
    const before = await storedAuthors(api)
    await askBehind('lock table authors in share mode', write)
    expect(await storedAuthors(api)).toEqual(before)
    expect((await write(api)).status).toBe(status)
  })
})

describe('pg: a transaction that the server ends', () => {
  const dialect = ownPostgres({ poolSize: POOL, idleTransactionTimeout: 500 })
  const { api, tables, run } = useActions(dialect)
  const works = () => expect.poll(async () => (await api.post('/authors/', { name: 'A' })).status).toBe(201)
  const names = async () => (await api.rows('authors')).flat().filter(value => value === 'Ada')

  test('because it takes too long is 503, and stores nothing', async () => {
    await configure(dialect.url, { transaction_timeout: '300ms' })
    await works()
    const response = await run(async () => {
      await currentDb().insert(tables.authors).values({ name: 'Ada' })
      await currentDb().execute('select pg_sleep(10)')
    })
    expectUnavailable(response)
    await configure(dialect.url, { transaction_timeout: '0' })
    await works()
    expect(await names()).toEqual([])
  })

  test('because it is idle for too long is 503, and stores nothing', async () => {
    await works()
    const response = await run(async () => {
      // The driver sets one of its own, which is longer.
      await currentDb().execute(`set local idle_in_transaction_session_timeout = '100ms'`)
      await currentDb().insert(tables.authors).values({ name: 'Ada' })
      const open = `select count(*)::int from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`
      await expect.poll(() => administer(dialect.url, open)).toEqual([[0]])
      await currentDb().insert(tables.authors).values({ name: 'Ada' })
    })
    expectUnavailable(response)
    await works()
    expect(await names()).toEqual([])
  })
})

describe('pg: a server that cannot go on', () => {
  const dialect = ownPostgres()
  const tables = models(dialect.kit)
  const api = useApi(dialect, { tables, resources: authorResources(tables) })
  const refuse = (body: string) =>
    administer(
      dialect.url,
      `create or replace function refuse() returns trigger language plpgsql as $$ begin ${body} return null; end $$`,
      'create or replace trigger refuse after insert or update or delete on authors for each statement execute function refuse()',
    )

  test.each([
    ['is out of memory', '53200'],
    ['has no room on its disk', '53100'],
    ['fails to read its disk', '58030'],
    ['meets a limit of its own', '53400'],
    ['may only be read, as a standby', '25006'],
  ])('because it %s is 503 on every way to write, stores nothing, and works again', async (_, code) => {
    await refuse('')
    for (const [label, status, write] of WRITES) {
      await api.clear()
      await seedAuthors(api, tables)
      const before = await storedAuthors(api)
      await refuse(`raise exception 'secret of the server' using errcode = '${code}';`)
      expectUnavailable(await write(api))
      await refuse('')
      expect(await storedAuthors(api), label).toEqual(before)
      expect((await write(api)).status, label).toBe(status)
    }
  })
})
