import { eq } from 'drizzle-orm'
import { readXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  currentDb,
  IdToDataField,
  importForeignKey,
  importModel,
  insertMany,
  type User,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { type RequestOptions, useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { type EditableRow, editedWorkbook } from '../support/edited-workbook.ts'
import { form } from '../support/multipart.ts'

const ID = 'ID (do not change)'
const IGNORED = 'This column is for reading only. Changes in it were ignored.'

describeOneDialect('columns for reading only of a file for editing', dialect => {
  const { kit } = dialect
  const makers = kit.table('makers', {
    id: kit.integer().primaryKey(),
    name: kit.text(20).notNull().unique(),
    land: kit.text(20),
  })
  const goods = kit.table('goods', {
    id: kit.integer().primaryKey(),
    name: kit.text(20).notNull().unique(),
    price: kit.decimal(10, 2),
    sold: kit.integer(),
    seen: kit.timestamp(),
    maker: kit.foreignKey(makers),
  })
  const Maker = BaseModelSerializer(makers, { fields: ['id', 'name', 'land'] })
  const fields = ['id', 'name', 'price', 'sold', 'seen', 'maker'] as const
  const label = ({ id, name }: { id: number; name: string }) => `${id}: ${name}`
  const maker = IdToDataField({ queryset: makers, serializer: Maker })
  const Full = BaseModelSerializer(goods, { name: 'Full', fields, extra: { maker, label } })
  const Public = BaseModelSerializer(goods, { name: 'Public', fields: ['id', 'name', 'price'], extra: { label } })
  const config = {
    model: goods,
    serializer: Full,
    permissionClasses: [AllowAny],
    ordering: 'id',
    importFileConfig: {
      fileFormat: ['csv', 'xlsx'],
      order: ['goods'],
      models: {
        goods: importModel({
          model: goods,
          fields: ['name', 'price'],
          uniqueFields: ['name'],
          foreignKeys: { maker: importForeignKey({ model: makers, lookupField: 'name', sourceField: 'maker' }) },
        }),
      },
    },
  } as const
  class Labelled extends BulkImportableViewSet({
    ...config,
    serializers: [Full, Public],
    exportFieldConfig: {
      name: 'Product',
      sold: 'Sold',
      seen: 'Last seen',
      maker__name: 'Maker',
      maker__land: 'Land',
      label: 'Label',
    },
  }) {
    override getSerializer() {
      return (this.user as User | null)?.id === 'guest' ? Public : Full
    }
  }
  const api = useApi(dialect, {
    tables: { makers, goods },
    settings: { COMMON: { TIME_ZONE: 'Europe/Oslo' } },
    users: { guest: { id: 'guest' } },
    resources: { goods: Labelled, plain: BulkImportableViewSet(config) },
  })
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(makers, [{ id: 1, name: 'Acme', land: 'Norway' }])
      await insertMany(goods, [
        { id: 101, name: 'Cup', price: '8.00', sold: 5, seen: '2026-07-15T10:30:00.000000Z', maker: 1 },
        { id: 102, name: 'Tea', price: '3.00' },
        { id: 103, name: 'Pot', price: '12.00', sold: 1 },
      ])
    }),
  )

  const exported = async (options: RequestOptions = {}, resource = 'goods') => {
    const answer = await api.post(`/${resource}/export/`, { file_type: 'xlsx', for_editing: true }, options)
    expect(answer.status).toBe(200)
    return answer.bytes
  }
  const send = (content: Buffer, parts: Readonly<Record<string, string>> = {}) => {
    const named = Object.entries({ append_data: 'true', ...parts }).map(([name, value]) => ({ name, value }))
    const sent = form({ name: 'file', filename: 'goods.xlsx', content }, ...named)
    return api.post('/goods/import-from-file/', undefined, sent)
  }
  const edited = async (change: (row: EditableRow) => void, more: EditableRow[] = []) =>
    editedWorkbook(await exported(), rows => {
      for (const row of rows) change(row)
      return [...rows, ...more]
    })
  const stored = async () => {
    const rows = await api.database.use(() => currentDb().select().from(goods))
    return rows.map(({ name, sold }) => [name, sold]).toSorted()
  }
  const headerOf = async (bytes: Buffer) => (await readXlsx(new Uint8Array(bytes))).sheets[0]?.rows[0]

  test('are those of the export that the import does not write, after the others and in grey', async () => {
    const { sheets } = await readXlsx(new Uint8Array(await exported()), { readStyles: true })
    const [sheet] = sheets
    expect(sheet?.rows.slice(0, 2)).toEqual([
      [ID, 'Delete?', 'Product', 'price', 'Maker', 'Sold', 'Last seen', 'Land', 'Label'],
      ['101', null, 'Cup', 8, 'Acme', 5, new Date('2026-07-15T12:30:00Z'), 'Norway', '101: Cup'],
    ])
    const grey = [...(sheet?.cells ?? [])].flatMap(([at, { style }]) =>
      at.startsWith('1,') && JSON.stringify(style ?? {}).includes('EDEDED') ? [at] : [],
    )
    expect(grey.toSorted()).toEqual(['1,0', '1,5', '1,6', '1,7', '1,8'])
  })

  test('are the readable fields without a configured export, but not related records as JSON', async () => {
    const header = [ID, 'Delete?', 'name', 'price', 'maker', 'Sold', 'Seen', 'Label']
    expect(await headerOf(await exported({}, 'plain'))).toEqual(header)
  })

  test('are not those that are hidden from the user', async () => {
    const header = await headerOf(await exported({ as: 'guest' }))
    expect(header).toEqual([ID, 'Delete?', 'Product', 'price', 'Label'])
  })

  test('do not change the merge: an unedited file writes nothing', async () => {
    const before = await api.rows('goods')
    for (const file of [await exported(), await edited(() => {})]) {
      const { warned, ...answer } = (await send(file)).data<Record<string, unknown>>()
      expect([warned, answer]).toMatchObject([undefined, { unchanged: 3, failed: 0, ignored_columns: [] }])
    }
    expect(await api.rows('goods')).toEqual(before)
  })

  test('are ignored if they are edited, with one warning for each; with fail_on_warnings, all of their rows fail', async () => {
    const file = await edited(
      row => {
        row.Sold = 99
        if (row.Product === 'Tea') Object.assign(row, { Label: 'x', Product: 'Green tea' })
      },
      [{ Product: 'New', Land: 'Sweden' }],
    )
    const answer = await send(file)
    expect(answer.status).toBe(201)
    expect(answer.data()).toMatchObject({
      created: 1,
      updated: 1,
      unchanged: 2,
      failed: 0,
      warned: 3,
      warnings: [
        { row: 2, column: 'Sold', message: IGNORED },
        { row: 3, column: 'Label', message: IGNORED },
        { row: 5, column: 'Land', message: IGNORED },
      ],
    })
    expect(await stored()).toEqual([
      ['Cup', 5],
      ['Green tea', null],
      ['New', null],
      ['Pot', 1],
    ])
    const strict = await send(await edited(row => Object.assign(row, { Sold: 98 })), { fail_on_warnings: 'true' })
    expect(strict.data()).toMatchObject({ processed: 4, failed: 4, unchanged: 0 })
    expect(strict.data<{ errors: object[] }>().errors).toMatchObject(
      [2, 3, 4, 5].map(row => ({ row, column: 'Sold', message: IGNORED })),
    )
  })

  test('may be missing, moved or renamed', async () => {
    const bytes = await exported()
    const others = await editedWorkbook(
      bytes,
      rows => rows.map(row => ({ ...row, Sales: row.Sold ?? null })),
      headers => ['Label', 'Sales', ...headers.filter(name => !['Sold', 'Land', 'Label'].includes(name))],
    )
    expect((await send(others)).data()).toMatchObject({ unchanged: 3, failed: 0, ignored_columns: ['Sales'] })
  })

  test('stand in the failed rows as they were exported, and so do columns that people have added', async () => {
    const file = await editedWorkbook(
      await exported(),
      rows => rows.map(row => ({ ...row, Remark: `about ${row.Product}`, price: row.Product === 'Cup' ? 'free' : 5 })),
      headers => ['Remark', ...headers],
    )
    const failed = await send(file, { failed_rows: 'true' })
    const { sheets } = await readXlsx(new Uint8Array(failed.bytes), { readStyles: true })
    const [sheet] = sheets
    expect(sheet?.rows.map(row => row.slice(1))).toEqual([
      [ID, 'Delete?', 'Product', 'price', 'Maker', 'Sold', 'Last seen', 'Land', 'Label', 'Remark'],
      ['101', null, 'Cup', 'free', 'Acme', 5, new Date('2026-07-15T12:30:00Z'), 'Norway', '101: Cup', 'about Cup'],
    ])
    expect(JSON.stringify(sheet?.cells?.get('1,6')?.style)).toContain('EDEDED')
    await api.database.transaction(() => currentDb().update(goods).set({ sold: 77 }).where(eq(goods.id, 101)))
    const corrected = await editedWorkbook(failed.bytes, rows => rows.map(row => ({ ...row, price: 6 })))
    const answer = await send(corrected)
    expect(answer.data()).toMatchObject({ updated: 1, failed: 0, ignored_columns: ['Remark'] })
    expect(answer.data()).not.toHaveProperty('warned')
    expect(await stored()).toContainEqual(['Cup', 77])
  })
})
