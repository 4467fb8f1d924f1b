import { AllowAny, BaseModelSerializer, BulkImportableViewSet, IsAuthenticated, importModel } from 'viewset'
import { expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv } from '../support/imports.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

describeDialects('a record from before its slug was reserved', dialect => {
  const c = dialect.kit
  const labels = c.table('labels', { id: c.integer().primaryKey(), slug: c.text(20).notNull().unique() })
  const { jobs, jobErrors } = c.JobTables()
  const queue = new ManualQueue()
  const api = useApi(dialect, {
    tables: { labels, ...c.HistoryTable(labels), jobs, jobErrors },
    users: { ann: { id: 'ann' } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
    resources: {
      labels: BulkImportableViewSet({
        model: labels,
        serializer: BaseModelSerializer(labels, { fields: ['id', 'slug'] }),
        permissionClasses: [AllowAny],
        importPermissionClasses: [IsAuthenticated],
        lookupField: 'slug',
        importFileConfig: {
          fileFormat: 'csv',
          order: ['labels'],
          models: { labels: importModel({ model: labels, fields: ['slug'], uniqueFields: ['slug'] }) },
        },
      }),
    },
  })
  const ann = { as: 'ann' } as const
  const slugs = async () =>
    (await api.get('/labels/?paginated=false')).data<{ slug: string }[]>().map(({ slug }) => slug)

  test('comes back by an undo, and no new one is created', async () => {
    await api.database.run({ text: "insert into labels (slug) values ('export')" }, [])
    const replace = importForm(csv(['slug'], ['new']), { append: false })
    const replaced = await api.post('/labels/import-from-file/', undefined, { ...ann, ...replace })
    expect(await slugs()).toEqual(['new'])
    const undo = await api.post(`/jobs/${replaced.data<{ job: string }>().job}/undo/`, undefined, ann)
    await queue.run(undo.data<JobData>().id)
    expect(await slugs()).toEqual(['export'])
    expect((await api.post('/labels/', { slug: 'bulk-create' })).status).toBe(400)
  })
})
