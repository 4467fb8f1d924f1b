import { AllowAny, BaseModelSerializer, BulkImportableViewSet, type ColumnKit, importModel, type User } from 'viewset'
import { expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { capturedLog } from '../support/captured-log.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

const models = (c: ColumnKit) => ({
  towns: c.table('towns', { ...c.BaseModelMixin(), name: c.text(90).notNull().unique() }),
  ...c.JobTables(),
})

interface Ann extends User {
  readonly token: string
}

describeOneDialect('the one who asked for a job', dialect => {
  const tables = models(dialect.kit)
  const { towns, jobs, jobErrors } = tables
  const queue = new ManualQueue()
  const { lines, server } = capturedLog()
  const users = new Map<string, Ann>()
  let nameOf = (_view: { readonly user: User | null; readonly request: { readonly headers: object } }) => ''
  const ann: Ann = { id: 'ann', token: 'of her session' }
  const api = useApi(dialect, {
    server,
    tables,
    users: { ann },
    resources: {
      towns: BulkImportableViewSet({
        model: towns,
        serializer: BaseModelSerializer(towns, { fields: ['id', 'name'] }),
        permissionClasses: [AllowAny],
        importFileConfig: {
          fileFormat: 'csv',
          order: ['towns'],
          prepareRow: (_row, { view }) => ({ name: view ? nameOf(view) : '' }),
          models: { towns: importModel({ model: towns, fields: ['name'], uniqueFields: ['name'] }) },
        },
      }),
    },
    jobs: {
      tables: { jobs, jobErrors },
      queue,
      files: new MemoryJobFiles(),
      headers: ['X-Tenant'],
      findUser: id => users.get(id) as User | null,
    },
  })

  const run = async () => {
    const headers = { ...importForm('name\nOslo\n').headers, 'x-tenant': 'north', 'x-plan': 'free' }
    const request = { ...importForm('name\nOslo\n'), headers, as: 'ann' }
    const { id } = (await api.request('POST', '/towns/import-from-file/?background=true', request)).data<JobData>()
    await queue.run(id)
    return (await api.get(`/jobs/${id}/`, { as: 'ann' })).data<JobData>()
  }
  const imported = async () => (await api.get('/towns/')).data<{ name: string }[]>().map(({ name }) => name)

  test('is found anew where that is asked for, and nothing but the id is stored', async () => {
    users.set('ann', { id: 'ann', token: 'new' })
    nameOf = ({ user }) => (user as Ann).token
    expect(await run()).toMatchObject({ state: 'succeeded' })
    expect(await imported()).toEqual(['new'])
    const rows = JSON.stringify(await api.rows('viewset_jobs'), (_key, value) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    expect(rows).toContain('ann')
    expect(rows).not.toContain(ann.token)
  })

  test('ends it who is no more, also where that is said with undefined', async () => {
    users.clear()
    const message = 'The user who asked for this job no longer exists. Nothing was stored.'
    expect(await run()).toMatchObject({ state: 'failed', message })
  })

  test.each([
    ['read', (headers: object) => Reflect.get(headers, 'x-plan') === undefined],
    ['asked for', (headers: object) => 'x-plan' in headers],
    ['asked for as its own', (headers: object) => Object.hasOwn(headers, 'x-plan')],
    ['copied', (headers: object) => 'x-plan' in { ...headers }],
    ['listed', (headers: object) => Object.keys(headers).includes('x-plan')],
  ])('has sent headers of which one that is not kept cannot be %s as if it had not been sent', async (_how, look) => {
    users.set('ann', ann)
    nameOf = ({ request: { headers } }) =>
      `${Reflect.get(headers, 'x-tenant')} ${'x-other' in headers} ${look(headers)}`
    expect(await run()).toMatchObject({ progress: { failed: 1, created: 0 } })
    expect(JSON.stringify(lines.splice(0))).toContain('name it in the option jobs.headers')
    nameOf = ({ request: { headers } }) => `${Reflect.get(headers, 'x-tenant')} ${'x-other' in headers}`
    expect(await run()).toMatchObject({ state: 'succeeded' })
    expect(await imported()).toEqual(['north false'])
  })
})
