import { sql } from 'drizzle-orm'
import { AllowAny, BaseModelSerializer, BulkImportableViewSet, type ColumnKit, importModel, queryValue } from 'viewset'
import { expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { capturedLog } from '../support/captured-log.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

const models = (c: ColumnKit) => ({
  towns: c.table('towns', { ...c.BaseModelMixin(), name: c.text(30).notNull().unique() }),
  ...c.JobTables(),
})

describeOneDialect('a job keeps of the query', dialect => {
  const tables = models(dialect.kit)
  const { towns, jobs, jobErrors } = tables
  const queue = new ManualQueue()
  const { lines, server } = capturedLog()
  const base = BulkImportableViewSet({
    model: towns,
    serializer: BaseModelSerializer(towns, { fields: ['id', 'name'] }),
    permissionClasses: [AllowAny],
    filterFields: { name: ['startswith'] },
    describes: { actions: { export: { query: { letter: { type: 'string' } } } } },
    importFileConfig: {
      fileFormat: 'csv',
      order: ['towns'],
      models: { towns: importModel({ model: towns, fields: ['name'], uniqueFields: ['name'] }) },
    },
  })
  const withLetter = (parameter: string) =>
    class extends base {
      override async getQueryset() {
        const letter = queryValue(this.request, parameter) ?? ''
        return (await super.getQueryset()).filter(sql`${towns.name} like ${`${letter}%`}`)
      }
    }
  const api = useApi(dialect, {
    tables,
    server,
    // What nobody reads would be refused before it could be kept.
    unknownParameters: 'ignore',
    users: { ann: { id: 'ann' } },
    resources: { towns: withLetter('letter'), undescribed: withLetter('initial') },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })

  const run = async (path: string, request: object) => {
    const { id } = (await api.request('POST', path, { ...request, as: 'ann' })).data<JobData>()
    await queue.run(id)
    return (await api.get(`/jobs/${id}/`, { as: 'ann' })).data<JobData>()
  }
  const stored = async () =>
    JSON.stringify(await api.rows('viewset_jobs'), (_, value) => (typeof value === 'bigint' ? String(value) : value))
  const EXPORT = { body: { file_type: 'csv', includes: ['name'] } }
  const SECRET = 'access_token=s3cret&password=s3cret'

  test('an export what its filters read, and what the application describes', async () => {
    for (const name of ['Oslo', 'Moss', 'Molde']) await api.post('/towns/', { name })
    const query = `background=true&${SECRET}&name__startswith=Mo&letter=Mol&ordering=name`
    const job = await run(`/towns/export/?${query}`, EXPORT)
    expect(job).toMatchObject({ state: 'succeeded', progress: { processed: 1 } })
    expect(await stored()).not.toContain('s3cret')
    expect(await stored()).toContain('?name__startswith=Mo&letter=Mol&ordering=name')
  })

  test('an import what it can be told', async () => {
    const job = await run(`/towns/import-from-file/?background=true&dry_run=true&${SECRET}`, importForm('name\nOslo\n'))
    expect(job).toMatchObject({ state: 'succeeded', result: { dry_run: true } })
    expect(await stored()).not.toContain('s3cret')
  })

  test('nothing that could be taken as not sent: a job that reads such a parameter fails', async () => {
    const job = await run('/undescribed/export/?background=true&initial=M', EXPORT)
    expect(job).toMatchObject({ state: 'failed', progress: { processed: 0 } })
    expect(JSON.stringify(lines.splice(0))).toContain('A job does not know the query parameter')
    expect(await run('/undescribed/export/?background=true', EXPORT)).toMatchObject({ state: 'succeeded' })
  })
})
