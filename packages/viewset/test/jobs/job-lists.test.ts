import { AllowAny, BaseModelSerializer, BaseViewSet, type ColumnKit } from 'viewset'
import { expect, test } from 'vitest'
import { JobStore } from '../../src/jobs/job-store.ts'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError } from '../support/expect.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'

const models = (c: ColumnKit) => ({
  towns: c.table('towns', { ...c.BaseModelMixin(), name: c.text(30).notNull() }),
  ...c.JobTables(),
})

describeOneDialect('a list of jobs', dialect => {
  const tables = models(dialect.kit)
  const { towns, jobs, jobErrors } = tables
  const queue = new ManualQueue()
  const files = new MemoryJobFiles()
  const resource = { model: towns, permissionClasses: [AllowAny] }
  const serializer = BaseModelSerializer(towns, { fields: ['id', 'name'] })
  const api = useApi(dialect, {
    tables,
    users: { ann: { id: 'ann' } },
    unknownParameters: 'ignore',
    resources: {
      towns: BaseViewSet({ ...resource, serializer }),
      'own-rows': BaseViewSet({ ...resource, serializer, allowExportData: false }),
    },
    jobs: { tables: { jobs, jobErrors }, queue, files },
  })

  const as = { as: 'ann' }
  const rows = Array.from({ length: 2_000 }, (_, i) => ({ name: `Town ${i} ${'x'.repeat(200)}` }))
  const ask = async (body: object) => (await api.post('/towns/export/?background=true', body, as)).data<JobData>()
  const stored = (set: string) => api.database.driver.run({ text: `update viewset_jobs set ${set}` }, [])

  test('keeps the rows of a client in a file, and exports them from there', async () => {
    const { id, options } = await ask({ file_type: 'csv', includes: ['name'], data: rows, colour: 'red' })
    expect(options).toEqual({ file_type: 'csv', includes: ['name'], data_rows: 2_000 })
    expect((await api.get(`/jobs/${id}/`, as)).data()).toMatchObject({ options })
    await queue.run(id)
    const file = await api.get(`/jobs/${id}/file/`, as)
    expect(file.text.split('\r\n').slice(1, -1)).toEqual(rows.map(({ name }) => name))
    expect(await keysOf(files, id)).toEqual([`${id}/result`])
  })

  test('keeps no file for an export without rows of a client', async () => {
    const { id } = await ask({ file_type: 'csv', includes: ['name'] })
    expect(await keysOf(files, id)).toEqual([])
    await queue.run(id)
    expect(await keysOf(files, id)).toEqual([`${id}/result`])
  })

  test('shows no options, and reads none', async () => {
    await ask({ file_type: 'csv', data: rows })
    await ask({ file_type: 'csv' })
    const statements = await api.statementsOf(async () => {
      const list = await api.get('/jobs/', as)
      expect(list.data<JobData[]>().map(job => Object.hasOwn(job, 'options'))).toEqual([false, false])
      expect(list.text.length).toBeLessThan(2_000)
    })
    // A subquery around the page names all columns; what comes to this process, the outer statement says.
    const read = statements.map(statement => statement.split(' from ')[0])
    expect(read.join()).not.toMatch(/"(options|request|user_data)"/)
  })

  test('leaves out a result that is large', async () => {
    await ask({ file_type: 'csv' })
    await stored(`result = '{"data": {"success": true}, "file": null}'`)
    expect((await api.get('/jobs/', as)).data()).toMatchObject([{ result: { success: true }, result_file: null }])
    await stored(`result = '{"data": {"ignored_columns": ["${'x'.repeat(2_000)}"]}, "file": {"filename": "a.csv"}}'`)
    expect((await api.get('/jobs/', as)).data()).toMatchObject([{ result: null, result_file: 'a.csv' }])
  })

  test('has no long texts of a client', async () => {
    const long = 'x'.repeat(110_000)
    const body = {
      file_type: 'csv',
      column_config: { name: { header: 'Name' } },
      includes: [`name,${' '.repeat(110_000)}`],
    }
    const refused = await api.post('/towns/export/?background=true', body, as)
    expectError(refused, 400, 'These options are too large for background work.', {
      non_field_errors: ['These options are too large for background work.'],
    })
    const { id } = await ask({ file_type: 'csv' })
    const store = new JobStore(api.database, { jobs, jobErrors })
    await store.claim(id, 'worker')
    await store.save(id, 'worker', { state: 'failed', message: long })
    expect((await api.get('/jobs/', as)).data()).toMatchObject([{ message: `${'x'.repeat(999)}…` }])
  })

  test('is given in pages only', async () => {
    expectError(await api.get('/jobs/?paginated=false', as), 403, 'This list is only given in pages.')
  })

  test('an export of rows that a resource does not take is refused at once', async () => {
    const body = { file_type: 'csv', data: [{ name: 'Oslo' }] }
    expectError(
      await api.post('/own-rows/export/?background=true', body, as),
      400,
      'This resource exports its own rows only.',
      { data: ['This resource exports its own rows only.'] },
    )
    expect((await api.get('/jobs/', as)).data()).toEqual([])
  })
})

async function keysOf(files: MemoryJobFiles, id: string): Promise<readonly string[]> {
  const keys: string[] = []
  for await (const { key } of files.list()) if (key.startsWith(id)) keys.push(key)
  return keys
}
