import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  CursorPagination,
  compose,
  FileExportMixin,
  insertMany,
  ListModelMixin,
  ManyDataToDataField,
  ManyIdToDataField,
  ReadOnlyViewSet,
  RetrieveModelMixin,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { seedStock, stockTables } from '../support/stock.ts'

const permissionClasses = [AllowAny]

describeDialects('a primary key of several columns', dialect => {
  const { kit } = dialect
  const tables = stockTables(kit)
  const { houses, stock } = tables
  const serializer = BaseModelSerializer(stock, { fields: ['house', 'code', 'amount', 'mark'] })
  const config = { model: stock, serializer, permissionClasses } as const
  const api = useApi(dialect, {
    tables,
    schema: true,
    resources: {
      stock: BaseViewSet({
        ...config,
        version: 'version',
        filterFields: ['code'],
        ordering: 'code',
        exportFieldConfig: { code: 'Code', amount: 'Amount' },
        actions: {
          count: { method: 'POST', detail: true, handler: async view => (await view.getObject()).amount },
          shown: { method: 'GET', detail: true, handler: async view => view.serialize(await view.getObject()) },
        },
      }),
      pages: BaseViewSet({ ...config, paginationClass: CursorPagination }),
      'houses/:house/stock': BaseViewSet({ ...config, parent: { field: 'house' } }),
      houses: ReadOnlyViewSet({
        model: houses,
        serializer: BaseModelSerializer(houses, {
          fields: ['id', 'name'],
          extra: { stock: ManyIdToDataField({ queryset: stock, serializer, readOnly: true }) },
        }),
        permissionClasses,
      }),
    },
  })
  const rows = async () => (await api.rows('stock')).map(row => row.slice(0, 3).join(' ')).toSorted()
  beforeEach(() => seedStock(api.database, tables))

  test('a path names a record by its parts; a comma is ~1, a tilde ~0', async () => {
    expect((await api.get('/stock/1,b/')).data()).toMatchObject({ house: 1, code: 'b', amount: 2 })
    expect((await api.get('/stock/2,x~1y~0z/')).data()).toMatchObject({ house: 2, amount: 4 })
    for (const path of ['1', '1,b,c', 'x,b', '1,none', ',']) {
      expect((await api.get(`/stock/${path}/`)).status, path).toBe(404)
    }
    expect((await api.post('/stock/1,b/count/')).data()).toBe(2)
    expect((await api.get('/stock/2,a/shown/')).data()).toMatchObject({ house: 2, code: 'a', amount: 3 })
  })

  test('a write changes this row and no other with the same part', async () => {
    expect((await api.patch('/stock/1,a/', { amount: 9 })).data()).toMatchObject({ house: 1, code: 'a', amount: 9 })
    expect(await rows()).toEqual(['1 a 9', '1 b 2', '2 a 3', '2 x,y~z 4'])
    // The key stays.
    const put = await api.put('/stock/1,b/', { house: 2, code: 'q', amount: 5 })
    expect(put.data()).toMatchObject({ house: 1, code: 'b', amount: 5 })
    expect((await api.delete('/stock/2,a/')).status).toBe(204)
    expect(await rows()).toEqual(['1 a 9', '1 b 5', '2 x,y~z 4'])
    const created = await api.post('/stock/', { house: 2, code: 'a', amount: 7 })
    expect([created.status, created.data()]).toMatchObject([201, { house: 2, code: 'a', amount: 7 }])
    const taken = await api.post('/stock/', { house: 2, code: 'a' })
    expect(taken.envelope()).toMatchObject({ errors: { non_field_errors: [expect.stringMatching(/house, code/)] } })
    expect(await rows()).toEqual(['1 a 9', '1 b 5', '2 a 7', '2 x,y~z 4'])
  })

  test('a unique value of another row with the same part is taken', async () => {
    await api.patch('/stock/1,a/', { mark: 'm' })
    expect((await api.patch('/stock/1,b/', { mark: 'm' })).status).toBeGreaterThanOrEqual(400)
    expect((await api.patch('/stock/1,a/', { mark: 'm', amount: 2 })).status).toBe(200)
  })

  test('an outdated version is refused', async () => {
    const etag = String((await api.get('/stock/1,a/')).headers.etag)
    const headers = { 'if-match': etag }
    expect((await api.patch('/stock/1,a/', { amount: 2 }, { headers })).status).toBe(200)
    expect((await api.patch('/stock/1,a/', { amount: 3 }, { headers })).status).toBe(412)
    expect((await api.delete('/stock/1,a/', { headers })).status).toBe(412)
  })

  test('lists, pages, exports and relations are in a total order', async () => {
    const list = (await api.get('/stock/')).data<{ house: number; code: string }[]>()
    expect(list.map(({ house, code }) => `${house} ${code}`)).toEqual(['1 a', '2 a', '1 b', '2 x,y~z'])
    const seen: string[] = []
    let url = '/pages/?page_size=1'
    while (url !== '') {
      const page = await api.get(url)
      seen.push(...page.data<{ house: number; code: string }[]>().map(({ house, code }) => `${house} ${code}`))
      const { next } = page.envelope()
      url = typeof next === 'string' ? next.slice(next.indexOf('/pages/')) : ''
    }
    expect(seen).toEqual(['1 a', '1 b', '2 a', '2 x,y~z'])
    const file = await api.post('/stock/export/', { file_type: 'csv' })
    expect(file.text.trim().split('\r\n')).toEqual(['Code,Amount', 'a,1', 'a,3', 'b,2', '"x,y~z",4'])
    expect((await api.get('/houses/2/')).data()).toMatchObject({ stock: [{ code: 'a' }, { code: 'x,y~z' }] })
  })

  test('a nested route shows the rows of its parent', async () => {
    expect((await api.get('/houses/1/stock/')).data()).toHaveLength(2)
    expect((await api.get('/houses/1/stock/2,a/')).status).toBe(404)
    const created = await api.post('/houses/1/stock/', { code: 'n' })
    expect(created.data()).toMatchObject({ house: 1, code: 'n' })
    expect((await api.delete('/houses/1/stock/1,n/')).status).toBe(204)
  })

  describe('is refused at start', () => {
    const recorded = kit.table(
      'recorded',
      { house: kit.foreignKey(houses).notNull(), code: kit.text(20).notNull() },
      t => [kit.primaryKey(t.house, t.code)],
    )
    kit.HistoryTable(recorded)
    test.each([
      [
        'a history',
        () =>
          BaseViewSet({
            model: recorded,
            serializer: BaseModelSerializer(recorded, { fields: ['house', 'code'] }),
            permissionClasses,
          }),
        /HistoryTable\(recorded\): model: needs a table with a primary key of one column/,
      ],
      [
        'children',
        () =>
          BaseModelSerializer(houses, {
            fields: ['id'],
            extra: { stock: ManyDataToDataField({ queryset: stock, serializer }) },
          }),
        /has no primary key of one column; show its records with/,
      ],
    ])('%s', (_, make, problem) => {
      expect(make).toThrow(problem)
    })
  })
})

