import { eq } from 'drizzle-orm'
import { type CellValue, readXlsx, writeXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  currentDb,
  importForeignKey,
  importModel,
  insertMany,
  scoped,
  type User,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { type EditableRow, editedWorkbook } from '../support/edited-workbook.ts'
import { form } from '../support/multipart.ts'

const ID = 'ID (do not change)'
/** What a test changes in the resource. */
interface Changes {
  readonly model?: object
  readonly file?: object
  readonly view?: object
}

type Data = {
  created: number
  updated: number
  unchanged: number
  failed: number
  errors: { field: string; column?: string; message: string }[]
  warnings?: unknown[]
  ignored_columns: string[]
  ignored_sheets?: string[]
}

describeOneDialect('an edited file', dialect => {
  const { kit } = dialect
  const makers = kit.table('makers', {
    id: kit.integer().primaryKey(),
    name: kit.text(20).notNull(),
    firm: kit.text(10),
  })
  const goods = kit.table('goods', {
    id: kit.integer().primaryKey(),
    slug: kit.text(20).notNull().unique(),
    name: kit.text(40),
    exact: kit.text(40, { trim: false }),
    stock: kit.integer().default(3),
    isOpen: kit.boolean().notNull().default(false),
    code: kit.text(20).$defaultFn(() => 'generated'),
    maker: kit.foreignKey(makers),
  })
  const words = kit.table('words', { id: kit.text(20).primaryKey(), meaning: kit.text(40) })
  const numbers = kit.table('numbers', { id: kit.bigint().primaryKey(), name: kit.text(20), note: kit.text(20) })
  const fields = ['slug', 'name', 'exact', 'stock', 'isOpen', 'code'] as const
  const Full = BaseModelSerializer(goods, { name: 'Full', fields: [...fields, 'maker'] })
  const Public = BaseModelSerializer(goods, { name: 'Public', fields: ['slug', 'name'] })

  const resource = ({ model = {}, file = {}, view = {} }: Changes = {}) =>
    BulkImportableViewSet({
      model: goods,
      serializer: Full,
      serializers: [Full, Public] as never,
      permissionClasses: [AllowAny],
      ordering: 'id',
      ...view,
      importFileConfig: {
        fileFormat: ['csv', 'xlsx'],
        order: ['goods'],
        ...file,
        models: {
          goods: importModel({
            model: goods,
            fields,
            uniqueFields: ['slug'],
            foreignKeys: { maker: importForeignKey({ model: makers, lookupField: 'name', sourceField: 'maker' }) },
            ...model,
          }),
        },
      },
    } as never)
  const isChief = (user: User | null) => user?.roles?.includes('chief') === true
  const Goods = resource()
  class Hiding extends Goods {
    override getSerializer() {
      return isChief(this.user) ? Full : Public
    }
  }
  const north = scoped(makers, () => eq(makers.firm, 'north')) as never
  const api = useApi(dialect, {
    tables: { makers, goods, words, numbers },
    users: { chief: { id: 'c', roles: ['chief'] }, clerk: { id: 'k', roles: [] } },
    resources: {
      goods: resource(),
      hiding: Hiding,
      noCreate: resource({ model: { onMissing: 'fail' } }),
      noUpdate: resource({ model: { onExisting: 'fail' } }),
      createOnly: resource({ model: { createOnly: true, uniqueFields: undefined, fields: ['name', 'stock', 'slug'] } }),
      fewer: resource({ model: { fields: ['slug', 'stock'] } }),
      fixed: resource({ view: { fixedValues: () => ({ name: 'fixed' }) } }),
      scopedMakers: resource({
        model: {
          foreignKeys: { maker: importForeignKey({ model: north, lookupField: 'name', sourceField: 'maker' }) },
        },
      }),
      derived: resource({
        file: { prepareRow: (row: Record<string, unknown>) => ({ ...row, code: `<${row.name}>` }) },
      }),
      sameLabels: resource({ view: { exportFieldConfig: { name: 'Name', slug: 'Name' } } }),
      idLabel: resource({ view: { exportFieldConfig: { name: ID } } }),
      bySlug: resource({ view: { lookupField: 'slug' } }),
      words: BulkImportableViewSet({
        model: words,
        serializer: BaseModelSerializer(words, { fields: ['id', 'meaning'] }),
        permissionClasses: [AllowAny],
        ordering: 'id',
        importFileConfig: {
          fileFormat: 'xlsx',
          order: ['words'],
          models: { words: importModel({ model: words, fields: ['id', 'meaning'], uniqueFields: ['id'] }) },
        },
      }),
      numbers: BulkImportableViewSet({
        model: numbers,
        serializer: BaseModelSerializer(numbers, { fields: ['id', 'name', 'note'] }),
        permissionClasses: [AllowAny],
        ordering: 'id',
        importFileConfig: {
          fileFormat: 'xlsx',
          order: ['numbers'],
          models: { numbers: importModel({ model: numbers, fields: ['id', 'name', 'note'], uniqueFields: ['id'] }) },
        },
      }),
    },
  })
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(makers, [
        { name: 'Acme', firm: 'north' },
        { name: 'Springfield', firm: 'north' },
        { name: 'Springfield', firm: 'north' },
        { name: 'Umbrella', firm: 'south' },
      ])
      await insertMany(goods, [
        { slug: 'cup', name: 'Cup', exact: ' x ', stock: null, isOpen: true, code: 'a', maker: 1 },
        { slug: 'tea', name: 'Tea', exact: ' y ', stock: 5, isOpen: true, code: 'b', maker: 2 },
      ])
      await insertMany(words, [{ id: 'one', meaning: '1' }])
      await insertMany(numbers, [
        { id: 9007199254740992n, name: 'even', note: 'of even' },
        { id: 9007199254740993n, name: 'odd', note: 'of odd' },
      ])
    }),
  )
  const exported = async (name = 'goods', as?: string) => {
    const answer = await api.post(`/${name}/export/`, { file_type: 'xlsx', for_editing: true }, as ? { as } : {})
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, ''])
    return answer.bytes
  }
  const send = async (
    content: Uint8Array,
    name = 'goods',
    parts: Readonly<Record<string, string>> = {},
    { as, filename = 'file.xlsx' }: { as?: string; filename?: string } = {},
  ) => {
    const more = Object.entries({ append_data: 'true', ...parts }).map(([key, value]) => ({ name: key, value }))
    const sent = form({ name: 'file', filename, content: Buffer.from(content) }, ...more)
    return api.post(`/${name}/import-from-file/`, undefined, { ...(as && { as }), ...sent })
  }
  const ofCup = (values: EditableRow) => (rows: EditableRow[]) =>
    rows.map(row => (row.slug === 'cup' ? { ...row, ...values } : row))
  const ofTea = (values: EditableRow) => (rows: EditableRow[]) =>
    rows.map(row => (row.slug === 'tea' ? { ...row, ...values } : row))
  const record = async (slug: string) => {
    const [row] = await api.database.use(() => currentDb().select().from(goods).where(eq(goods.slug, slug)))
    return row
  }
  const update = (slug: string, values: object) =>
    api.database.transaction(() => currentDb().update(goods).set(values).where(eq(goods.slug, slug)))
  /** What tells a client that an edit of this column was not written. */
  const hasWarning = (data: Data, column: string) =>
    JSON.stringify([data.errors, data.warnings ?? [], data.ignored_columns]).includes(column)

  describe('the policy of the import', () => {
    test('onMissing "fail": an edited file creates no record either', async () => {
      const file = await editedWorkbook(await exported('noCreate'), rows => [
        ...rows,
        { slug: 'new', name: 'New', is_open: true },
      ])
      expect((await send(file, 'noCreate')).data()).toMatchObject({ created: 0, failed: 1 })
    })
    test('onExisting "fail": an edited file changes no record either (or there is no export for editing)', async () => {
      for (const name of ['noUpdate', 'createOnly']) {
        const refused = await api.post(`/${name}/export/`, { file_type: 'xlsx', for_editing: true })
        expect([refused.status, refused.envelope().errors]).toMatchObject([400, { for_editing: [expect.any(String)] }])
        const file = await editedWorkbook(await exported(), ofCup({ name: 'Mug' }))
        expect((await send(file, name)).status).toBe(400)
      }
      expect(await record('cup')).toMatchObject({ name: 'Cup' })
    })
  })

  describe('a file that lost its hidden sheet', () => {
    test('copied into a new workbook: creates no record again', async () => {
      const [sheet] = (await readXlsx(await exported())).sheets
      const answer = await send(await writeXlsx({ sheets: [{ name: 'Sheet1', rows: sheet?.rows ?? [] }] }), 'goods')
      expect([answer.status, (await api.rows('goods')).length]).toEqual([400, 2])
    })
    test('saved as CSV: creates no record again', async () => {
      const [sheet] = (await readXlsx(await exported())).sheets
      const csv = (sheet?.rows ?? []).map(cells => cells.join(',')).join('\r\n')
      const answer = await send(Buffer.from(csv), 'goods', {}, { filename: 'goods.csv' })
      expect([answer.status, (await api.rows('goods')).length]).toEqual([400, 2])
    })
  })

  describe('columns with a default', () => {
    test('the default, typed into an empty cell, is written', async () => {
      const answer = await send(await editedWorkbook(await exported(), ofCup({ stock: 3 })))
      expect(answer.data()).toMatchObject({ updated: 1 })
      expect(await record('cup')).toMatchObject({ stock: 3 })
    })
    test('an emptied cell is null if null is allowed, as the page says', async () => {
      await send(await editedWorkbook(await exported(), ofTea({ stock: null })))
      expect(await record('tea')).toMatchObject({ stock: null })
    })
    test('an emptied cell is null, also if the default is generated (it is silently "unchanged")', async () => {
      await send(await editedWorkbook(await exported(), ofTea({ code: null })))
      expect(await record('tea')).toMatchObject({ code: null })
    })
    test('an emptied cell of a required boolean is an error, and does not turn yes to no', async () => {
      const answer = await send(await editedWorkbook(await exported(), ofTea({ is_open: null })))
      expect(answer.data()).toMatchObject({ failed: 1 })
      expect(await record('tea')).toMatchObject({ isOpen: true })
    })
  })

  test('a formula without a stored result is an error, and does not empty the stored value', async () => {
    const [sheet, base] = (await readXlsx(await exported())).sheets
    const answer = await send(
      await writeXlsx({
        sheets: [
          { name: 'goods', rows: sheet?.rows ?? [], cells: new Map([['2,2', { formula: 'UPPER("x")' }]]) },
          { name: base?.name ?? '', rows: base?.rows ?? [], veryHidden: true },
        ],
      }),
    )
    expect(answer.data()).toMatchObject({ failed: 1, updated: 0 })
    expect(answer.text).toContain('This formula has no result.')
    expect(await record('tea')).toMatchObject({ name: 'Tea' })
  })

  describe('edits in columns that are not written have a warning', () => {
    test('a hidden field, in the file of a colleague', async () => {
      const file = await editedWorkbook(await exported('hiding', 'chief'), ofTea({ stock: 77 }))
      const answer = await send(file, 'hiding', {}, { as: 'clerk' })
      expect(hasWarning(answer.data<Data>(), 'stock')).toBe(true)
    })
    test('a fixed value is not in the file; one that was added by hand is not written', async () => {
      const headers = (await readXlsx(await exported('fixed'))).sheets[0]?.rows[0]
      expect(headers).not.toContain('name')
      const answer = await send(await editedWorkbook(await exported(), ofTea({ name: 'Lost' })), 'fixed')
      expect(hasWarning(answer.data<Data>(), 'name')).toBe(true)
      expect(await record('tea')).toMatchObject({ name: 'Tea' })
    })
    test('a column that the import does not have any longer', async () => {
      const answer = await send(await editedWorkbook(await exported('goods'), ofTea({ name: 'Lost' })), 'fewer')
      expect(hasWarning(answer.data<Data>(), 'name')).toBe(true)
    })
  })

  describe('foreign keys', () => {
    test('a relation that was changed to another record of the same name is a conflict', async () => {
      const file = await editedWorkbook(await exported(), ofTea({ maker: 'Acme' }))
      await update('tea', { maker: 3 })
      expect((await send(file)).data()).toMatchObject({ failed: 1 })
      expect(await record('tea')).toMatchObject({ maker: 3 })
    })
    test('a relation that was set to a record out of reach meanwhile is not overwritten', async () => {
      await update('tea', { maker: null })
      const file = await editedWorkbook(await exported('scopedMakers'), ofTea({ maker: 'Acme' }))
      await update('tea', { maker: 4 })
      expect((await send(file, 'scopedMakers')).data()).toMatchObject({ failed: 1 })
      expect(await record('tea')).toMatchObject({ maker: 4 })
    })
    test('a related record that was renamed is no conflict: this record is unchanged', async () => {
      const file = await editedWorkbook(await exported(), ofTea({ maker: 'Acme' }))
      await api.database.transaction(() =>
        currentDb().update(makers).set({ name: 'Shelbyville' }).where(eq(makers.id, 2)),
      )
      expect((await send(file)).data()).toMatchObject({ failed: 0, updated: 1 })
    })
  })

  test('a key that became a number finds no other record', async () => {
    // Excel offers "Convert to Number" for the whole column of keys; the user has filtered the list before.
    const file = await editedWorkbook(await exported('numbers'), rows =>
      rows.filter(row => row.name === 'odd').map(row => ({ ...row, [ID]: Number(row[ID]), name: 'ODD' })),
    )
    expect((await send(file, 'numbers')).data()).toMatchObject({ failed: 1, updated: 0 })
    const stored = (await api.rows('numbers')).map(row => String(row[1])).toSorted()
    expect(stored).toEqual(['even', 'odd'])
  })

  test('a copy of the sheet does not hide the edited sheet', async () => {
    const [before] = (await readXlsx(await exported())).sheets
    const [edited, base] = (await readXlsx(await editedWorkbook(await exported(), ofTea({ stock: 99 })))).sheets
    const answer = await send(
      await writeXlsx({
        sheets: [
          { name: 'goods (2)', rows: before?.rows ?? [] },
          { name: 'goods', rows: edited?.rows ?? [] },
          { name: base?.name ?? '', rows: base?.rows ?? [], veryHidden: true },
        ],
      }),
    )
    // A 400 that names both sheets would do as well. Now: 201, unchanged 2, ignored_sheets ["goods"].
    expect(answer.status === 400 || (await record('tea'))?.stock === 99).toBe(true)
  })

  test('cells that prepareRow derives are written, as for a new record', async () => {
    await send(await editedWorkbook(await exported('derived'), ofTea({ name: 'Green' })), 'derived')
    expect(await record('tea')).toMatchObject({ name: 'Green', code: '<Green>' })
  })

  test('a model whose key is not generated can have new records, or the file says that it cannot', async () => {
    const bytes = await exported('words')
    const withKey = await editedWorkbook(bytes, rows => [...rows, { [ID]: 'two', meaning: '2' }])
    const withoutKey = await editedWorkbook(bytes, rows => [...rows, { meaning: '2' }])
    const [a, b] = [(await send(withKey, 'words')).data<Data>(), (await send(withoutKey, 'words')).data<Data>()]
    // Each message sends the user to the other way, and neither works.
    expect([a.errors[0]?.message, b.errors[0]?.message]).not.toEqual([
      'This file has no record with the ID "two". Leave the ID of a new record empty.',
      'This field needs a value: null is not allowed.',
    ])
  })

  test.each(['sameLabels', 'idLabel'])('an untouched file can be imported: %s', async name => {
    expect((await send(await exported(name), name)).status).toBe(201)
  })

  describe('a damaged hidden sheet is called damaged', () => {
    const sendBase = async (change: (rows: CellValue[][]) => CellValue[][]) => {
      const file = await editedWorkbook(await exported(), ofTea({ stock: 6, slug: 'tee' }))
      const [sheet, base] = (await readXlsx(file)).sheets
      const rows = change(base?.rows ?? [])
      const sheets = [
        { name: 'goods', rows: sheet?.rows ?? [] },
        { name: base?.name ?? '', rows },
      ]
      return send(await writeXlsx({ sheets }))
    }
    test.each<[string, (rows: CellValue[][]) => CellValue[][]]>([
      ['its second row is gone', rows => rows.filter((_, at) => at !== 1)],
      ['it was sorted', ([head = [], headers = [], ...rows]) => [head, ...rows, headers]],
      ['a column is gone', rows => rows.map(cells => cells.filter((_, at) => at !== 1))],
    ])('%s', async (_name, change) => {
      const answer = await sendBase(change)
      expect([answer.status, answer.text]).toEqual([
        400,
        expect.stringContaining('The hidden sheet of this file is damaged'),
      ])
      // The template is no remedy for it.
      expect(answer.text).not.toContain('import-template')
    })
  })

  describe('the parts of the request', () => {
    test('mapping is refused: the file says where its columns are', async () => {
      const answer = await send(await exported(), 'goods', { mapping: JSON.stringify({ Title: 'name' }) })
      expect([answer.status, answer.envelope().errors]).toMatchObject([400, { mapping: [expect.any(String)] }])
    })
    test('values are for the columns below a title', async () => {
      const [sheet, base] = (await readXlsx(await exported())).sheets
      const sheets = [
        { name: 'goods', rows: [['Our list'], ...(sheet?.rows ?? [])] },
        { name: base?.name ?? '', rows: base?.rows ?? [], veryHidden: true },
      ]
      const values = JSON.stringify({ name: { Tea: 'Green tea' } })
      expect((await send(await writeXlsx({ sheets }), 'goods', { values })).status).toBe(201)
    })
  })

  describe('small things', () => {
    test('an untouched file has no ignored sheet', async () => {
      await api.database.transaction(() =>
        insertMany(
          makers,
          Array.from({ length: 40 }, (_, at) => ({ name: `Some long name ${at}` })),
        ),
      )
      expect((await send(await exported())).data<Data>().ignored_sheets ?? []).toEqual([])
    })
  })

  describe('failed rows', () => {
    const failedCopy = async () => {
      const file = await editedWorkbook(await exported(), rows => [
        ...rows,
        { ...rows[0], slug: 'mug', name: 'Mug' } as EditableRow,
      ])
      const answer = await send(file, 'goods', { failed_rows: 'true' })
      expect(answer.status).toBe(207)
      return answer.bytes
    }
    test('a copied row that failed for its ID does not overwrite the original when its file is sent again', async () => {
      const answer = await send(await failedCopy())
      expect(answer.data()).toMatchObject({ updated: 0, failed: 2 })
      expect(await record('cup')).toMatchObject({ name: 'Cup' })
    })
  })
})
