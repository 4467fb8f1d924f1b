import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  type ImportFileConfig,
  ImportService,
  importModel,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { form } from '../support/multipart.ts'

describeDialects('an import of all or nothing', dialect => {
  const { kit } = dialect
  const goods = kit.table('goods', {
    ...kit.BaseModelMixin(),
    code: kit.text(10).notNull().unique(),
    price: kit.decimal(8, 2),
  })
  const history = kit.HistoryTable(goods)
  const { jobs, jobErrors } = kit.JobTables()
  const queue = new ManualQueue()
  let stop: AbortController | undefined
  const config: ImportFileConfig = {
    fileFormat: 'csv',
    order: ['goods'],
    chunkSize: 2,
    prepareRow(row, { rowNumber, warn }) {
      if (row.price === '0') warn('price', 'This is free.')
      if (rowNumber === 6) stop?.abort()
      return row
    },
    models: {
      goods: importModel({
        model: goods,
        fields: ['code', 'price'],
        uniqueFields: ['code'],
        skipUnchanged: true,
        deleteWhen: { sourceField: 'gone', equals: ['x'] },
      }),
    },
  }
  const resource = (more: Partial<ImportFileConfig> = {}) =>
    BulkImportableViewSet({
      model: goods,
      serializer: BaseModelSerializer(goods, { fields: ['id', 'code', 'price'] }),
      permissionClasses: [AllowAny],
      importFileConfig: { ...config, ...more },
    })
  const api = useApi(dialect, {
    tables: { goods, ...history, jobs, jobErrors },
    resources: { goods: resource(), strict: resource({ allOrNothing: true }) },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })
  const post = (content: string, fields: Readonly<Record<string, string>>, name = 'goods') => {
    const parts = Object.entries({ append_data: 'true', ...fields }).map(([key, value]) => ({ name: key, value }))
    const path = `/${name}/import-from-file/`
    return api.post(path, undefined, form({ name: 'file', filename: 'goods.csv', content }, ...parts))
  }
  const stored = async () =>
    (await api.get('/goods/?paginated=false'))
      .data<{ code: string; price: string }[]>()
      .map(({ code, price }) => [code, Number(price)])
      .sort()
  const inJob = async (content: string, fields: Readonly<Record<string, string>>, name?: string) => {
    const accepted = await post(content, { ...fields, background: 'true' }, name)
    const { id } = accepted.data<JobData>()
    if (stop) await queue.run(id, stop.signal).catch(() => undefined)
    stop = undefined
    await queue.run(id)
    return (await api.get(`/jobs/${id}/`)).data<JobData>()
  }

  const HEADER = 'code,price,gone\n'
  const START = [
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ]
  /** A row that is unchanged, one that updates, one that deletes, one that creates, one that fails, one with a warning. */
  const FILE = `${HEADER}a,1,\nb,20,\nc,,x\nd,4,\ne,cheap,\nf,0,\n`
  const GOOD = FILE.replace('cheap', '5')
  const MESSAGE = '1 of 6 rows failed, so nothing was stored: all is as it was before.'
  const NOTHING = {
    success: false,
    processed: 6,
    failed: 1,
    created: 0,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    deleted: 0,
    warned: 1,
    rolled_back: true,
  }
  const ALL = { processed: 6, failed: 0, created: 3, updated: 1, unchanged: 1, skipped: 0, deleted: 1, warned: 1 }
  beforeEach(async () => {
    stop = undefined
    await post(`${HEADER}a,1,\nb,2,\nc,3,\n`, {})
  })

  const WAYS = [
    ['by the client', 'goods', { all_or_nothing: 'true' }],
    ['by the configuration', 'strict', {}],
    ['by the configuration, also if the client declines', 'strict', { all_or_nothing: 'false' }],
  ] as const

  describe.each(WAYS)('asked for %s', (_, name, fields) => {
    test('stores nothing if a row fails, and reports every row', async () => {
      const answer = await post(FILE, fields, name)
      expect(answer.status).toBe(207)
      expect(answer.envelope()).toMatchObject({ success: false, message: MESSAGE, data: NOTHING })
      expect(answer.data()).toMatchObject({
        errors: [{ row: 6, field: 'price' }],
        error_groups: [{ rows: '6' }],
        warnings: [{ row: 7, field: 'price' }],
      })
      expect(await stored()).toEqual(START)
    })

    test('stores all if no row fails', async () => {
      const answer = await post(GOOD, fields, name)
      expect(answer.status).toBe(201)
      expect(answer.data()).toMatchObject(ALL)
      expect(answer.data()).not.toHaveProperty('rolled_back')
      expect(await stored()).toEqual([
        ['a', 1],
        ['b', 20],
        ['d', 4],
        ['e', 5],
        ['f', 0],
      ])
    })

    test('holds for a job, which starts again after an interruption', async () => {
      stop = new AbortController()
      const job = await inJob(FILE, fields, name)
      expect(job).toMatchObject({
        state: 'succeeded',
        attempts: 2,
        message: MESSAGE,
        progress: { processed: 6, failed: 1, created: 0, updated: 0, unchanged: 0, deleted: 0, warned: 1 },
        result: { ...NOTHING, error_groups: [{ rows: '6' }] },
        errors: [{ row: 6 }],
      })
      expect(await stored()).toEqual(START)
      const file = await api.get(`/jobs/${job.id}/file/`)
      expect(file.text.split('\r\n').slice(0, 3)).toEqual(['Errors,code,price,gone', ',a,1,', ',b,20,'])
      const good = await inJob(GOOD, fields, name)
      expect(good).toMatchObject({ state: 'succeeded', message: '', progress: ALL, result_file: null })
      expect(good.result).not.toHaveProperty('rolled_back')
      expect((await stored()).length).toBe(5)
    })

    test('gives a file of all rows, since none is stored', async () => {
      const answer = await post(FILE, { ...fields, failed_rows: 'true' }, name)
      expect(
        answer.text
          .split('\r\n')
          .slice(0, -1)
          .map(line => line.split(',').at(-3)),
      ).toEqual(['code', 'a', 'b', 'c', 'd', 'e', 'f'])
      expect(JSON.parse(String(answer.headers['x-import-result']))).toMatchObject({
        message: `${MESSAGE} The file has all rows: put it right and send it again.`,
        rolled_back: true,
      })
    })

    test('is reported by a dry run', async () => {
      const answer = await post(FILE, { ...fields, dry_run: 'true', diff: 'true' }, name)
      expect(answer.data()).toMatchObject({
        ...NOTHING,
        dry_run: true,
        diff: { rows: [], totals: { create: 0, update: 0, delete: 0, unchanged: 0 } },
      })
      const good = await post(GOOD, { ...fields, dry_run: 'true' }, name)
      expect(good.data()).toMatchObject({ ...ALL, dry_run: true })
      expect(good.data()).not.toHaveProperty('rolled_back')
      expect(await stored()).toEqual(START)
    })

    test('is what a replace is already', async () => {
      const answer = await post(FILE, { ...fields, append_data: 'false' }, name)
      expect(answer.envelope()).toMatchObject({
        message: '1 of 6 rows failed, so nothing was replaced: all is as it was before.',
        // The row that deletes finds no record: the replace has deleted all.
        data: { ...NOTHING, skipped: 1 },
      })
      const job = await inJob(FILE, { ...fields, append_data: 'false' }, name)
      expect(job.result).toMatchObject({ ...NOTHING, skipped: 1 })
      expect(await stored()).toEqual(START)
    })

    test('stores nothing if a row has a warning, with fail_on_warnings', async () => {
      const answer = await post(GOOD, { ...fields, fail_on_warnings: 'true' }, name)
      expect(answer.data()).toMatchObject({ failed: 1, rolled_back: true, errors: [{ row: 7 }] })
      expect(await stored()).toEqual(START)
    })
  })

  test('without it, the other rows are stored', async () => {
    const answer = await post(FILE, {})
    expect(answer.data()).toMatchObject({ ...ALL, created: 2, failed: 1 })
    expect(answer.data()).not.toHaveProperty('rolled_back')
  })

  test('leaves no job to undo if nothing is stored', async () => {
    const before = (await api.get('/jobs/')).data<unknown[]>().length
    expect((await post(FILE, { all_or_nothing: 'true' })).data()).not.toHaveProperty('job')
    expect((await api.get('/jobs/')).data<unknown[]>().length).toBe(before)
    expect((await post(GOOD, { all_or_nothing: 'true' })).data()).toHaveProperty('job')
  })

  test('is an option of ImportService, and fails in an enclosing transaction without undoing it', async () => {
    const { chunkSize: _, ...whole } = config
    const service = new ImportService(whole, { database: api.database })
    const reported: number[] = []
    const result = await api.database.transaction(async () => {
      await service.import(Buffer.from(`${HEADER}z,9,\n`), { append: true })
      return service.import(Buffer.from(FILE), {
        append: true,
        allOrNothing: true,
        onRowErrors: errors => void reported.push(...errors.map(({ row }) => row)),
      })
    })
    expect(result).toMatchObject({ rolledBack: true, created: 0, failed: 1 })
    expect(reported).toEqual([6])
    expect(await stored()).toEqual([...START, ['z', 9]])
  })
})
