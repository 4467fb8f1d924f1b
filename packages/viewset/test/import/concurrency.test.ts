import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setImmediate } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { AllowAny, BaseModelSerializer, ImportableViewSet, ImportService, importModel } from 'viewset'
import { sqlite } from 'viewset/sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError } from '../support/expect.ts'
import { models } from '../support/models.ts'
import { importForm } from '../support/multipart.ts'
import { workbook } from '../support/workbook.ts'

describeDialects('imports', dialect => {
  const { authors, ...others } = models(dialect.kit)
  const importFileConfig = {
    fileFormat: ['xlsx', 'csv'],
    order: ['authors'],
    models: { authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
  } as const
  const config = {
    model: authors,
    serializer: BaseModelSerializer(authors, { fields: ['id', 'name', 'email'] }),
    permissionClasses: [AllowAny],
    importFileConfig,
  } as const
  let gate = Promise.withResolvers<void>()

  /** Its imports stop before they store anything, until the gate is opened. */
  class Held extends ImportableViewSet(config) {
    override async getImportService() {
      return new ImportService(importFileConfig, { onProgress: () => gate.promise })
    }
  }
  // On SQLite, the second of two imports waits for the first to have written.
  const open =
    dialect.name === 'sqlite' ? (path: string) => sqlite(path, { busyTimeout: 60_000, readerThreads: 0 }) : undefined
  const api = useApi(open ? { ...dialect, open } : dialect, {
    tables: { authors, ...others },
    settings: { COMMON: { IMPORT_CONCURRENCY: 2 } },
    resources: { authors: ImportableViewSet(config), held: Held },
  })

  let threads = 0
  let started = 0
  let most = 0
  const count = (worker: Worker) => {
    started++
    most = Math.max(most, ++threads)
    worker.once('exit', () => threads--)
  }
  beforeAll(() => void process.on('worker', count))
  afterAll(() => void process.off('worker', count))

  const send = async (resource: string, content: string | Uint8Array) =>
    api.request('POST', `/${resource}/import-from-file/`, importForm(content))

  test('are few, each with one thread; the others wait for their turn', async () => {
    const files = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        workbook({
          authors: [
            ['name', 'email'],
            [`a${i}`, `${i}@x`],
          ],
        }),
      ),
    )
    // The database of the test itself may have one for its reads.
    const before = threads
    most = 0
    started = 0
    const responses = await Promise.all(files.map(file => send('authors', file)))
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(201))
    // A thread that has read its workbook before the next import begins reads that one as well.
    expect(most - before).toBeLessThanOrEqual(2)
    expect(started).toBeGreaterThan(0)
    expect(await api.rows('authors')).toHaveLength(8)
  })

  test('start no thread if a thread has read a workbook before', async () => {
    const file = (name: string) =>
      workbook({
        authors: [
          ['name', 'email'],
          [name, `${name}@x`],
        ],
      })
    await send('authors', await file('a'))
    started = 0
    expect((await send('authors', await file('b'))).status).toBe(201)
    const form = importForm(await file('c'))
    expect((await api.request('POST', '/authors/import-preview/', form)).status).toBe(200)
    expect(started).toBe(0)
  })

  test('that too many wait for are 503, with Retry-After', async () => {
    gate = Promise.withResolvers()
    const file = (i: number) => `name,email\na${i},${i}@x\n`
    // Two have their turns until the gate opens, and a hundred wait.
    const sent = Array.from({ length: 105 }, (_, i) => send('held', file(i)))
    const first = await Promise.race(sent.map(refused))
    expectError(first, 503, 'Other imports are running. Please try again later.')
    expect(first.headers['retry-after']).toBe('30')
    gate.resolve()
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    expect(statuses.filter(status => status === 201)).toHaveLength(102)
    expect(statuses.filter(status => status === 503)).toHaveLength(3)
  })

  test('others have their turn between what an import reads and what it stores', async () => {
    let inThisTurn = 0
    let mostInATurn = 0
    let isOver = false
    const turns = async () => {
      for (; !isOver; await setImmediate()) inThisTurn = 0
    }
    const count = () => {
      mostInATurn = Math.max(mostInATurn, ++inThisTurn)
    }
    subscribe('tracing:viewset.statement:start', count)
    const rows = Array.from({ length: 5_000 }, (_, n) => `name ${n},${n}@long`)
    const importing = send('authors', ['name,email', ...rows, ''].join('\n')).finally(() => {
      isOver = true
    })
    const [{ status }] = await Promise.all([importing, turns()])
    unsubscribe('tracing:viewset.statement:start', count)
    expect(status).toBe(201)
    // A batch is looked up by one statement and stored by the next.
    expect(mostInATurn).toBeLessThan(5)
  })
})

/** The answer, if it is none of success; else it is never there. */
async function refused(answer: Promise<TestResponse>): Promise<TestResponse> {
  const response = await answer
  return response.status === 201 ? new Promise(() => {}) : response
}
