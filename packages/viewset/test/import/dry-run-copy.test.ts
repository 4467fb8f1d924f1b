import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import SqliteDatabase from 'better-sqlite3'
import { AllowAny, BaseModelSerializer, BulkImportableViewSet, importModel, insertMany } from 'viewset'
import { sqlite } from 'viewset/sqlite'
import { describe, expect, test } from 'vitest'
import { copyDatabase } from '../../src/store/dialect/sqlite-dry-runs.ts'
import { SqliteReads } from '../../src/store/dialect/sqlite-reads.ts'
import { useApi } from '../support/api.ts'
import { sqliteDialect, type TestDialect } from '../support/dialects.ts'
import { models } from '../support/models.ts'
import { form } from '../support/multipart.ts'

describe('sqlite: a dry run that takes long', () => {
  const tables = models(sqliteDialect.kit)
  const { authors } = tables
  let path = ''
  /** A dry run has a fifth of the time for itself, then it goes on in a copy. */
  const waitingFor = (busyTimeout: number): TestDialect => ({
    ...sqliteDialect,
    open: address => {
      path = address
      return sqlite(address, { busyTimeout })
    },
  })
  const options = {
    tables,
    resources: {
      authors: BulkImportableViewSet({
        model: authors,
        serializer: BaseModelSerializer(authors, { fields: ['id', 'name', 'email'] }),
        permissionClasses: [AllowAny],
        importFileConfig: {
          fileFormat: 'csv',
          order: ['authors'],
          models: { authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
        },
      }),
    },
  } as const
  const patient = useApi(waitingFor(60_000), options)
  const hurried = useApi(waitingFor(500), options)

  const STORED = Array.from({ length: 500 }, (_, n) => ({ name: `a${n}`, email: `${n}@x` }))
  /** Some are stored, some twice in the file, some have no name. */
  const file = (rows: number) => {
    const lines = Array.from(
      { length: rows },
      (_, n) => `${n % 50 === 0 ? '' : `b${n}`},${n % 40 === 0 ? n >> 1 : n}@x`,
    )
    return ['name,email', ...lines, ''].join('\n')
  }
  const dryRun = async (api: typeof hurried, rows: number, append = 'true') => {
    const sent = form(
      { name: 'file', filename: 'authors.csv', content: file(rows) },
      ...Object.entries({ append_data: append, dry_run: 'true', diff: 'true' }).map(([name, value]) => ({
        name,
        value,
      })),
    )
    const { status, text } = await api.request('POST', '/authors/import-from-file/', sent)
    return { status, text: text.replace(/(?<="timestamp":")[^"]*/, '').replace(/(?<=")[0-9a-f-]{36}(?=")/g, '') }
  }

  test.each(['true', 'false'])('reports what it would without a copy (append_data=%s)', async append => {
    for (const { database } of [patient, hurried]) await database.transaction(() => insertMany(authors, STORED))
    const [alone, copied] = [await dryRun(patient, 8_000, append), await dryRun(hurried, 8_000, append)]
    expect(copied).toEqual(alone)
    // Those without a name fail.
    expect(alone.status).toBe(207)
  })

  test('keeps nobody from writing, stores nothing and leaves nothing behind', async () => {
    await hurried.database.transaction(() => insertMany(authors, STORED))
    let isOver = false
    const running = dryRun(hurried, 40_000).finally(() => {
      isOver = true
    })
    let created = 0
    while (!isOver) {
      const { status } = await hurried.post('/authors/', { name: 'new', email: `new${created}@x` })
      expect(status).toBe(201)
      created++
    }
    expect(JSON.parse((await running).text).data).toMatchObject({ processed: 40_000 })
    expect(created).toBeGreaterThan(5)
    expect(await hurried.rows('authors')).toHaveLength(STORED.length + created)
    expect((await readdir(dirname(path))).filter(name => name.includes('dry-run'))).toEqual([])
  })
})

test('a copy of an SQLite database is one state of it, whoever writes and moves the log meanwhile', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'viewset-copy-'))
  const path = join(folder, 'a.db')
  // A checkpoint does not wait for who reads.
  const writer = new SqliteDatabase(path, { timeout: 0 })
  writer.pragma('journal_mode = wal')
  writer.exec(`
    create table a (id integer primary key, n integer, filler text);
    create table b (id integer primary key, n integer, filler text);
    with recursive r(n) as (select 1 union all select n + 1 from r where n < 700)
      insert into a select n, 0, hex(randomblob(400)) from r;
    insert into b select * from a;`)
  const settings = { busyTimeout: 1_000, synchronous: 'normal', readerThreads: 2, statementTimeout: 30_000 } as const
  const reads = new SqliteReads(path, settings)
  let written = 0
  const write = writer.transaction(() => {
    written++
    for (const table of ['a', 'b']) writer.prepare(`update ${table} set n = n + 1 where id % 7 = ${written % 7}`).run()
  })
  for (let round = 0; round < 6; round++) {
    const before = written
    const copying = copyDatabase(path, settings, file => reads.copyTo(file))
    let isDone = false
    copying.finally(() => {
      isDone = true
    })
    while (!isDone) {
      write()
      writer.pragma(`wal_checkpoint(${round % 2 === 0 ? 'passive' : 'truncate'})`)
      await setImmediate()
    }
    const copy = await copying
    const ask = (text: string) => copy?.connection.run({ text }, []).rows
    expect(ask('pragma integrity_check')).toEqual([['ok']])
    expect(ask('select count(*) from a join b using (id) where a.n is not b.n')).toEqual([[0n]])
    // Each write adds one to the rows of one remainder, so their numbers tell how many there were.
    const sum = Number(ask('select sum(n) from (select max(n) as n from a group by id % 7)')?.[0]?.[0])
    expect(sum).toBeGreaterThanOrEqual(before)
    expect(sum).toBeLessThanOrEqual(written)
    await copy?.remove()
    // The disk has its room back when nobody has the file open any more.
    expect(() => ask('select 1')).toThrow('not open')
  }
  await reads.close()
  writer.close()
  await rm(folder, { recursive: true })
})
