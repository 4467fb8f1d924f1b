import { transaction } from 'viewset'
import { sqlite } from 'viewset/sqlite'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useActions } from '../support/actions.ts'
import { administer, configure } from '../support/administer.ts'
import { useApi } from '../support/api.ts'
import { sqliteDialect, type TestDialect } from '../support/dialects.ts'
import { expectUnavailable } from '../support/expect.ts'
import { models } from '../support/models.ts'
import { ownPostgres } from '../support/own-postgres.ts'
import { authorResources, seedAuthors, storedAuthors, WRITES } from '../support/write-paths.ts'

describe('sqlite: a file that may not grow', () => {
  const dialect: TestDialect = { ...sqliteDialect, open: path => sqlite(path) }
  const tables = models(dialect.kit)
  const { api, run, create, names } = useActions(dialect)
  const other = useApi(dialect, { tables, resources: authorResources(tables) })

  /** Runs statements on the connection that writes. */
  async function onWriter({ database }: typeof api, ...statements: readonly string[]): Promise<void> {
    const connection = await database.driver.begin()
    for (const text of statements) await connection.run({ text }, [])
    await connection.commit()
  }
  const events = ['insert', 'update', 'delete'] as const
  /** From now on the file stays as large as it is, and what is written to authors needs more. */
  const fill = (of: typeof api) =>
    onWriter(
      of,
      'create table if not exists ballast (bytes blob)',
      ...events.map(
        event =>
          `create trigger grow_${event} after ${event} on authors begin insert into ballast values (zeroblob(1000000)); end`,
      ),
      'pragma max_page_count = 1',
    )
  const empty = (of: typeof api) =>
    onWriter(of, 'pragma max_page_count = 1000000', ...events.map(event => `drop trigger if exists grow_${event}`))

  test.each(WRITES)('%s is 503, stores nothing, and works again', async (_, status, write) => {
    await empty(other)
    await seedAuthors(other, tables)
    const before = await storedAuthors(other)
    await fill(other)
    expectUnavailable(await write(other))
    expect(await storedAuthors(other)).toEqual(before)
    expect((await other.get('/authors/')).status).toBe(200)
    await empty(other)
    expect((await write(other)).status).toBe(status)
  })

  test('what a savepoint could not store ends the whole transaction, which SQLite has undone', async () => {
    await fill(api)
    const response = await run(async () => {
      await transaction(() => create('inside')).catch(() => null)
      await create('after')
      return 'stored'
    })
    expectUnavailable(response)
    await empty(api)
    expect(await names()).toEqual([])
  })
})

describe('pg: a server without room for a temporary file', () => {
  const dialect = ownPostgres()
  const tables = models(dialect.kit)
  const api = useApi(dialect, { tables, resources: authorResources(tables) })
  beforeAll(() => configure(dialect.url, { temp_file_limit: '0', work_mem: '64kB' }))
  beforeEach(() => expect.poll(async () => (await api.get('/authors/')).status).toBe(200))

  test('a list that it cannot sort is 503, and others are answered', async () => {
    await administer(
      dialect.url,
      'set temp_file_limit = -1',
      `insert into authors (id, name) select gen_random_uuid(), left(gen_random_uuid()::text, 20) from generate_series(1, 20000)`,
    )
    expectUnavailable(await api.get('/authors/?ordering=name&paginated=false'))
    expect((await api.get('/authors/')).status).toBe(200)
  })
})
