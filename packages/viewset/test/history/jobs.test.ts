import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AllowAny, BaseModelSerializer, currentDb, ImportableViewSet, importModel } from 'viewset'
import { folder } from 'viewset/jobs'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { importForm } from '../support/multipart.ts'

describeDialects('the history of a job', dialect => {
  const c = dialect.kit
  const towns = c.table('towns', { id: c.integer().primaryKey(), name: c.text(30).notNull().unique() })
  const { townsHistory } = c.HistoryTable(towns)
  const jobTables = c.JobTables()
  const queue = new ManualQueue()
  const api = useApi(dialect, {
    tables: { towns, townsHistory, ...jobTables },
    users: { ann: { id: 'ann' } },
    resources: {
      towns: ImportableViewSet({
        model: towns,
        serializer: BaseModelSerializer(towns, { fields: ['id', 'name'] }),
        permissionClasses: [AllowAny],
        importFileConfig: {
          fileFormat: 'csv',
          order: ['towns'],
          models: { towns: importModel({ model: towns, fields: ['name'], uniqueFields: ['name'] }) },
        },
      }),
    },
    jobs: { tables: jobTables, files: folder(mkdtempSync(join(tmpdir(), 'history-'))), queue },
  })

  test('names the user, the reason of the request and the job', async () => {
    const { payload, headers } = importForm('name\nOslo\nBergen\n')
    const accepted = await api.request('POST', '/towns/import-from-file/?background=true', {
      payload,
      headers: { ...headers, 'x-change-reason': 'Census of 2026' },
      as: 'ann',
    })
    const { id } = accepted.data<{ id: string }>()
    await queue.run(id)
    const entries = await api.database.use(() => currentDb().select().from(townsHistory))
    const entry = {
      action: 'create',
      source: 'import',
      user: 'ann',
      reason: 'Census of 2026',
      job: id,
      requestId: null,
    }
    expect(entries).toMatchObject([entry, entry])
  })
})
