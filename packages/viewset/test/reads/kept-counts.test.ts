import { default as Sqlite } from 'better-sqlite3'
import { and, eq, gt, lt, type SQL, sql } from 'drizzle-orm'
import { Client } from 'pg'
import {
  AllowAny,
  BaseModelSerializer,
  boundedCount,
  createRecord,
  currentDb,
  Database,
  QuerySet,
  ReadOnlyViewSet,
  StandardPageNumberPagination,
  userValue,
} from 'viewset'
import { postgres } from 'viewset/pg'
import { sqlite } from 'viewset/sqlite'
import { describe, expect, test } from 'vitest'
import { pgVersions } from '../../src/store/dialect/pg-versions.ts'
import { administer } from '../support/administer.ts'
import { useApi } from '../support/api.ts'
import { countsOf, describeVersions, untilKept } from '../support/kept-counts.ts'
import { models } from '../support/models.ts'
import { authorResources, seedAuthors, WRITES } from '../support/write-paths.ts'

class Bounded extends StandardPageNumberPagination {
  override readonly countStrategy = boundedCount({ limit: 4 })
}

describeVersions('a kept count', dialect => {
  const { kit: c } = dialect
  const isPg = dialect.name === 'pg'
  const groups = c.table('groups', { id: c.integer().primaryKey(), name: c.text(20).notNull() })
  const notes = c.table('notes', {
    id: c.integer().primaryKey(),
    text: c.text(50).notNull(),
    owner: c.text(20).notNull().default('ann'),
    at: c.timestamp(),
    group: c.foreignKey(groups),
  })
  const tables = { groups, notes }
  const common = {
    model: notes,
    serializer: BaseModelSerializer(notes, { fields: ['id', 'text'] }),
    permissionClasses: [AllowAny],
  } as const
  let url = ''
  const open = (address: string) => (isPg ? postgres(address) : sqlite(address, { synchronous: 'normal' }))
  const api = useApi(
    {
      name: dialect.name,
      kit: c,
      get server() {
        return dialect.server
      },
      open: address => {
        url = address
        return open(address)
      },
    },
    {
      tables,
      users: { ann: { id: 'ann' }, bob: { id: 'bob' } },
      resources: {
        notes: ReadOnlyViewSet({
          ...common,
          filterFields: {
            text: ['exact', 'in', 'iexact', 'icontains', 'contains', 'startswith', 'iendswith'],
            id: ['lt', 'range'],
            at: ['date', 'year', 'month', 'quarter', 'isnull'],
            group__name: ['exact', 'isnull'],
          },
          searchFields: ['text', 'group__name'],
        }),
        mine: ReadOnlyViewSet({
          ...common,
          queryset: () => sql`${notes.owner} = ${userValue(user => user?.id ?? null)}`,
        }),
        bounded: ReadOnlyViewSet({ ...common, paginationClass: Bounded }),
      },
    },
  )
  const note = (id: number, more: { text?: string; owner?: string; group?: number } = {}) => ({
    id,
    text: `Note ${id}`,
    ...more,
  })
  const write = (...rows: ReturnType<typeof note>[]) =>
    api.database.transaction(async () => void (await currentDb().insert(notes).values(rows)))
  const count = async (path = '/notes/', as?: string) => (await api.get(path, { ...(as && { as }) })).envelope().count
  const all = () => QuerySet.of(api.database, notes)
  const counts = (fn: () => Promise<unknown>) => countsOf(api.database, fn)
  /** Statements on a connection that knows nothing of the API. */
  const elsewhere = async (...statements: readonly string[]) => {
    if (isPg) return administer(url, ...statements)
    const handle = new Sqlite(url)
    for (const text of statements) handle.exec(text)
    handle.close()
    return []
  }
  const keep = (read: () => Promise<unknown>) => untilKept(api.database, read)

  test('is read once, however many pages and requests there are', async () => {
    await write(note(1), note(2), note(3))
    const read = () =>
      Promise.all([1, 2, 3].map(async page => expect(await count(`/notes/?page_size=1&page=${page}`)).toBe(3)))
    expect(
      await counts(async () => {
        for (let i = 0; i < 10; i++) await read()
      }),
    ).toBeLessThanOrEqual(2)
  })

  test('adds no statement to a list', async () => {
    await write(note(1))
    await keep(() => count())
    const statements = await api.statementsOf(() => count(), { keptCounts: true })
    expect(statements).toHaveLength(isPg ? 2 : 1)
  })

  test.each([
    'text=Note+1',
    'text__ne=Note+1',
    'text__in=Note+1,Note+2',
    'text__iexact=note+1',
    'text__icontains=NOTE',
    'text__contains=unknown',
    'text__startswith=No',
    'text__iendswith=1',
    'id__lt=3',
    'id__range=1,2',
    'at__isnull=true',
    'at__date=2026-01-15',
    'at__year=2026',
    'at__month=1',
    'at__quarter=1',
    'group__name=a',
    'group__name__isnull=true',
    'or=(text=Note+1,and(id__lt=3,not(group__name=a)))',
    'search=note+a',
  ])('is kept for the filter %s', async filter => {
    await write(note(1), note(2))
    await keep(() => count(`/notes/?${filter}`))
  })

  test('is of one set of values: others have their own', async () => {
    await write(note(1), note(2), note(3, { text: 'Note 1' }))
    for (let round = 0; round < 3; round++) {
      expect(await count('/notes/?text=Note+1')).toBe(2)
      expect(await count('/notes/?text=Note+2')).toBe(1)
      expect(await count('/notes/?text=Note+4')).toBe(0)
      expect(await count('/notes/?id__lt=2')).toBe(1)
      expect(await count('/notes/?id__lt=3')).toBe(2)
    }
  })

  test('is of one user, where rows are', async () => {
    await write(note(1), note(2, { owner: 'bob' }), note(3, { owner: 'bob' }))
    for (let round = 0; round < 3; round++) {
      expect(await count('/mine/', 'ann')).toBe(1)
      expect(await count('/mine/', 'bob')).toBe(2)
      expect(await count('/mine/')).toBe(0)
    }
  })

  test.each<readonly [string, readonly string[], number]>([
    ['a write', [`insert into notes (id, text, owner) values (9, 'x', 'ann')`], 3],
    ['a delete', ['delete from notes where id = 1'], 1],
    ['an update that moves rows out of the filter', [`update notes set owner = 'bob' where id = 1`], 1],
    ['a transaction', ['begin', 'delete from notes where id = 1', 'delete from notes where id = 2', 'commit'], 0],
    ['a transaction that is rolled back', ['begin', 'delete from notes', 'rollback'], 2],
    [
      'a savepoint that is rolled back',
      ['begin', 'savepoint a', 'delete from notes', 'rollback to a', 'delete from notes where id = 2', 'commit'],
      1,
    ],
    [
      'a table that is made anew',
      [
        'alter table notes rename to old',
        `create table notes as select id, text, 'ann' as owner from old where id = 1`,
        'drop table notes',
        'alter table old rename to notes',
      ],
      2,
    ],
  ])('is right after %s of another program', async (_, statements, expected) => {
    await write(note(1), note(2))
    const read = () => count('/mine/', 'ann')
    await keep(read)
    await elsewhere(...statements)
    for (let round = 0; round < 4; round++) expect(await read()).toBe(expected)
  })

  test('is right after a trigger has written', async () => {
    await write(note(1))
    await keep(() => count())
    const [make, drop] = isPg
      ? [
          [
            `create function copy() returns trigger language plpgsql as
              $$ begin insert into notes (id, text) values (new.id + 100, 'copy'); return null; end $$`,
            'create trigger copies after insert on groups for each row execute function copy()',
          ],
          ['drop trigger copies on groups', 'drop function copy'],
        ]
      : [
          [
            `create trigger copies after insert on groups begin insert into notes (id, text) values (new.id + 100, 'copy'); end`,
          ],
          ['drop trigger copies'],
        ]
    await elsewhere(...make)
    await api.database.use(() => currentDb().insert(groups).values({ id: 1, name: 'a' }))
    expect(await count()).toBe(2)
    await elsewhere(...drop)
  })

  test('is not asked for in a transaction, which sees its own writes, nor kept from one', async () => {
    await write(note(1))
    await keep(() => all().count())
    await api.database
      .transaction(async () => {
        expect(await all().count()).toBe(1)
        await createRecord(notes, note(2))
        expect(await all().count()).toBe(2)
        await api.database
          .transaction(async () => {
            await createRecord(notes, note(3))
            expect(await all().count()).toBe(3)
            throw new Error('the savepoint is undone')
          })
          .catch(() => {})
        expect(await all().count()).toBe(2)
        // Others do not see it.
        expect(await count()).toBe(1)
        throw new Error('all is undone')
      })
      .catch(() => {})
    expect(await all().count()).toBe(1)
  })

  test('is not asked for in a transaction of the application', async () => {
    await write(note(1))
    await keep(() => all().count())
    if (isPg) {
      const client = new Client({ connectionString: url })
      await client.connect()
      await client.query('begin; delete from notes')
      expect(await api.database.withTransaction(client, () => all().count())).toBe(0)
      expect(await all().count()).toBe(1)
      await client.query('rollback')
      await client.end()
    } else {
      const handle = new Sqlite(url)
      handle.exec('begin immediate; delete from notes')
      expect(await api.database.withTransaction(handle, () => all().count())).toBe(0)
      expect(await all().count()).toBe(1)
      handle.exec('rollback')
      handle.close()
    }
    // A rolled back transaction has had a number on PostgreSQL.
    expect(await counts(() => all().count())).toBe(isPg ? 1 : 0)
  })

  test('is one for all APIs of a database, and none of another database', async () => {
    await write(note(1))
    await keep(() => all().count())
    const other = new Database(open(url).driver)
    await other.transaction(async () => void (await QuerySet.of(other, notes).delete()))
    expect(await all().count()).toBe(0)
    await keep(() => QuerySet.of(other, notes).count())
    await write(note(2), note(3))
    expect(await QuerySet.of(other, notes).count()).toBe(2)
    await other.close()
  })

  if (isPg) {
    test('has the name of the database in its version: a pool may lead to another one of the server', async () => {
      const text = `select version, current_database() from (${pgVersions.statement('select 1')}) as counted`
      const { rows } = await api.database.driver.run({ text }, [''])
      const [version, name] = rows[0] ?? []
      expect(String(version).split(' ')).toContain(String(name))
    })
  }

  const time = isPg ? sql`now()` : sql`datetime('now')`
  const chance = isPg ? sql`random()` : sql`abs(random()) / 9223372036854775807.0`
  test.each<readonly [string, SQL]>([
    ['the time', sql`${notes.at} < ${time}`],
    ['the time as a word', sql`${notes.at} < current_timestamp`],
    ['chance', sql`${chance} < 0.5`],
    ['a subquery with the time', sql`${notes.id} in (select ${notes.id} from ${notes} where ${notes.at} < ${time})`],
    ['a quoted function', sql`"abs"(${notes.id}) > 0`],
    ['an unquoted name', sql`id > 0`],
    ['a value that a column may read as the time', sql`${notes.text} <> ${'now'}`],
  ])('is not kept if the condition has %s', async (_, condition) => {
    await write(note(1))
    const read = () => all().filter(condition).count()
    for (let round = 0; round < 5; round++) expect(await counts(read)).toBe(1)
  })

  test('is kept for conditions of Drizzle, with tables and columns alone', async () => {
    await write(note(1), note(2))
    const condition = and(
      gt(notes.id, 0),
      lt(notes.id, 9),
      sql`exists (select 1 from ${notes} where ${eq(notes.owner, 'ann')})`,
    )
    await keep(() => all().filter(condition).count())
  })

  test('has the limit of a bounded count, and is exact up to it', async () => {
    await write(note(1), note(2), note(3))
    await keep(() => count('/bounded/'))
    await write(note(4))
    expect(await count('/bounded/')).toBe(4)
    await keep(() => count('/bounded/'))
  })

  test('of a view is read each time', async () => {
    await elsewhere('create view shown as select id, text from notes')
    const shown = c.table('shown', { id: c.integer().primaryKey(), text: c.text() })
    await write(note(1))
    const read = () => QuerySet.of(api.database, shown).count()
    const through = () => all().filter(sql`${notes.id} in (select ${shown.id} from ${shown})`).count()
    for (let round = 0; round < 5; round++) {
      expect(await counts(read)).toBeGreaterThan(0)
      expect(await counts(through)).toBeGreaterThan(0)
    }
    await elsewhere('drop view shown')
  })

  test('rests while something is written between all requests, and comes back', async () => {
    const read = () => all().count()
    const compared = async (writes: boolean) => {
      let times = 0
      for (let i = 0; i < 200; i++) {
        if (writes) await write(note(i + 1))
        const counted = async () => expect(await read()).toBe(writes ? i + 1 : 200)
        const statements = await api.statementsOf(counted, { keptCounts: true })
        times += statements.filter(text => (isPg ? text.includes('version') : true)).length
      }
      return times
    }
    const whileWritten = await compared(true)
    if (isPg) expect(whileWritten).toBeLessThan(20)
    expect(await counts(() => compared(false))).toBeLessThan(70)
    await keep(read)
  })

  test('is one of a thousand', async () => {
    await write(note(1))
    for (let i = 0; i < 1_100; i++) await all().filter(gt(notes.id, -i)).count()
    expect(await counts(() => all().filter(gt(notes.id, 0)).count())).toBe(1)
    await keep(() => all().filter(gt(notes.id, -1_099)).count())
    const long = () =>
      all()
        .filter(sql`${notes.text} <> ${'x'.repeat(20_000)}`)
        .count()
    for (let round = 0; round < 4; round++) expect(await counts(long)).toBe(1)
  })

  describe('beside every way to write', () => {
    const tables = models(dialect.kit)
    const api = useApi(dialect, { tables, resources: authorResources(tables) })
    const count = async () => (await api.get('/authors/')).envelope().count

    test.each(WRITES)('the count of a list is right after %s, and kept until then', async (_, status, write) => {
      await seedAuthors(api, tables)
      await untilKept(api.database, async () => expect(await count()).toBe(3))
      expect((await write(api)).status).toBe(status)
      for (let round = 0; round < 3; round++) expect(await count()).toBe((await api.rows('authors')).length)
    })
  })
})
