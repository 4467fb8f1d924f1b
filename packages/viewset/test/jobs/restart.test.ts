import { AllowAny, BaseModelSerializer, compose, FileImportMixin, importModel } from 'viewset'
import { embeddedQueue, pgBossQueue } from 'viewset/jobs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { TestApi } from '../support/api.ts'
import { pgDialect } from '../support/dialects.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'
import { startPostgresServer } from '../support/postgres-server.ts'

const ROWS = 1_500

describe('PostgreSQL that is restarted during a job', () => {
  let server: Awaited<ReturnType<typeof startPostgresServer>>
  beforeAll(async () => {
    server = await startPostgresServer()
  })
  afterAll(() => server.stop())

  test.each([
    ['embeddedQueue', () => embeddedQueue()],
    ['pgBossQueue', () => pgBossQueue(server.url)],
  ])('delays it, and each row is stored once: %s', async (_name, queue) => {
    const { kit } = pgDialect
    const towns = kit.table('towns', { ...kit.BaseModelMixin(), name: kit.text(30).notNull().unique() })
    const { jobs, jobErrors } = kit.JobTables()
    const dialect = { ...pgDialect, server: { postgres: server.url } }
    const far = Promise.withResolvers<void>()
    const resource = compose(FileImportMixin)({
      model: towns,
      serializer: BaseModelSerializer(towns, { fields: ['id'] }),
      permissionClasses: [AllowAny],
      importFileConfig: {
        fileFormat: 'csv',
        chunkSize: 10,
        order: ['towns'],
        models: { towns: importModel({ model: towns, fields: ['name'], uniqueFields: ['name'] }) },
        prepareRow: row => {
          if (row.name === `Town ${ROWS / 3}`) far.resolve()
          return row
        },
      },
    })
    const api = await TestApi.start(dialect, {
      tables: { towns, jobs, jobErrors },
      resources: { towns: resource },
      settings: { JOBS: { ANONYMOUS: true } },
      jobs: { tables: { jobs, jobErrors }, queue: queue(), files: new MemoryJobFiles() },
    })
    try {
      // Jobs are run by those who listen.
      await api.listen()
      const names = Array.from({ length: ROWS }, (_, i) => `Town ${i}`)
      const form = importForm(['name', ...names].join('\n'))
      const accepted = await api.request('POST', '/towns/import-from-file/?background=true', form)
      const { id } = accepted.data<JobData>()
      await far.promise
      await server.restart()
      const job = async () => (await api.get(`/jobs/${id}/`)).data<JobData | null>()
      await expect.poll(async () => (await job())?.ended_at).toEqual(expect.any(String))
      expect(await job()).toMatchObject({
        state: 'succeeded',
        progress: { processed: ROWS, created: ROWS, updated: 0, failed: 0 },
      })
      expect((await api.rows('towns')).length).toBe(ROWS)
    } finally {
      await api.close()
    }
  })
})
