import { AllowAny, BaseModelSerializer, BulkImportableViewSet, currentDb, importModel } from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { form } from '../support/multipart.ts'
import { workbook } from '../support/workbook.ts'

/** Is in each sensitive cell of the files. */
/** Ids and times may have the same digits by chance. */
const SECRET = /(?<![\da-f.-])777/

describeOneDialect('sensitive columns', dialect => {
  const { kit } = dialect
  const staff = kit.table('staff', {
    ...kit.BaseModelMixin(),
    code: kit.text(10).notNull().unique(),
    age: kit.integer(),
    pay: kit.integer(),
    grade: kit.enumeration(['high', 'low']),
  })
  const { jobs, jobErrors } = kit.JobTables()
  const queue = new ManualQueue()
  const files = new MemoryJobFiles()
  const resource = BulkImportableViewSet({
    model: staff,
    serializer: BaseModelSerializer(staff, { fields: ['id', 'code', 'age', 'pay', 'grade'] }),
    permissionClasses: [AllowAny],
    importFileConfig: {
      fileFormat: ['csv', 'xlsx'],
      order: ['staff'],
      models: {
        staff: importModel({
          model: staff,
          fields: ['code', 'age', 'pay', 'grade'],
          uniqueFields: ['code'],
          sensitive: ['pay', 'grade'],
        }),
      },
    },
  })
  const api = useApi(dialect, {
    tables: { staff, jobs, jobErrors },
    resources: { staff: resource },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: { jobs, jobErrors }, queue, files },
  })
  const post = (content: Buffer | string, more: Readonly<Record<string, string>> = {}, action = 'import-from-file') => {
    const parts = Object.entries({ append_data: 'true', ...more }).map(([name, value]) => ({ name, value }))
    return api.post(`/staff/${action}/`, undefined, form({ name: 'file', filename: 'staff.csv', content }, ...parts))
  }
  const stored = async () =>
    (await api.database.use(async () => currentDb().select().from(staff)))
      .map(({ code, age, pay, grade }) => [code, age, pay, grade])
      .sort()
  const ROWS = [
    ['code', 'age', 'pay', 'grade'],
    ['a', 30, 7_770, 'high'],
    ['b', 40, 'USD 777', 'low'],
    ['c', 'old', 7_771, 'grade 777'],
    ['d', 50, 7_772, 'x777'],
  ] as const
  const FILE = ROWS.map(row => `${row.join(',')}\n`).join('')
  const HIDDEN = 'This value is not valid. It is not shown, since it is sensitive.'
  beforeEach(() => post('code,age,pay,grade\nc,1,100,low\n'))

  test('no error, group, list of unmatched texts or diff has a cell of them', async () => {
    const tried = await post(FILE, { dry_run: 'true', diff: 'true' })
    expect(tried.data()).toMatchObject({
      failed: 3,
      errors: [
        { row: 3, field: 'pay', message: HIDDEN },
        { row: 4, field: 'age' },
        { row: 4, field: 'grade', message: HIDDEN },
        { row: 5, field: 'grade', message: HIDDEN },
      ],
      diff: { rows: [{ row: 2, changes: { code: [null, 'a'], age: [null, 30] } }] },
    })
    expect(tried.text).toMatch(/"code":"invalid_choice"/)
    expect(tried.text).not.toMatch(SECRET)
    expect(tried.data()).not.toHaveProperty('unmatched')
  })

  test('a file of failed rows lacks them, and leaves stored values as they are', async () => {
    const failed = await post(FILE, { failed_rows: 'true' })
    expect(failed.text).not.toMatch(SECRET)
    const [header, ...rows] = failed.text.trim().split('\r\n')
    expect(header).toBe('Errors,code,age')
    expect(rows).toHaveLength(3)
    for (const row of rows) expect(row).toContain('This file lacks the sensitive columns ""pay"" and ""grade"".')
    const again = await post(`${header}\n,b,40\n,c,41\n`)
    expect(again.data()).toMatchObject({ created: 1, updated: 1, failed: 0 })
    expect(await stored()).toEqual([
      ['a', 30, 7_770, 'high'],
      ['b', 40, null, null],
      ['c', 41, 100, 'low'],
    ])
  })

  test('a mapping that names them fits the file of failed rows', async () => {
    const mapping = { mapping: '{"Lohn":"pay","Stufe":"grade"}' }
    const failed = await post(FILE.replace('pay', 'Lohn').replace('grade', 'Stufe'), {
      ...mapping,
      failed_rows: 'true',
    })
    expect(failed.text).not.toMatch(SECRET)
    expect((await post('code,age\nc,41\n', mapping)).data()).toMatchObject({ updated: 1, failed: 0 })
    expect((await post('code,age\nc,41\n', { mapping: '{"Alter":"age"}' })).status).toBe(400)
  })

  test('a row that is too wide shows no cell behind them', async () => {
    const failed = await post('pay,grade,code,age\n1,low,7770,x777,777,778\n', { failed_rows: 'true' })
    expect(failed.status).toBe(207)
    expect(failed.text.replace(/"age: .*/s, '')).not.toMatch(SECRET)
  })

  test('a workbook of failed rows lacks them', async () => {
    const failed = await post(await workbook({ staff: ROWS }), { failed_rows: 'true' })
    expect(failed.status).toBe(207)
    expect((await post(Buffer.from(failed.bytes), {}, 'import-preview')).data()).toMatchObject({
      sheets: [{ headers: [{ header: 'Errors' }, { header: 'code' }, { header: 'age' }] }],
    })
  })

  test('a job keeps no cell of them, and its upload is gone when it ends', async () => {
    const { id } = (await post(FILE, { background: 'true' })).data<JobData>()
    await queue.run(id)
    expect((await api.get(`/jobs/${id}/`)).data()).toMatchObject({ state: 'succeeded', progress: { failed: 3 } })
    const tables = async () => [await currentDb().select().from(jobs), await currentDb().select().from(jobErrors)]
    expect(JSON.stringify(await api.database.use(tables))).not.toMatch(SECRET)
    expect((await api.get(`/jobs/${id}/file/`)).text).not.toMatch(SECRET)
    const keys: string[] = []
    for await (const { key } of files.list()) if (key.startsWith(id)) keys.push(key)
    expect(keys).toEqual([`${id}/failed`])
  })

  test.each(['import-from-file', 'import-preview'])(
    '%s refuses values for them, which a job would keep',
    async action => {
      for (const background of ['true', 'false']) {
        const answer = await post(FILE, { values: '{"grade":{"x777":"high"}}', background }, action)
        expect([answer.status, answer.envelope()]).toMatchObject([
          400,
          { errors: { values: ['"grade" is sensitive, so its cells cannot be changed here.'] } },
        ])
        const byPlace = await post(FILE, { values: '{"(column 4)":{"x777":"high"}}', background }, action)
        expect(byPlace.status).toBe(400)
      }
    },
  )

  test('a file of failed rows lacks them under their other headers too', async () => {
    const mapping = '{"Lohn":"pay","pay":null}'
    const failed = await post('code,age,Lohn,pay\nc,old,7770,7771\n', { mapping, failed_rows: 'true' })
    expect(failed.text.split('\n')[0]).toBe('Errors,code,age\r')
    expect(failed.text).not.toMatch(SECRET)
    const values = '{"pay":{"7771":"1"}}'
    expect((await post('code,age,Lohn,pay\nc,1,7770,7771\n', { mapping, values })).status).toBe(400)
  })
})
