import { AllowAny, BaseModelSerializer, BulkImportableViewSet, type ColumnKit, importModel } from 'viewset'
import { expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

const YEARS = Array.from({ length: 70 }, (_, at) => `year${1950 + at}`)
const ROWS = 2_000

const models = (c: ColumnKit) => ({
  populations: c.table('populations', {
    ...c.BaseModelMixin(),
    name: c.text(30).notNull().unique(),
    ...(Object.fromEntries(YEARS.map(year => [year, c.integer()])) as { year1950: ReturnType<ColumnKit['integer']> }),
  }),
  ...c.JobTables(),
})

describeOneDialect('the errors of a job', dialect => {
  const tables = models(dialect.kit)
  const { populations, jobs, jobErrors } = tables
  const queue = new ManualQueue()
  const api = useApi(dialect, {
    tables,
    resources: {
      populations: BulkImportableViewSet({
        model: populations,
        serializer: BaseModelSerializer(populations, { fields: ['id', 'name'] }),
        permissionClasses: [AllowAny],
        importFileConfig: {
          fileFormat: 'csv',
          order: ['populations'],
          models: {
            populations: importModel({
              model: populations,
              fields: ['name', ...(YEARS as 'year1950'[])],
              uniqueFields: ['name'],
            }),
          },
        },
      }),
    },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })

  test('are stored in parts that can be read one by one, however many a chunk of its file has', async () => {
    const rows = Array.from({ length: ROWS }, (_, at) => [`Land ${at}`, ...YEARS.map(() => 'many')])
    const file = [['name', ...YEARS], ...rows].map(row => row.join(',')).join('\n')
    const accepted = await api.request('POST', '/populations/import-from-file/?background=true', importForm(file))
    const { id } = accepted.data<JobData>()
    await queue.run(id)
    const job = (await api.get(`/jobs/${id}/`)).data<JobData>()
    expect(job).toMatchObject({ state: 'succeeded', progress: { processed: ROWS, failed: ROWS } })
    expect(job.errors).toHaveLength(1_000)
    expect(await api.rows('viewset_job_errors')).toHaveLength((ROWS * YEARS.length) / 1_000)
  })
})
