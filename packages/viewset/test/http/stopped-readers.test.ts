import { statSync } from 'node:fs'
import { AllowAny, BaseModelSerializer, BaseViewSet, insertMany } from 'viewset'
import { kit } from 'viewset/sqlite'
import { createTestDatabase } from 'viewset/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { SqliteConnection } from '../../src/store/dialect/sqlite-connection.ts'
import { TestApi, useApi } from '../support/api.ts'
import { CountingDriver } from '../support/counting-driver.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError } from '../support/expect.ts'
import { models } from '../support/models.ts'
import { notesTable } from '../support/notes.ts'
import type { RawConnection } from '../support/raw-http.ts'
import { stopReaders } from '../support/stopped-readers.ts'

const ROWS = 2_000
/** Characters of each row: all rows are 20 MB, which no buffer of the network takes. */
const WIDTH = 10_000
describeOneDialect('clients that do not read what they asked for', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const settings = { COMMON: { STALL_TIMEOUT: 600_000 } }
  const authorRows = BaseViewSet({
    model: authors,
    serializer: BaseModelSerializer(authors, { fields: ['id', 'name'], extra: { filler: () => 'x'.repeat(WIDTH) } }),
    permissionClasses: [AllowAny],
  })
  const common = { tables, resources: { authors: authorRows } }
  const api = useApi(dialect, { ...common, settings })
  const hasty = useApi(dialect, { ...common, settings: { COMMON: { STALL_TIMEOUT: 1_500 } } })

  const opened: RawConnection[] = []
  afterEach(async () => {
    for (const { socket } of opened) socket.destroy()
    await Promise.all(opened.splice(0).map(({ closed }) => closed))
  })

  async function store({ database }: TestApi): Promise<void> {
    const rows = Array.from({ length: ROWS }, (_, i) => ({ name: `a${i}` }))
    await database.transaction(() => insertMany(authors, rows))
  }

  async function stop(api: TestApi, count: number): Promise<RawConnection[]> {
    const readers = await stopReaders(api, count)
    opened.push(...readers)
    return readers
  }

  // What they cost in memory is measured in test/long/stopped-readers.test.ts.
  test('leave the answers of others as they were', async () => {
    await store(api)
    const { maxStreams } = api.database.driver
    await stop(api, maxStreams + 2)
    await expect.poll(() => streamsOf(api)).toBe(maxStreams)
    for (let i = 0; i < 3; i++) {
      expect((await api.get('/authors/?page_size=2')).status).toBe(200)
      expect((await api.post('/authors/', { name: 'new' })).status).toBe(201)
    }
    // What cannot be read now is not read later either: nobody stands in line for ever.
    const [refused, noFile] = await Promise.all([
      api.get('/authors/?paginated=false'),
      api.post('/authors/export/', { file_type: 'csv' }),
    ])
    expectError(refused, 503, 'Other long lists and exports are running. Please try again.')
    expect(refused.headers['retry-after']).toBe('5')
    expect(noFile.status).toBe(503)
  })

  test('lose their connection, and what was held for them is given back', async () => {
    await store(hasty)
    const readers = await stop(hasty, 6)
    const open = async () => {
      const connections = hasty.server.getConnections.bind(hasty.server)
      return new Promise<number>((resolve, reject) => connections((error, n) => (error ? reject(error) : resolve(n))))
    }
    await expect.poll(open).toBe(0)
    for (const { socket } of readers) socket.resume()
    await Promise.all(readers.map(({ closed }) => closed))
    expect((await hasty.get('/authors/?paginated=false')).data()).toHaveLength(ROWS)
    expect((await hasty.post('/authors/export/', { file_type: 'csv' })).status).toBe(200)
  })

  test('that read slowly, but read, get all of it', async () => {
    await store(hasty)
    const [reader] = await stop(hasty, 1)
    if (!reader) throw new Error('There is no reader.')
    // A sip after each pause, which is much shorter than the limit. All pauses together are longer.
    let sip = 0
    let total = 0
    reader.socket.on('data', (text: string) => {
      sip += text.length
      total += text.length
      if (sip > 1_000_000) reader.socket.pause()
    })
    const sips = setInterval(() => {
      sip = 0
      reader.socket.resume()
    }, 100)
    await expect.poll(() => total).toBeGreaterThan(ROWS * WIDTH)
    clearInterval(sips)
  })

  test('do not keep a server from closing', async () => {
    const own = await TestApi.start(dialect, { ...common, settings: { COMMON: { STALL_TIMEOUT: 300 } } })
    await store(own)
    await stop(own, 4)
    await expect.poll(() => streamsOf(own)).toBeGreaterThan(1)
    await own.close()
  })
})

/** Reads the rows of an export; a list is short as far as is known when it is asked for. */
const isStream = (text: string) => / from "authors"/.test(text) && !/limit|count/.test(text)

/** How many have begun. */
function streamsOf({ database: { driver } }: TestApi): number {
  return driver instanceof CountingDriver ? driver.statements.filter(isStream).length : 0
}

test('a reader that stops does not let the log of SQLite grow for good', async () => {
  const notes = notesTable(kit)
  const { database, url, drop } = await createTestDatabase({ schema: { notes } })
  const log = () => statSync(`${url}-wal`).size / 1024 ** 2
  const text = 'x'.repeat(1024 ** 2)
  const write = (megabytes: number) =>
    database.transaction(() =>
      insertMany(
        notes,
        Array.from({ length: megabytes }, () => ({ text })),
      ),
    )
  try {
    await write(3)
    const rows = database.stream({ text: 'select id from notes' }, [], 1)[Symbol.asyncIterator]()
    await rows.next()
    for (let i = 0; i < 3; i++) await write(10)
    expect(log()).toBeGreaterThan(30)
    const ofProcess = vi.spyOn(SqliteConnection.prototype, 'pragma')
    await rows.return?.(undefined)
    // Nobody has to write for that, and nobody is held up by it.
    await expect.poll(log).toBe(0)
    expect(ofProcess).not.toHaveBeenCalled()
    ofProcess.mockRestore()
  } finally {
    await drop()
  }
})
