import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  currentDb,
  type ImportFileConfig,
  ImportService,
  importForeignKey,
  importModel,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { form } from '../support/multipart.ts'
import { workbook } from '../support/workbook.ts'

type Cell = string | number | boolean | null
type Rows = readonly (readonly Cell[])[]

const HEADER = ['code', 'Land', 'price', 'note']
const ROWS: Rows = [
  ['a1', 'Norge', '1.50', 'n/a'],
  ['b2', ' Norge ', 'free', 'kept'],
  ['c3', 'SE', '2', ''],
  ['d4', 'norge', '3', 'n/a'],
]
const VALUES = { Land: { Norge: 'NO' }, price: { free: 0 }, note: { 'n/a': null, '': 'none' } }

const FORMS = [
  ['csv', async (rows: Rows) => Buffer.from(rows.map(row => `${row.join(',')}\r\n`).join(''))],
  ['xlsx', (rows: Rows) => workbook({ Prices: rows })],
] as const

describeOneDialect('values of cells', dialect => {
  const { kit } = dialect
  const countries = kit.table('countries', {
    id: kit.integer().primaryKey(),
    iso: kit.text(2).notNull().unique(),
  })
  const goods = kit.table('goods', {
    id: kit.integer().primaryKey(),
    code: kit.text(10).notNull().unique(),
    country: kit
      .integer()
      .notNull()
      .references(() => countries.id),
    price: kit.decimal(8, 2),
    note: kit.text(20),
  })
  const importFileConfig = {
    fileFormat: ['csv', 'xlsx'],
    order: ['goods'],
    models: {
      goods: importModel({
        model: goods,
        fields: ['code', 'price', 'note'],
        uniqueFields: ['code'],
        foreignKeys: { country: importForeignKey({ model: countries, lookupField: 'iso', sourceField: 'Land' }) },
      }),
    },
  } satisfies ImportFileConfig
  const resource = (config: ImportFileConfig) =>
    BulkImportableViewSet({
      model: goods,
      serializer: BaseModelSerializer(goods, { fields: ['id', 'code', 'country', 'price', 'note'] }),
      permissionClasses: [AllowAny],
      importFileConfig: config,
    })
  const seen: unknown[] = []
  const api = useApi(dialect, {
    tables: { countries, goods },
    resources: {
      goods: resource(importFileConfig),
      open: resource({
        ...importFileConfig,
        prepareRow: row => {
          seen.push(row.Land)
          return row
        },
      }),
    },
  })
  const send = (path: string, content: Buffer, parts: Readonly<Record<string, string>> = {}) => {
    const fields = Object.entries({ append_data: 'true', ...parts }).map(([name, value]) => ({ name, value }))
    return api.post(path, undefined, form({ name: 'file', filename: 'goods', content }, ...fields))
  }
  const values = JSON.stringify(VALUES)
  beforeEach(async () => {
    await api.database.transaction(async () => {
      await currentDb()
        .insert(countries)
        .values([
          { id: 1, iso: 'NO' },
          { id: 2, iso: 'SE' },
        ])
    })
  })

  describe.each(FORMS)('%s', (_, make) => {
    let file: Buffer
    beforeEach(async () => {
      file = await make([HEADER, ...ROWS])
    })

    test('are replaced by those of the client, and only these', async () => {
      const answer = await send('/goods/import-from-file/', file, { values })
      expect(answer.data()).toMatchObject({ created: 3, failed: 1, errors: [{ row: 5, column: 'Land' }] })
      const list = await api.get('/goods/?ordering=code')
      expect(list.data()).toMatchObject([
        { code: 'a1', country: 1, price: '1.50', note: null },
        { code: 'b2', country: 1, price: '0.00', note: 'kept' },
        { code: 'c3', country: 2, price: '2.00', note: 'none' },
      ])
    })

    test('are seen by prepareRow as replaced', async () => {
      seen.length = 0
      await send('/open/import-from-file/', file, { values, dry_run: 'true' })
      expect(seen).toEqual(['NO', 'NO', 'SE', 'norge'])
    })

    test('are shown by the preview as they are and as they are read', async () => {
      const preview = await send('/goods/import-preview/', file, { values })
      expect(preview.data()).toMatchObject({
        sheets: [{ rows: [{ cells: ['a1', 'Norge', '1.50', 'n/a'], values: { Land: 'NO', note: null } }, {}, {}, {}] }],
      })
    })

    test('stay in the file of failed rows, which is imported with the same values', async () => {
      const failed = await send('/goods/import-from-file/', file, { values, failed_rows: 'true' })
      const again = JSON.stringify({ ...VALUES, Land: { norge: 'NO' } })
      const answer = await send('/goods/import-from-file/', failed.bytes, { values: again })
      expect(answer.data()).toMatchObject({ processed: 1, created: 1 })
      const [last] = (await api.get('/goods/?ordering=-code')).data() as unknown[]
      expect(last).toMatchObject({ code: 'd4', country: 1, note: null })
    })

    test.each(['import-from-file', 'import-preview'])(
      'are refused by %s if the file lacks the column',
      async action => {
        const wrong = JSON.stringify({ Lant: { Norge: 'NO' } })
        const answer = await send(`/goods/${action}/`, file, { values: wrong })
        expect(answer.status).toBe(400)
        expect(answer.envelope()).toMatchObject({
          errors: { values: ['The file has no column "Lant". Did you mean "Land"?'] },
        })
      },
    )
  })

  test.each(['[]', '{"Land":"NO"}', '{"Land":{"Norge":["NO"]}}', '{"Land":null}', 'x'])(
    'are refused if they are %s',
    async wrong => {
      const answer = await send('/goods/import-from-file/', Buffer.from('code\n'), { values: wrong })
      expect(answer.envelope()).toMatchObject({ errors: { values: [expect.stringMatching(/^Send a JSON object/)] } })
    },
  )

  test('are options of the service, too', async () => {
    const service = new ImportService(importFileConfig, { database: api.database })
    const result = await service.import(Buffer.from('code,Land,price,note\ne5,Norge,,\n'), {
      append: true,
      values: { land: { Norge: 'SE' } },
    })
    expect(result).toMatchObject({ created: 1, errors: [] })
  })
})
