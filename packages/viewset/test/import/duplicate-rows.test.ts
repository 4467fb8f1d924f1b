import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  currentDb,
  type ImportFileConfig,
  importForeignKey,
  importModel,
  skipRow,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { form } from '../support/multipart.ts'

describeDialects('rows with the same key', dialect => {
  const { kit } = dialect
  const makers = kit.table('makers', { ...kit.BaseModelMixin(), name: kit.text(20).notNull().unique() })
  const goods = kit.table(
    'goods',
    {
      ...kit.BaseModelMixin(),
      code: kit.text(10).notNull(),
      price: kit.integer(),
      maker: kit.foreignKey(makers),
    },
    t => [kit.uniqueIgnoringCase(t.code)],
  )
  const { jobs, jobErrors } = kit.JobTables()
  const queue = new ManualQueue()
  const config = (onDuplicateRow: 'last' | 'fail', more: Partial<ImportFileConfig> = {}): ImportFileConfig => ({
    fileFormat: 'csv',
    order: ['makers', 'goods'],
    models: {
      makers: importModel({ model: makers, fields: ['name'], uniqueFields: ['name'], onDuplicateRow }),
      goods: importModel({
        model: goods,
        fields: ['code', 'price'],
        uniqueFields: ['code'],
        foreignKeys: { maker: importForeignKey({ model: makers, lookupField: 'name', sourceField: 'name' }) },
        onDuplicateRow,
      }),
    },
    ...more,
  })
  const resource = (importFileConfig: ImportFileConfig) =>
    BulkImportableViewSet({
      model: goods,
      serializer: BaseModelSerializer(goods, { fields: ['id', 'code', 'price'] }),
      permissionClasses: [AllowAny],
      importFileConfig,
    })
  let stop: AbortController | undefined
  const api = useApi(dialect, {
    tables: { makers, goods, jobs, jobErrors },
    resources: {
      last: resource(config('last')),
      strict: resource(config('fail')),
      chunks: resource(
        config('fail', {
          chunkSize: 2,
          prepareRow(row, { rowNumber }) {
            if (rowNumber === 6) stop?.abort()
            return row.price === 'skip' ? skipRow : row
          },
        }),
      ),
    },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })
  const post = (name: string, content: string, more: Readonly<Record<string, string>> = {}) => {
    const parts = Object.entries({ append_data: 'true', ...more }).map(([key, value]) => ({ name: key, value }))
    return api.post(
      `/${name}/import-from-file/`,
      undefined,
      form({ name: 'file', filename: 'a.csv', content }, ...parts),
    )
  }
  const stored = async () =>
    (await api.database.use(async () => currentDb().select().from(goods)))
      .map(({ code, price }) => [code, price])
      .sort()
  const HEADER = 'name,code,price\n'
  /** Three rows about one record, one with a wrong cell, far from each other. */
  const FILE = `${HEADER}Ada,a,1\nAda,b,2\nBob,A,3\nAda,c,4\nBob, a ,cheap\nBob,d,5\n`
  const MESSAGE = 'Rows 2, 4 and 6 have the same code. Keep one of them.'
  const ERRORS = [
    { row: 2, field: 'code', column: 'code', message: MESSAGE, model: 'goods' },
    { row: 4, field: 'code', message: MESSAGE },
    { row: 6, field: 'price' },
    { row: 6, field: 'code', message: MESSAGE },
  ]
  const REST = [
    ['b', 2],
    ['c', 4],
    ['d', 5],
  ]
  beforeEach(() => {
    stop = undefined
  })

  test('update each other by default', async () => {
    const answer = await post('last', FILE)
    expect(answer.data()).toMatchObject({ created: 4, updated: 1, failed: 1 })
    expect(await stored()).toEqual([['A', 3], ...REST])
  })

  describe.each(['strict', 'chunks'])("with 'fail' (%s)", name => {
    test('all fail, with their rows in the error; parents in the same rows may repeat', async () => {
      const answer = await post(name, FILE)
      expect(answer.data()).toMatchObject({ created: 3, updated: 0, failed: 3, errors: ERRORS })
      expect(answer.data()).toMatchObject({
        error_groups: [{ code: 'repeated_row', rows: '2, 4, 6', count: 3 }, { field: 'price' }],
      })
      expect(await stored()).toEqual(REST)
    })

    test('fail in a dry run, too', async () => {
      expect((await post(name, FILE, { dry_run: 'true' })).data()).toMatchObject({ failed: 3, errors: ERRORS })
      expect(await stored()).toEqual([])
    })

    test('undo a replace', async () => {
      await post('last', `${HEADER}Ada,z,9\n`)
      expect((await post(name, FILE, { append_data: 'false' })).data()).toMatchObject({ failed: 3, rolled_back: true })
      expect(await stored()).toEqual([['z', 9]])
    })

    test('are in the file of failed rows, which imports when one is kept', async () => {
      const failed = await post(name, FILE, { failed_rows: 'true' })
      const lines = failed.text.split('\r\n')
      expect(lines.slice(1, 3)).toEqual([`"code: ${MESSAGE}",Ada,a,1`, `"code: ${MESSAGE}",Bob,A,3`])
      expect((await post(name, [lines[0], lines[2]].join('\n'))).data()).toMatchObject({ created: 1, failed: 0 })
    })

    test('an error names ten rows', async () => {
      const rows = Array.from({ length: 1_200 }, () => 'Ada,x,1\n').join('')
      const { failed, errors } = (await post(name, HEADER + rows)).data<{
        failed: number
        errors: { message: string }[]
      }>()
      expect(failed).toBe(1_200)
      expect(errors[0]?.message).toBe(
        'Rows 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 1190 more have the same code. Keep one of them.',
      )
    })
  })

  test('a row that is skipped is none of them', async () => {
    expect((await post('chunks', `${HEADER}Ada,a,1\nAda,a,skip\n`)).data()).toMatchObject({ created: 1, skipped: 1 })
  })

  test('a job that is interrupted fails the same rows', async () => {
    const { id } = (await post('chunks', FILE, { background: 'true' })).data<JobData>()
    stop = new AbortController()
    await queue.run(id, stop.signal).catch(() => undefined)
    stop = undefined
    await queue.run(id)
    const job = (await api.get(`/jobs/${id}/`)).data<JobData>()
    expect(job).toMatchObject({ state: 'succeeded', progress: { created: 3, failed: 3 }, errors: ERRORS })
    expect(await stored()).toEqual(REST)
  })
})
