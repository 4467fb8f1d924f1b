import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  currentDb,
  type ImportFileConfig,
  importForeignKey,
  importManyToMany,
  importModel,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { form } from '../support/multipart.ts'
import { workbook } from '../support/workbook.ts'

describeOneDialect('optional columns', dialect => {
  const { kit } = dialect
  const makers = kit.table('makers', { ...kit.BaseModelMixin(), name: kit.text(20).notNull().unique() })
  const goods = kit.table('goods', {
    ...kit.BaseModelMixin(),
    code: kit.text(10).notNull().unique(),
    price: kit.integer(),
    state: kit.text(10).notNull().default('new'),
    maker: kit.foreignKey(makers),
  })
  const goodMakers = kit.table('good_makers', {
    ...kit.BaseModelMixin(),
    good: kit.foreignKey(goods).notNull(),
    maker: kit.foreignKey(makers).notNull(),
  })
  const { jobs, jobErrors } = kit.JobTables()
  const queue = new ManualQueue()
  const config = (more: Partial<ImportFileConfig> = {}): ImportFileConfig => ({
    fileFormat: ['csv', 'xlsx'],
    order: ['goods'],
    models: {
      goods: importModel({
        model: goods,
        fields: ['code', 'price', 'state'],
        uniqueFields: ['code'],
        foreignKeys: { maker: importForeignKey({ model: makers, lookupField: 'name', sourceField: 'Maker' }) },
        manyToMany: {
          others: importManyToMany({ model: makers, lookupField: 'name', sourceField: 'Others', through: goodMakers }),
        },
        optional: ['state', 'Maker', 'Others'],
      }),
    },
    ...more,
  })
  const resource = (importFileConfig: ImportFileConfig) =>
    BulkImportableViewSet({
      model: goods,
      serializer: BaseModelSerializer(goods, { fields: ['id', 'code', 'price', 'state', 'maker'] }),
      permissionClasses: [AllowAny],
      importFileConfig,
    })
  const api = useApi(dialect, {
    tables: { makers, goods, goodMakers, jobs, jobErrors },
    resources: { goods: resource(config()), open: resource(config({ prepareRow: row => row })) },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })
  const post = (
    content: Buffer | string,
    more: Readonly<Record<string, string>> = {},
    path = 'goods/import-from-file',
  ) => {
    const parts = Object.entries({ append_data: 'true', ...more }).map(([name, value]) => ({ name, value }))
    return api.post(`/${path}/`, undefined, form({ name: 'file', filename: 'goods.csv', content }, ...parts))
  }
  const stored = async () => {
    const records = (await api.get('/goods/?paginated=false')).data<Record<string, unknown>[]>()
    return records.map(({ code, price, state, maker }) => [code, price, state, maker !== null]).sort()
  }
  const links = async () => (await api.database.use(async () => currentDb().select().from(goodMakers))).length

  beforeEach(async () => {
    await api.database.use(async () =>
      currentDb()
        .insert(makers)
        .values([{ name: 'Ada' }, { name: 'Bob' }]),
    )
    expect((await post('code,price,state,Maker,Others\na,1,old,Ada,Ada;Bob\n')).status).toBe(201)
  })
  const AFTER = [
    ['a', 2, 'old', true],
    ['b', 3, 'new', false],
  ]

  test.each([
    ['a CSV file', () => 'code,price\na,2\nb,3\n', 'goods'],
    [
      'a workbook',
      () =>
        workbook({
          goods: [
            ['code', 'price'],
            ['a', 2],
            ['b', 3],
          ],
        }),
      'goods',
    ],
    ['a file whose rows a function sees', () => 'code,price\na,2\nb,3\n', 'open'],
  ])('%s without them keeps stored values and links; new records get defaults', async (_, file, name) => {
    const answer = await post(await file(), {}, `${name}/import-from-file`)
    expect([answer.status, answer.data()]).toMatchObject([201, { created: 1, updated: 1 }])
    expect(await stored()).toEqual(AFTER)
    expect(await links()).toBe(2)
  })

  test('a job imports the file too', async () => {
    const { id } = (await post('code,price\na,2\nb,3\n', { background: 'true' })).data<JobData>()
    await queue.run(id)
    expect((await api.get(`/jobs/${id}/`)).data<JobData>()).toMatchObject({ state: 'succeeded' })
    expect(await stored()).toEqual(AFTER)
  })

  test('an empty cell is no missing column', async () => {
    expect((await post('code,price,state,Maker,Others\na,2,,,\n')).status).toBe(201)
    expect(await stored()).toEqual([['a', 2, 'new', false]])
    expect(await links()).toBe(0)
  })

  test('other columns must be there', async () => {
    const answer = await post('code\na\n')
    expect(answer.status).toBe(400)
    expect(answer.envelope()).toMatchObject({
      errors: { file: expect.arrayContaining(['The column "price" is missing.']) },
    })
  })

  test('a preview has no problem with the file', async () => {
    const answer = await post('code,price\na,2\n', {}, 'goods/import-preview')
    expect(answer.data()).toMatchObject({ sheets: [{ problems: [] }] })
  })

  test('a replace takes the file too', async () => {
    await post('code,price,Others\na,1,\n')
    expect((await post('code,price\nc,5\n', { append_data: 'false' })).status).toBe(201)
    expect(await stored()).toEqual([['c', 5, 'new', false]])
  })
})