describeDialects('a table without a key, or a view', dialect => {
  const { kit } = dialect
  const readings = kit.table('readings', {
    place: kit.text(10).notNull(),
    value: kit.integer(),
    note: kit.json(),
  })
  const codes = kit.table('codes', { code: kit.text(10).notNull().unique(), label: kit.text(10) })
  const serializer = BaseModelSerializer(readings, { fields: ['place', 'value', 'note'] })
  const ListOnly = compose(ListModelMixin, FileExportMixin)
  const api = useApi(dialect, {
    tables: { readings, codes },
    schema: true,
    resources: {
      readings: ListOnly({
        model: readings,
        serializer,
        permissionClasses,
        filterFields: ['place'],
        exportFieldConfig: { place: 'Place', value: 'Value' },
      }),
      codes: compose(
        ListModelMixin,
        RetrieveModelMixin,
      )({
        model: codes,
        serializer: BaseModelSerializer(codes, { fields: ['code', 'label'] }),
        permissionClasses,
        lookupField: 'code',
      }),
    },
  })

  test('its rows are listed, filtered, paginated and exported', async () => {
    await api.database.transaction(async () => {
      await insertMany(readings, [
        { place: 'b', value: 2 },
        { place: 'a', value: null },
        { place: 'b', value: 1 },
        { place: 'b', value: 1 },
      ])
    })
    const list = await api.get('/readings/')
    expect(list.data<{ place: string; value: number | null }[]>().map(({ place, value }) => [place, value])).toEqual([
      ['a', null],
      ['b', 1],
      ['b', 1],
      ['b', 2],
    ])
    const page = await api.get('/readings/?place=b&page_size=2&page=2')
    expect(page.envelope()).toMatchObject({ count: 3, data: [{ value: 2 }] })
    const file = await api.post('/readings/export/', { file_type: 'csv' })
    expect(file.text.trim().split('\r\n')).toEqual(['Place,Value', 'a,', 'b,1', 'b,1', 'b,2'])
  })

  test('with a unique field, a path names a row by it', async () => {
    await api.database.transaction(() => insertMany(codes, [{ code: 'x', label: 'X' }]))
    expect((await api.get('/codes/x/')).data()).toEqual({ code: 'x', label: 'X' })
  })

  test('a cursor needs rows of which no two are equal', () => {
    const paged = { permissionClasses, paginationClass: CursorPagination } as const
    const List = compose(ListModelMixin)
    expect(() => List({ ...paged, model: readings, serializer })).toThrow(
      /paginationClass: CursorPagination needs a primary key, or unique fields/,
    )
    const ofCodes = BaseModelSerializer(codes, { fields: ['code'] })
    expect(() => List({ ...paged, model: codes, serializer: ofCodes })).not.toThrow()
  })

  test('a resource that names single rows is refused at start', () => {
    const config = { model: readings, serializer, permissionClasses } as const
    expect(() => ReadOnlyViewSet(config)).toThrow(/RetrieveModelMixin needs a primary key, and the table has none/)
    expect(() => BaseViewSet(config)).toThrow(/CreateModelMixin needs a primary key/)
  })
})
