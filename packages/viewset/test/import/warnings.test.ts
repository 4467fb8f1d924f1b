import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  type ImportFileConfig,
  ImportService,
  importModel,
  message,
  type Text,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { form } from '../support/multipart.ts'

describeOneDialect('warnings of an import', dialect => {
  const { kit } = dialect
  const goods = kit.table('goods', {
    id: kit.integer().primaryKey(),
    code: kit.text(10).notNull().unique(),
    name: kit.text(20).notNull(),
    price: kit.decimal(8, 2),
    shelf: kit.text(20),
  })
  const { jobs, jobErrors } = kit.JobTables()
  const queue = new ManualQueue()
  let stop: AbortController | undefined
  const serializer = BaseModelSerializer(goods, {
    fields: ['id', 'code', 'name', 'price'],
    validate({ price }, { record, warn }) {
      if (price === '0.00') warn('price', message('unique'))
      if (record && Number(record.price) > 0 && price === '0.00') warn('nonFieldErrors', `It cost ${record.price}.`)
      return price === '66.00' ? { price: 'This price is refused.' } : undefined
    },
  })
  const importFileConfig = (chunkSize?: number): ImportFileConfig => ({
    fileFormat: ['csv', 'xlsx'],
    order: ['goods'],
    ...(chunkSize && { chunkSize }),
    headers: { 'Name of it': 'name' },
    prepareRow(row, { rowNumber, warn }) {
      if (row.name === 'odd') warn('Name of it', 'This name is odd.')
      if (row.name === 'many') for (let at = 0; at < 200; at++) warn('name', `Warning ${at}.`)
      if (row.code === 'stop' && rowNumber === 5) stop?.abort()
      return row
    },
    models: {
      goods: importModel({
        model: goods,
        fields: ['code', 'name', 'price'],
        uniqueFields: ['code'],
        computedFields: {
          shelf(row, { warn }) {
            if (row.price === null) warn('price', 'There is no price.')
            return null
          },
        },
      }),
    },
  })
  const resource = (chunkSize?: number) =>
    BulkImportableViewSet({
      model: goods,
      serializer,
      permissionClasses: [AllowAny],
      importFileConfig: importFileConfig(chunkSize),
    })
  const api = useApi(dialect, {
    tables: { goods, jobs, jobErrors },
    resources: { goods: resource(), chunks: resource(2) },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })
  beforeEach(() => {
    stop = undefined
  })
  const stored = async () => (await api.rows('goods')).map(row => row[1])
  const parts = (content: string, fields: Readonly<Record<string, string>> = {}) =>
    form(
      { name: 'file', filename: 'goods.csv', content },
      ...Object.entries({ append_data: 'true', ...fields }).map(([name, value]) => ({ name, value })),
    )
  const send = (content: string, fields?: Readonly<Record<string, string>>, path = '/goods/import-from-file/') =>
    api.post(path, undefined, parts(content, fields))
  const warning = (row: number, field: string, text: Text, column: string | undefined = field) => ({
    row,
    field,
    ...(column && { column }),
    message: String(text),
    model: 'goods',
  })
  const HEADER = 'code,Name of it,price\n'
  const FILE = `${HEADER}a,Nut,1.00\nb,odd,\nc,Free,0.00\nd,odd,cheap\n`
  const WARNINGS = [
    warning(3, 'name', 'This name is odd.', 'Name of it'),
    warning(3, 'price', 'There is no price.'),
    warning(4, 'price', message('unique')),
  ]

  test('are reported, and their rows are stored', async () => {
    const answer = await send(FILE)
    expect(answer.status).toBe(207)
    expect(answer.data()).toMatchObject({ processed: 4, created: 3, failed: 1, warned: 2, warnings: WARNINGS })
    expect(answer.data<{ errors: object[] }>().errors).toMatchObject([{ row: 5, field: 'price' }])
    expect(await stored()).toEqual(['a', 'b', 'c'])
  })

  test('make no success a failure, and are absent if there are none', async () => {
    expect((await send(`${HEADER}b,odd,1\n`)).status).toBe(201)
    const answer = await send(`${HEADER}b,Nut,1\n`)
    expect(answer.data()).toEqual({
      success: true,
      processed: 1,
      failed: 0,
      errors: [],
      created: 0,
      updated: 1,
      skipped: 0,
      ignored_columns: [],
    })
  })

  test('of a serializer see the stored record, and belong to all rows of a record', async () => {
    await send(`${HEADER}c,Cheap,2.50\n`)
    const answer = await send(`${HEADER}c,Free,0.00\nc,Free,0.00\n`)
    expect(answer.data()).toMatchObject({
      updated: 2,
      warned: 2,
      warnings: [2, 3].flatMap(row => [
        warning(row, 'price', message('unique')),
        warning(row, 'non_field_errors', 'It cost 2.50.', ''),
      ]),
    })
  })

  test('of a row that fails later are not reported', async () => {
    const answer = await send(`${HEADER}a,odd,66.00\n`)
    expect(answer.data()).toMatchObject({ failed: 1, errors: [warning(2, 'price', 'This price is refused.')] })
    expect(answer.data()).not.toHaveProperty('warnings')
  })

  test('are errors with fail_on_warnings, and their rows are not stored', async () => {
    const answer = await send(FILE, { fail_on_warnings: 'true' })
    const errors = [...WARNINGS, { row: 5, field: 'price' }, warning(5, 'name', 'This name is odd.', 'Name of it')]
    expect(answer.data()).toMatchObject({ processed: 4, created: 1, failed: 3, errors })
    expect(answer.data()).not.toHaveProperty('warned')
    expect(await stored()).toEqual(['a'])
    const file = await send(FILE, { fail_on_warnings: 'true', failed_rows: 'true' })
    expect(file.text).toContain('"Name of it: This name is odd.\nprice: There is no price.",b,odd,')
  })

  test('do not stand in the file of failed rows', async () => {
    const { text } = await send(FILE, { failed_rows: 'true' })
    expect(text.split('\r\n').slice(0, -1)).toEqual([
      'Errors,code,Name of it,price',
      expect.stringMatching(/^"price: [^\n]*",d,odd,cheap$/),
    ])
  })

  test('are reported by a dry run and by a replace', async () => {
    const tried = await send(FILE, { dry_run: 'true' })
    expect(tried.data()).toMatchObject({ created: 3, failed: 1, warned: 2, warnings: WARNINGS })
    expect(await stored()).toEqual([])
    const replaced = await send(FILE, { append_data: 'false' })
    expect(replaced.data()).toMatchObject({ created: 0, failed: 1, warned: 2, warnings: WARNINGS })
  })

  test('of the cells are shown by the preview', async () => {
    const answer = await api.post('/goods/import-preview/', undefined, parts(FILE, { fail_on_warnings: 'true' }))
    const { sheets } = answer.data<{ sheets: { rows: { warnings?: object[] }[] }[] }>()
    const [first, second, third] = sheets[0]?.rows ?? []
    expect(first).not.toHaveProperty('warnings')
    expect(second?.warnings).toEqual(WARNINGS.slice(0, 2))
    expect(third).not.toHaveProperty('warnings')
  })

  test('are at most 100 of a row', async () => {
    const answer = await send(`${HEADER}a,many,1\n`)
    expect(answer.data<{ warnings: object[] }>().warnings).toHaveLength(100)
  })

  test('are listed up to 1,000, and the rows with warnings are counted', async () => {
    const rows = Array.from({ length: 1_100 }, (_, at) => `x${at},odd,1\n`)
    const answer = await send(HEADER + rows.join(''))
    expect(answer.data()).toMatchObject({ created: 1_100, warned: 1_100, warnings_truncated: true })
    expect(answer.data<{ warnings: object[] }>().warnings).toHaveLength(1_000)
  })

  test('of other writes are ignored', async () => {
    const created = await api.post('/goods/', { id: 1, code: 'a', name: 'Nut', price: '0.00' })
    expect(created.status).toBe(201)
    expect((await api.post('/goods/bulk-create/', [{ code: 'b', name: 'Nut', price: '0.00' }])).status).toBe(201)
  })

  test('are a result of ImportService', async () => {
    const service = new ImportService(importFileConfig(), { database: api.database })
    const failed: number[] = []
    const options = {
      append: true,
      onRowErrors: (errors: readonly { row: number }[]) => void failed.push(...errors.map(({ row }) => row)),
    }
    const result = await service.import(Buffer.from(FILE), options)
    expect(result).toMatchObject({ warned: 1, warnings: WARNINGS.slice(0, 2), created: 3 })
    expect(failed).toEqual([5])
    const strict = await service.import(Buffer.from(FILE), { ...options, failOnWarnings: true })
    expect(strict).toMatchObject({ failed: 2, updated: 2 })
  })

  test('of a job that goes on are those of an undisturbed one', async () => {
    const content = `${HEADER}a,odd,1\nb,Nut,\nc,Free,0.00\nstop,odd,1\ne,Nut,cheap\nf,odd,2\n`
    const run = async (path: string) => {
      const accepted = await send(content, { background: 'true' }, path)
      const { id } = accepted.data<JobData>()
      if (stop) await queue.run(id, stop.signal).catch(() => undefined)
      await queue.run(id)
      return (await api.get(`/jobs/${id}/`)).data<JobData>()
    }
    const whole = await run('/goods/import-from-file/')
    await api.clear()
    stop = new AbortController()
    const job = await run('/chunks/import-from-file/')
    expect(job.attempts).toBe(2)
    expect(job).toMatchObject({ state: 'succeeded', progress: { processed: 6, created: 5, failed: 1, warned: 5 } })
    expect(job.errors).toMatchObject([{ row: 6 }])
    expect(job.errors).toEqual(whole.errors)
    expect(job.result?.warnings).toHaveLength(5)
    expect(job.result).toEqual(whole.result)
    expect(Object.keys(job.errors?.[0] ?? {}).sort()).toEqual(['column', 'field', 'message', 'model', 'row'])
  })

  test('make the rows of a job fail with fail_on_warnings', async () => {
    const accepted = await send(FILE, { background: 'true', fail_on_warnings: 'true' })
    const { id } = accepted.data<JobData>()
    await queue.run(id)
    const job = (await api.get(`/jobs/${id}/`)).data<JobData>()
    expect(job).toMatchObject({ options: { fail_on_warnings: true }, progress: { created: 1, failed: 3 } })
  })
})
