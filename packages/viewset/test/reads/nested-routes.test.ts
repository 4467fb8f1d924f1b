import { eq, ne } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  BulkImportableViewSet,
  type ColumnKit,
  ConfigError,
  FlexibleField,
  importModel,
  insertMany,
  StrOnlyField,
  scoped,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid } from '../support/expect.ts'
import { importForm } from '../support/multipart.ts'

function placeTables(c: ColumnKit) {
  const countries = c.table('countries', {
    id: c.integer().primaryKey(),
    code: c.text(2).notNull().unique(),
    isOpen: c.boolean().notNull().default(true),
  })
  const cities = c.table('cities', {
    id: c.integer().primaryKey(),
    name: c.text(20).notNull().unique(),
    country: c.foreignKey(countries).notNull(),
  })
  return { countries, cities }
}

describeDialects('nested routes', dialect => {
  const tables = placeTables(dialect.kit)
  const { countries, cities } = tables
  const config = {
    model: cities,
    serializer: BaseModelSerializer(cities, { fields: ['id', 'name', 'country'] }),
    permissionClasses: [AllowAny],
  } as const
  const CityViewSet = BulkImportableViewSet({
    ...config,
    parent: {
      field: 'country',
      lookupField: 'code',
      queryset: scoped(countries, () => eq(countries.isOpen, true)),
    },
    queryset: () => ne(cities.name, 'Hidden'),
    filterFields: ['name'],
    exportFieldConfig: { name: 'Name' },
    importFileConfig: {
      fileFormat: 'csv',
      order: ['cities'],
      models: { cities: importModel({ model: cities, fields: ['name'], uniqueFields: ['name'] }) },
    },
  })
  const api = useApi(dialect, {
    tables,
    resources: {
      'countries/:country/cities': CityViewSet,
      'filed/:country/cities': BulkImportableViewSet({
        ...config,
        parent: { field: 'country', lookupField: 'code' },
        importFileConfig: {
          fileFormat: 'csv',
          order: ['cities'],
          models: { cities: importModel({ model: cities, fields: ['name', 'country'], uniqueFields: ['name'] }) },
        },
      }),
      'by-text/:country/cities': BaseViewSet({
        ...config,
        serializer: BaseModelSerializer(cities, {
          name: 'ByText',
          fields: ['id', 'name'],
          extra: { country: StrOnlyField({ queryset: countries, str: 'code' }) },
        }),
        parent: { field: 'country', lookupField: 'code' },
      }),
      'by-object/:country/cities': BaseViewSet({
        ...config,
        serializer: BaseModelSerializer(cities, {
          name: 'ByObject',
          fields: ['id', 'name'],
          extra: {
            country: FlexibleField({
              queryset: countries,
              serializer: BaseModelSerializer(countries, { fields: ['id', 'code'] }),
            }),
          },
        }),
        parent: { field: 'country', lookupField: 'code' },
      }),
      'by-id/:place/cities': BaseViewSet({ ...config, parent: { field: 'country', param: 'place' } }),
    },
  })
  const stored = async () => (await api.rows('cities')).map(row => `${row[1]} ${row[2]}`).toSorted()
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(countries, [
        { id: 1, code: 'NO' },
        { id: 2, code: 'SE' },
        { id: 3, code: 'XX', isOpen: false },
      ])
      await insertMany(cities, [
        { id: 101, name: 'Oslo', country: 1 },
        { id: 102, name: 'Lund', country: 2 },
        { id: 103, name: 'Hidden', country: 1 },
      ])
    }),
  )

  test('see only the records of their parent', async () => {
    expect((await api.get('/countries/NO/cities/')).envelope()).toMatchObject({ count: 1, data: [{ name: 'Oslo' }] })
    expect((await api.get('/countries/NO/cities/?name=Lund')).envelope()).toMatchObject({ count: 0 })
    expect((await api.get('/countries/NO/cities/101/')).status).toBe(200)
    expect((await api.get('/countries/NO/cities/102/')).status).toBe(404)
    expect((await api.patch('/countries/NO/cities/102/', { name: 'x' })).status).toBe(404)
    expect((await api.delete('/countries/SE/cities/101/')).status).toBe(404)
    expect((await api.get('/by-id/2/cities/')).data()).toMatchObject([{ name: 'Lund' }])
    const file = await api.post('/countries/SE/cities/export/', { file_type: 'csv' })
    expect(file.text).toMatch(/Lund/)
    expect(file.text).not.toMatch(/Oslo/)
  })

  test('a parent that does not exist, or that may not be named, is a 404', async () => {
    for (const path of ['/countries/DK/cities/', '/countries/XX/cities/', '/by-id/x/cities/', '/by-id/9/cities/']) {
      expect((await api.get(path)).status, path).toBe(404)
      expect((await api.post(path, { name: 'New' })).status, path).toBe(404)
    }
    expect((await api.get('/by-id/x/cities/')).text).toMatch(/id/)
  })

  test('new records belong to the parent, on each path', async () => {
    await api.post('/countries/SE/cities/', { name: 'A', country: 2 })
    await api.post('/countries/SE/cities/bulk-create/', [{ name: 'B' }, { name: 'C', country: 2 }])
    const form = new FormData()
    form.set('file', new Blob(['name\nD\nE\n']), 'cities.csv')
    form.set('append_data', 'true')
    await api.post('/countries/SE/cities/import-from-file/', form)
    expect(await stored()).toEqual(['A 2', 'B 2', 'C 2', 'D 2', 'E 2', 'Hidden 1', 'Lund 2', 'Oslo 1'])
    await api.patch('/countries/SE/cities/102/', { country: null })
    const bulk = await api.patch('/countries/SE/cities/bulk-update/', [{ id: 101, name: 'x' }])
    expectInvalid(bulk, { '0.id': ['There is no city with the id "101".'] })
    const deleted = await api.delete('/countries/SE/cities/bulk-delete/', { body: [101, 102] })
    expect(deleted.data()).toEqual({ requested_count: 2, count: 1, missing_ids: [101] })
  })

  test('a body that names another parent than the address is a 400, and stores nothing', async () => {
    const problem = ['The address names another record. Leave this field out.']
    const of = (method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown) =>
      api.request(method, `/countries/SE/cities/${path}`, { body })
    expectInvalid(await of('POST', '', { name: 'A', country: 1 }), { country: problem })
    expectInvalid(await of('PUT', '102/', { name: 'A', country: 1 }), { country: problem })
    expectInvalid(await of('PATCH', '102/', { country: 'x' }), { country: problem })
    expectInvalid(await of('POST', 'bulk-create/', [{ name: 'B' }, { name: 'C', country: 1 }]), {
      '1.country': problem,
    })
    expectInvalid(await of('PATCH', 'bulk-update/', [{ id: 102, country: 1 }]), { '0.country': problem })
    expect(await stored()).toEqual(['Hidden 1', 'Lund 2', 'Oslo 1'])
    for (const [form, same, other] of [
      ['text', 'SE', 'NO'],
      ['object', { id: 2 }, { id: 1 }],
      ['object', 2, 1],
    ] as const) {
      const path = `/by-${form}/SE/cities/`
      expectInvalid(await api.post(path, { name: 'A', country: other }), { country: problem })
      expect((await api.patch(`${path}102/`, { country: same })).status).toBe(200)
    }
  })

  test('a column of a file that would name the parent is reported as ignored', async () => {
    const file = importForm('name,country\nA,NO\n')
    const imported = await api.request('POST', '/filed/SE/cities/import-from-file/', file)
    expect(imported.data()).toMatchObject({ created: 1, ignored_columns: ['country'] })
    expect(await stored()).toContain('A 2')
  })

  test('must name their parent', async () => {
    // @ts-expect-error no such field
    expect(() => BaseViewSet({ ...config, parent: { field: 'land' } })).toThrow(/unknown field "land"/)
    expect(() => BaseViewSet({ ...config, parent: { field: 'name' } })).toThrow(/no foreign key/)
    // @ts-expect-error the parent has no such field
    expect(() => BaseViewSet({ ...config, parent: { field: 'country', lookupField: 'cod' } })).toThrow(ConfigError)
    expect(() => BaseViewSet({ ...config, parent: { field: 'country', lookupField: 'isOpen' } })).toThrow(
      'resource of "cities": parent.lookupField: "isOpen" must be unique: a path names one record',
    )
    expect(() => BaseViewSet({ ...config, parent: { field: 'country', queryset: cities as never } })).toThrow(
      /queryset/,
    )
  })
})
