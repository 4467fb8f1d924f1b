import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  type ColumnKit,
  IsAdminUser,
  type PermissionView,
  type User,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError } from '../support/expect.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'

const models = (c: ColumnKit) => ({
  towns: c.table('towns', { ...c.BaseModelMixin(), name: c.text(30).notNull(), mayor: c.text(30) }),
  ...c.JobTables(),
})

describeOneDialect('the file of a job', dialect => {
  const tables = models(dialect.kit)
  const { towns, jobs, jobErrors } = tables
  const queue = new ManualQueue()
  const files = new MemoryJobFiles()
  const users = new Map<string, User>()
  const exporters = new Set<unknown>()
  const mayExport = { hasPermission: ({ user }: PermissionView) => exporters.has(user?.id) }
  const api = useApi(dialect, {
    tables,
    users: { ann: { id: 'ann' }, root: { id: 'root', roles: ['admin'] } },
    resources: {
      towns: BaseViewSet({
        model: towns,
        serializer: BaseModelSerializer(towns, {
          fields: ['id', 'name', 'mayor'],
          readableBy: { mayor: user => user?.roles?.includes('boss') === true },
        }),
        permissionClasses: [AllowAny],
        exportPermissionClasses: [mayExport],
      }),
    },
    jobs: {
      tables: { jobs, jobErrors },
      queue,
      files,
      adminPermissionClasses: [IsAdminUser],
      findUser: id => users.get(id) ?? null,
    },
  })

  beforeEach(() => {
    exporters.add('ann')
    users.set('ann', { id: 'ann' })
  })

  const exported = async () => {
    const body = { file_type: 'csv', includes: ['name'], data: [{ name: 'Oslo' }] }
    const { id } = (await api.post('/towns/export/?background=true', body, { as: 'ann' })).data<JobData>()
    await queue.run(id)
    return id
  }
  const file = (id: string, as = 'ann') => api.get(`/jobs/${id}/file/`, { as })
  const stored = (set: string) => api.database.driver.run({ text: `update viewset_jobs set ${set}` }, [])

  test('is given only to a user who may export now', async () => {
    const id = await exported()
    expect((await file(id)).text).toBe('Name\r\nOslo\r\n')
    exporters.delete('ann')
    expectError(await file(id), 403, 'You do not have permission to perform this action.')
    expectError(await file(id, 'root'), 403, 'You do not have permission to perform this action.')
    exporters.add('root')
    expect((await file(id, 'root')).status).toBe(200)
    expect((await api.get(`/jobs/${id}/`, { as: 'ann' })).data()).toMatchObject({ state: 'succeeded' })
  })

  test('is not given to a user who has lost the right to read a field of it', async () => {
    users.set('ann', { id: 'ann', roles: ['boss'] })
    const id = await exported()
    expect((await file(id)).status).toBe(200)
    users.set('ann', { id: 'ann' })
    expectError(await file(id), 403, 'The file was made with other permissions or for another tenant. Export it again.')
    users.set('ann', { id: 'ann', roles: ['boss'] })
    expect((await file(id)).status).toBe(200)
  })

  test('is not given to a user who is no more', async () => {
    const id = await exported()
    users.clear()
    expectError(await file(id), 403, 'The user who asked for this job no longer exists.')
  })

  test('is not given if its resource is no more', async () => {
    const id = await exported()
    await stored(`resource = 'villages'`)
    expectError(await file(id), 404, 'The resource of this job no longer exists.')
  })

  test('is only one that the job has made, whatever its row says', async () => {
    const other = await exported()
    const id = await exported()
    for (const key of [`${other}/result`, `${id}/upload`, '../../etc/passwd', '', null, 5]) {
      const result = { data: null, file: { key, filename: 'a.csv', contentType: 'text/csv' } }
      await stored(`result = '${JSON.stringify(result)}' where id = '${id}'`)
      expectError(await file(id), 404, 'The file of this job is no longer there.')
    }
  })
})
