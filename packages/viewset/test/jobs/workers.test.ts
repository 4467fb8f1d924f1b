import { AllowAny, BaseModelSerializer, type ColumnKit, compose, FileImportMixin, importModel } from 'viewset'
import { createHandler, type FetchHandler } from 'viewset/fetch'
import { postgres } from 'viewset/pg'
import { sqlite } from 'viewset/sqlite'
import { afterEach, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { describeDialects } from '../support/dialects.ts'
import { useDatabase } from '../support/imports.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'

const models = (c: ColumnKit) => ({
  towns: c.table('towns', { ...c.BaseModelMixin(), name: c.text(30).notNull().unique() }),
  ...c.JobTables(),
})
const Imports = compose(FileImportMixin)
const NAMES = Array.from({ length: 30 }, (_, i) => `Town ${i}`)

describeDialects('two workers', dialect => {
  const tables = models(dialect.kit)
  const { towns, jobs, jobErrors } = tables
  const db = useDatabase(dialect, tables)
  const files = new MemoryJobFiles()
  const closes: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closes.splice(0)) await close()
  })

  /** A worker with connections of its own. */
  class Worker {
    readonly queue = new ManualQueue()
    /** What it does at a row. */
    atRow: (name: string) => void = () => {}
    readonly #handler: FetchHandler

    constructor() {
      const database = dialect.name === 'pg' ? postgres(db.url) : sqlite(db.url)
      const resource = Imports({
        model: towns,
        serializer: BaseModelSerializer(towns, { fields: ['id'] }),
        permissionClasses: [AllowAny],
        importFileConfig: {
          fileFormat: 'csv',
          chunkSize: 3,
          order: ['towns'],
          models: { towns: importModel({ model: towns, fields: ['name'], uniqueFields: ['name'] }) },
          prepareRow: row => {
            this.atRow(String(row.name))
            return row
          },
        },
      })
      const resources = { towns: resource }
      this.#handler = createHandler({
        database,
        resources,
        settings: { JOBS: { ANONYMOUS: true } },
        jobs: { tables: { jobs, jobErrors }, queue: this.queue, files },
      })
      closes.push(async () => {
        await this.#handler.close()
        await database.close()
      })
    }

    async ask(): Promise<string> {
      const body = new FormData()
      body.set('file', new Blob([['name', ...NAMES].join('\n')]), 'towns.csv')
      body.set('append_data', 'true')
      return (await this.#data('/towns/import-from-file/?background=true', { method: 'POST', body })).id
    }

    job(id: string): Promise<JobData> {
      return this.#data(`/jobs/${id}/`)
    }

    async run(id: string): Promise<void> {
      await this.#handler.ready()
      await this.queue.run(id)
    }

    async #data(path: string, init?: RequestInit): Promise<JobData> {
      const response = await this.#handler(new Request(`http://localhost${path}`, init))
      return ((await response.json()) as { readonly data: JobData }).data
    }
  }
  test('that are handed one job at the same time: one runs it', async () => {
    const [a, b] = [new Worker(), new Worker()]
    let begun = 0
    for (const worker of [a, b]) {
      worker.atRow = name => {
        if (name === NAMES[0]) begun++
      }
    }
    for (let round = 1; round <= 10; round++) {
      const id = await a.ask()
      await Promise.all([a.run(id), b.run(id), a.run(id), b.run(id)])
      expect(begun).toBe(round)
      expect(await b.job(id)).toMatchObject({ state: 'succeeded', attempts: 1, progress: { processed: NAMES.length } })
    }
  })

  test.each([0, 1, 2, 10, 17, 29])(
    'of which one has lost its job at row %i: it stores nothing more of it',
    async row => {
      const [lost, next] = [new Worker(), new Worker()]
      const id = await lost.ask()
      let takenOver: Promise<void> | undefined
      lost.atRow = name => {
        if (name !== NAMES[row] || takenOver) return
        // As one of another machine that has not been heard of for a long time. It does not wait: on SQLite, the worker
        // that has the job is the only one that writes.
        const forgotten = `update viewset_jobs set worker = '00000000-1-1-x', worker_seen_at = null where id = '${id}'`
        takenOver = db.run(forgotten).then(() => next.run(id))
      }
      await lost.run(id)
      await takenOver
      const { state, attempts, progress } = await next.job(id)
      expect({ state, attempts, progress }).toMatchObject({
        state: 'succeeded',
        progress: { processed: NAMES.length, created: NAMES.length, updated: 0, failed: 0 },
      })
      // Unless it was at its end already.
      expect(attempts).toBeLessThanOrEqual(2)
      expect((await db.rows('towns', 'name')).length).toBe(NAMES.length)
    },
  )

  test('of which one has ended before it heard that its job is cancelled: the other one does nothing more', async () => {
    const worker = new Worker()
    const id = await worker.ask()
    await db.run(`update viewset_jobs set state = 'running', worker = '00000000-1-1-x', is_cancel_requested = true`)
    await worker.run(id)
    expect(await worker.job(id)).toMatchObject({ state: 'cancelled', message: 'Cancelled. Nothing was stored.' })
    expect(await db.rows('towns', 'name')).toEqual([])
  })
})
