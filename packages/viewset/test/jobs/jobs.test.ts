import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AllowAny, BaseModelSerializer, BulkImportableViewSet, type ColumnKit, IsAdminUser, importModel } from 'viewset'
import { folder } from 'viewset/jobs'
import { expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError } from '../support/expect.ts'
import { type ImportFormOptions, importForm } from '../support/multipart.ts'

const models = (c: ColumnKit) => ({
  towns: c.table('towns', { ...c.BaseModelMixin(), name: c.text(30).notNull().unique(), people: c.integer() }),
  ...c.JobTables(),
})

const ENDED = ['succeeded', 'failed', 'cancelled']

describeDialects('jobs', dialect => {
  const tables = models(dialect.kit)
  const { towns, jobs, jobErrors } = tables
  const TownViewSet = BulkImportableViewSet({
    model: towns,
    serializer: BaseModelSerializer(towns, { fields: ['id', 'name', 'people'] }),
    permissionClasses: [AllowAny],
    ordering: 'name',
    importFileConfig: {
      fileFormat: ['csv', 'xlsx'],
      chunkSize: 3,
      order: ['towns'],
      models: { towns: importModel({ model: towns, fields: ['name', 'people'], uniqueFields: ['name'] }) },
    },
  })
  const files = folder(mkdtempSync(join(tmpdir(), 'jobs-')))
  const api = useApi(dialect, {
    tables,
    users: { ann: { id: 'ann' }, bob: { id: 'bob' }, admin: { id: 'root', roles: ['admin'] } },
    resources: { towns: TownViewSet },
    jobs: {
      tables: { jobs, jobErrors },
      files,
      adminPermissionClasses: [IsAdminUser],
    },
  })

  const send = async (csv: string, options: ImportFormOptions = {}, as = 'ann') => {
    const request = { ...importForm(csv, options), as }
    const accepted = await api.request('POST', '/towns/import-from-file/?background=true', request)
    expect(accepted.status).toBe(202)
    return accepted.data<JobData>()
  }
  const ended = async ({ id }: JobData, as = 'ann') => {
    for (;;) {
      const job = (await api.get(`/jobs/${id}/`, { as })).data<JobData>()
      if (ENDED.includes(job.state)) return job
      await sleep(5)
    }
  }

  test('an import in the background answers 202 with its job, which ends with the report of the import', async () => {
    const job = await ended(await send('name,people\nOslo,700\nBergen,x\nHamar,30\nMoss,50\n'))
    expect(job).toMatchObject({
      resource: 'towns',
      kind: 'import',
      state: 'succeeded',
      user: 'ann',
      progress: { processed: 4, total: 4, failed: 1, created: 3, updated: 0 },
      message: '1 of 4 rows failed; the other 3 were stored.',
      errors: [{ row: 3, field: 'people', model: 'towns' }],
    })
    expect(names(await api.get('/towns/'))).toEqual(['Hamar', 'Moss', 'Oslo'])
  })

  test('an import in the background says that its file has no rows', async () => {
    const message = 'The file has no rows below its header, so nothing was imported.'
    expect(await ended(await send('name,people\n'))).toMatchObject({ state: 'succeeded', message })
  })

  test('an export in the background makes a file to be fetched', async () => {
    await ended(await send('name,people\nOslo,700\n'))
    const body = { file_type: 'csv', includes: ['name'] }
    const accepted = await api.post('/towns/export/?background=true', body, { as: 'ann' })
    expect(accepted.status).toBe(202)
    const job = await ended(accepted.data<JobData>())
    expect(job).toMatchObject({
      state: 'succeeded',
      kind: 'export',
      progress: { processed: 1 },
      result_file: expect.stringMatching(/^towns_.*csv$/),
    })
    expect(accepted.headers.location).toBe(`http://localhost:80/api/jobs/${job.id}/`)
    const file = await api.get(`/jobs/${job.id}/file/`, { as: 'ann' })
    expect(file.text).toBe('Name\r\nOslo\r\n')
    await files.remove(`${job.id}/result`)
    const gone = await api.get(`/jobs/${job.id}/file/`, { as: 'ann' })
    expectError(gone, 404, 'The file of this job is no longer there.')
  })

  test('each sees their own jobs, an admin those of all', async () => {
    const job = await ended(await send('name,people\nOslo,700\n'))
    expectError(
      await api.get(`/jobs/${job.id}/`, { as: 'bob' }),
      404,
      'There is no such record, or you may not see it.',
    )
    expect((await api.get('/jobs/', { as: 'bob' })).data()).toEqual([])
    expect((await api.get('/jobs/')).data()).toEqual([])
    const { errors: _, options: __, undo: ___, ...listed } = job
    expect((await api.get('/jobs/', { as: 'ann' })).data()).toEqual([{ ...listed, index: 1 }])
    expect((await api.get('/jobs/', { as: 'admin' })).data()).toHaveLength(1)
  })

  test('a replace in the background is stored together with its report, and with a failed row neither is', async () => {
    await ended(await send('name,people\nOslo,700\nMoss,50\n'))
    const failed = await ended(await send('name,people\nBergen,x\nHamar,30\n', { append: false }))
    expect(failed).toMatchObject({
      state: 'succeeded',
      progress: { processed: 2, failed: 1, created: 0, deleted: 0 },
      message: '1 of 2 rows failed, so nothing was replaced: all is as it was before.',
      errors: [{ row: 2, field: 'people' }],
    })
    expect(names(await api.get('/towns/'))).toEqual(['Moss', 'Oslo'])
    const replaced = await ended(await send('name,people\nHamar,30\n', { append: false }))
    expect(replaced).toMatchObject({
      state: 'succeeded',
      progress: { processed: 1, failed: 0, created: 1, deleted: 2 },
      result: { success: true, deleted: 2 },
      message: '',
      errors: [],
    })
    expect(names(await api.get('/towns/'))).toEqual(['Hamar'])
  })

  test('a dry run in the background stores its report only', async () => {
    const job = await ended(await send('name,people\nOslo,x\nMoss,50\n', { dryRun: true }))
    expect(job).toMatchObject({
      state: 'succeeded',
      progress: { processed: 2, failed: 1, created: 1 },
      result: { dry_run: true },
      errors: [{ row: 2 }],
    })
    expect(names(await api.get('/towns/'))).toEqual([])
  })

  test('a file that cannot be imported is refused at once, and is no job', async () => {
    const wrongColumn = 'title\nOslo\n'
    const noText = 'name\nOs\u0000lo\n'
    for (const content of [wrongColumn, noText]) {
      const request = { ...importForm(content), as: 'ann' }
      const response = await api.request('POST', '/towns/import-from-file/?background=true', request)
      expect(response.status).toBe(400)
    }
    expect((await api.get('/jobs/', { as: 'ann' })).data()).toEqual([])
  })

  test('what a file is called may be anything', async () => {
    const job = await ended(await send('name,people\nOslo,700\n', { filename: 'to\u0000wns.csv' }))
    expect(job).toMatchObject({ state: 'succeeded', file: 'towns.csv' })
  })

  test('a job that has ended cannot be cancelled, and one that made no file has none', async () => {
    const { id } = await ended(await send('name,people\nOslo,700\n'))
    const problem = 'This job has ended already.'
    expectError(await api.post(`/jobs/${id}/cancel/`, undefined, { as: 'ann' }), 409, problem, {
      non_field_errors: [problem],
    })
    expectError(await api.get(`/jobs/${id}/file/`, { as: 'ann' }), 404, 'This job has made no file.')
  })
})

function names(response: TestResponse): string[] {
  return response.data<{ name: string }[]>().map(({ name }) => name)
}
