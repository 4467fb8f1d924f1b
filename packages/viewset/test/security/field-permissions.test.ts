import {
  BaseModelSerializer,
  BaseViewSet,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  ColumnField,
  type ColumnKit,
  FileExportMixin,
  IdToDataField,
  IsAuthenticated,
  importForeignKey,
  importModel,
  insertMany,
  type SerializerBody,
  type SerializerData,
  type User,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import type { Equal, Expect } from '../types/support.ts'

function staffTables(c: ColumnKit) {
  const staff = c.table('staff', {
    ...c.BaseModelMixin(),
    name: c.text(20).notNull().unique(),
    salary: c.integer(),
    grade: c.text(5).notNull().default('a'),
    boss: c.foreignKey('self'),
  })
  return { staff }
}

const isOffice = (user: User | null) => user?.roles?.includes('office') ?? false
const isBoss = (user: User | null) => user?.roles?.includes('boss') ?? false

describeDialects('fields that only some users read or write', dialect => {
  const tables = staffTables(dialect.kit)
  const { staff } = tables
  const Reference = BaseModelSerializer(staff, {
    name: 'StaffReference',
    fields: ['name', 'salary'],
    readableBy: { salary: isOffice },
  })
  const StaffSerializer = BaseModelSerializer(staff, {
    fields: ['id', 'name', 'salary', 'grade', 'boss'],
    extra: {
      boss: IdToDataField({ queryset: staff, serializer: Reference }),
      yearly: member => (member.salary ?? 0) * 12,
    },
    readableBy: { salary: isOffice, yearly: isOffice },
    writableBy: { salary: isBoss, grade: isOffice },
  })
  const config = {
    model: staff,
    serializer: StaffSerializer,
    permissionClasses: [IsAuthenticated],
    filterFields: ['name', 'salary', 'grade'],
    orderingFields: ['name', 'salary'],
    upsertFields: ['name'],
    sparseFields: true,
    exportFieldConfig: { name: 'Name', salary: 'Salary', grade: 'Grade' },
    importFileConfig: {
      fileFormat: 'csv',
      order: ['staff'],
      models: {
        staff: importModel({
          model: staff,
          fields: ['name', 'salary', 'grade'],
          uniqueFields: ['name'],
          foreignKeys: { boss: importForeignKey({ model: staff, lookupField: 'name', sourceField: 'boss' }) },
        }),
      },
    },
  } as const
  const Staff = BulkImportableViewSet.add(BulkUpsertModelMixin)
  const StaffViewSet = Staff({ ...config, expandableFields: { boss: StaffSerializer } })
  const Plain = BaseModelSerializer(staff, { name: 'Plain', fields: ['id', 'name', 'grade'] })
  /** Its fields have other names than their columns. */
  const Renamed = BaseModelSerializer(staff, {
    name: 'Renamed',
    fields: ['id', 'name', 'grade'],
    extra: {
      pay: ColumnField('salary'),
      head: IdToDataField({ queryset: staff, serializer: Reference, column: 'boss' }),
    },
    readableBy: { pay: isOffice },
    writableBy: { pay: isBoss, grade: isOffice, head: isBoss },
  })
  /** Its own fields are everyone's. Only those of an expanded boss are not. */
  const Expanding = BaseViewSet.add(FileExportMixin)({
    model: staff,
    serializer: BaseModelSerializer(staff, { name: 'Expanding', fields: ['id', 'name', 'boss'] }),
    permissionClasses: [IsAuthenticated],
    expandableFields: { boss: Reference },
    filterFields: { name: ['exact'], boss__name: ['exact'], boss__salary: ['exact', 'gte'] },
    orderingFields: ['name', 'boss__name', 'boss__salary'],
    ordering: ['boss__salary', 'name'],
    exportFieldConfig: { name: 'Name', boss__name: 'Boss', boss__salary: 'Pay' },
  })
  class Choosing extends Staff({ ...config, serializer: Plain }) {
    override getSerializer() {
      return StaffSerializer as unknown as typeof Plain
    }
  }
  const api = useApi(dialect, {
    tables,
    users: { ann: { id: 'ann' }, kim: { id: 'kim', roles: ['office'] }, eva: { id: 'eva', roles: ['office', 'boss'] } },
    schema: true,
    resources: {
      staff: StaffViewSet,
      choosing: Choosing,
      renamed: Staff({ ...config, serializer: Renamed }),
      expanding: Expanding,
    },
  })
  const path = `/staff/${uuid(1)}/`
  const stored = async () => {
    const rows = (await api.get('/staff/?ordering=name', { as: 'eva' })).data<Record<string, unknown>[]>()
    return rows.map(({ name, salary, grade }) => `${name} ${salary} ${grade}`)
  }
  beforeEach(() =>
    api.database.transaction(() =>
      insertMany(staff, [
        { id: uuid(1), name: 'Ada', salary: 5, boss: uuid(1) },
        { id: uuid(2), name: 'Bob', salary: 4 },
      ]),
    ),
  )

  test('a reader sees the own fields, at any depth', async () => {
    expect((await api.get(path, { as: 'ann' })).data()).toEqual({
      id: uuid(1),
      name: 'Ada',
      grade: 'a',
      boss: { name: 'Ada' },
    })
    expect((await api.get(path, { as: 'kim' })).data()).toMatchObject({
      salary: 5,
      yearly: 60,
      boss: { name: 'Ada', salary: 5 },
    })
    const [first] = (await api.get('/staff/', { as: 'ann' })).data<object[]>()
    expect(Object.keys(first ?? {})).toEqual(['id', 'name', 'grade', 'boss', 'index'])
  })

  test.each([
    '/staff/?salary=5',
    '/staff/?salary__ne=5',
    '/staff/?or=(salary=5)',
    '/staff/?ordering=salary',
    '/staff/?fields=salary',
    '/staff/?fields=boss.salary',
    '/staff/?fields=yearly',
    '/choosing/?salary=5',
    '/choosing/?ordering=salary',
  ])('GET %s does not exist for others', async address => {
    expect((await api.get(address, { as: 'ann' })).status).toBe(400)
    expect((await api.get(address, { as: 'kim' })).status).toBe(200)
  })

  test('an expanded record has the fields of its reader', async () => {
    const expanded = async (as: string) => (await api.get(`${path}?expand=boss`, { as })).data()
    expect(await expanded('kim')).toMatchObject({ boss: { salary: 5, yearly: 60 } })
    expect(Object.keys((await expanded('ann')).boss as object)).toEqual(['id', 'name', 'grade', 'boss'])
    expect((await api.get(`${path}?expand=boss&fields=boss.salary`, { as: 'ann' })).status).toBe(400)
  })

  test.each(['boss__salary=5', 'boss__salary__gte=1', 'ordering=boss__salary', 'or=(boss__salary=5)'])(
    '?%s through an expandable field is for its readers',
    async query => {
      const response = await api.get(`/expanding/?${query}`, { as: 'ann' })
      expect(response.status).toBe(400)
      expect((await api.get(`/expanding/?${query}`, { as: 'kim' })).status).toBe(200)
      for (const open of ['boss__name=Ada', 'ordering=boss__name', 'expand=boss']) {
        expect((await api.get(`/expanding/?${open}`, { as: 'ann' })).status).toBe(200)
      }
    },
  )

  test('no suggestion names a field of an expandable record', async () => {
    expect((await api.get('/expanding/?boss__salry=1', { as: 'ann' })).text).not.toContain('boss__salary')
    expect((await api.get('/expanding/?boss__salry=1', { as: 'kim' })).text).toContain('boss__salary')
  })

  test('files and the schema leave out the fields of an expandable record', async () => {
    const headerOf = async (as: string) =>
      (await api.post('/expanding/export/', { file_type: 'csv' }, { as })).text.split('\r\n')[0]
    expect(await headerOf('ann')).toBe('Name,Boss')
    expect(await headerOf('kim')).toBe('Name,Boss,Pay')
    const named = await api.post('/expanding/export/', { file_type: 'csv', includes: ['boss__salary'] }, { as: 'ann' })
    expect(named.status).toBe(400)
    const schemaOf = async (as: string) => {
      const { resources } = (await api.get('/schema/', { as })).data<{ resources: readonly { name: string }[] }>()
      return JSON.stringify(resources.find(({ name }) => name === 'expanding'))
    }
    expect(await schemaOf('kim')).toContain('boss__salary')
    expect(await schemaOf('ann')).not.toContain('boss__salary')
  })

  test('a standard order by a field of an expandable record is for its readers', async () => {
    const namesOf = async (as: string) =>
      (await api.get('/expanding/', { as })).data<readonly { name: string }[]>().map(({ name }) => name)
    await api.patch(`/staff/${uuid(2)}/`, { boss: uuid(2) }, { as: 'eva' })
    expect(await namesOf('kim')).toEqual(['Bob', 'Ada'])
    expect(await namesOf('ann')).toEqual(['Ada', 'Bob'])
  })

  test('files have the fields of their reader', async () => {
    const headerOf = async (as: string) =>
      (await api.post('/staff/export/', { file_type: 'csv' }, { as })).text.split('\r\n')[0]
    expect(await headerOf('ann')).toBe('Name,Grade')
    expect(await headerOf('kim')).toBe('Name,Salary,Grade')
    const named = await api.post('/staff/export/', { file_type: 'csv', includes: ['salary'] }, { as: 'ann' })
    expect(named.status).toBe(400)
    const chosen = async (as: string, fields: string) =>
      api.post(`/staff/export/?fields=${fields}`, { file_type: 'csv' }, { as })
    expect((await chosen('kim', 'salary,name')).text.split('\r\n')[0]).toBe('Name,Salary')
    expect((await chosen('ann', 'grade,name')).text.split('\r\n')[0]).toBe('Name,Grade')
    expect((await chosen('ann', 'salary,name')).status).toBe(400)
    expect((await chosen('ann', 'boss.salary')).status).toBe(400)
  })

  const writers = [
    ['ann', 'Ada 5 a', 'New null a'],
    ['kim', 'Ada 5 b', 'New null b'],
    ['eva', 'Ada 9 b', 'New 9 b'],
  ] as const
  const resources = [
    ['staff', { salary: 9, grade: 'b' }],
    ['choosing', { salary: 9, grade: 'b' }],
    ['renamed', { pay: 9, grade: 'b' }],
  ] as const
  const cases = resources.flatMap(([at, values]) => writers.map(row => [at, ...row, values] as const))
  describe.each(cases)('%s: %s writes', (at, as, changed, created, values) => {
    test.each([
      ['PATCH', () => api.patch(`/${at}/${uuid(1)}/`, values, { as })],
      ['PUT', () => api.put(`/${at}/${uuid(1)}/`, { name: 'Ada', ...values }, { as })],
      ['bulk update', () => api.patch(`/${at}/bulk-update/`, [{ id: uuid(1), ...values }], { as })],
      ['upsert', () => api.post(`/${at}/bulk-upsert/`, [{ name: 'Ada', ...values }], { as })],
    ])('%s only what the user may', async (_, send) => {
      const response = await send()
      expect(response.status, response.text).toBeLessThan(300)
      expect(await stored()).toEqual([changed, 'Bob 4 a'])
    })

    test.each([
      ['POST', () => api.post(`/${at}/`, { name: 'New', ...values }, { as })],
      ['bulk create', () => api.post(`/${at}/bulk-create/`, [{ name: 'New', ...values }], { as })],
      ['upsert', () => api.post(`/${at}/bulk-upsert/`, [{ name: 'New', ...values }], { as })],
    ])('%s with only what the user may', async (_, send) => {
      const response = await send()
      expect(response.status, response.text).toBeLessThan(300)
      expect(await stored()).toEqual(['Ada 5 a', 'Bob 4 a', created])
    })

    test('read only what the user may', async () => {
      const shown = (await api.get(`/${at}/${uuid(1)}/`, { as })).data()
      expect(shown.salary ?? shown.pay).toBe(as === 'ann' ? undefined : 5)
    })

    test('import only what the user may', async () => {
      const form = new FormData()
      form.set('file', new Blob(['name,salary,grade,boss\nAda,9,b,Bob\nNew,9,b,Bob\n']), 'staff.csv')
      form.set('append_data', 'true')
      const response = await api.request('POST', `/${at}/import-from-file/`, { body: form, as })
      expect(response.status, response.text).toBeLessThan(300)
      expect(await stored()).toEqual([changed, 'Bob 4 a', created])
      const named = (await api.get(path, { as: 'eva' })).data<{ boss: { name: string } }>()
      expect(named.boss.name).toBe(at === 'renamed' && as !== 'eva' ? 'Ada' : 'Bob')
    })
  })

  test('the schema of a user names the own fields', async () => {
    const fieldsOf = async (as: string) => {
      const { resources } = (await api.get('/schema/', { as })).data<{
        resources: { fields: { name: string; readable: boolean; writable: boolean }[] }[]
      }>()
      return resources[0]?.fields.map(({ name, readable, writable }) => `${name} ${readable} ${writable}`)
    }
    expect(await fieldsOf('ann')).toEqual(['id true false', 'name true true', 'grade true false', 'boss true true'])
    expect(await fieldsOf('eva')).toContain('salary true true')
  })

  test('rules are functions of known fields', () => {
    const config = { fields: ['id', 'name'] } as const
    expect(() => BaseModelSerializer(staff, { ...config, readableBy: { nme: isOffice } })).toThrow(
      /did you mean "name"/,
    )
    expect(() => BaseModelSerializer(staff, { ...config, readOnly: ['name'], writableBy: { name: isOffice } })).toThrow(
      /"name" is read-only/,
    )
    // @ts-expect-error no function
    expect(() => BaseModelSerializer(staff, { ...config, writableBy: { name: true } })).toThrow(/function of the user/)
  })

  test('types', () => {
    type Data = SerializerData<typeof StaffSerializer>
    type Body = SerializerBody<typeof StaffSerializer>
    type _types = [
      Expect<Equal<Data['salary'], number | null | undefined>>,
      Expect<Equal<Data['name'], string>>,
      Expect<Equal<Body['grade'], string | undefined>>,
    ]
    expect(isOffice(null)).toBe(false)
  })
})

function offerTables(c: ColumnKit) {
  const offers = c.table(
    'offers',
    {
      id: c.integer().primaryKey(),
      code: c.text(20).notNull().unique(),
      title: c.text(20).notNull(),
      cost: c.integer().notNull().default(5),
      seal: c.text(20).unique(),
    },
    t => [c.unique([t.title, t.cost])],
  )
  return { offers }
}

describeDialects('the error of a unique value', dialect => {
  const tables = offerTables(dialect.kit)
  const { offers } = tables
  const config = {
    model: offers,
    permissionClasses: [IsAuthenticated],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['offers'],
      models: { offers: importModel({ model: offers, fields: ['code', 'title'], uniqueFields: ['code'] }) },
    },
    actions: {
      /** Writes past the validation, so the database finds the duplicate. */
      store: {
        method: 'POST',
        detail: false,
        handler: async (view: { readonly request: { readonly body: unknown } }) => {
          await insertMany(offers, [view.request.body as { code: string; title: string }])
        },
      },
    },
  } as const
  const Limited = BaseModelSerializer(offers, {
    name: 'LimitedOffer',
    fields: ['id', 'code', 'title', 'cost', 'seal'],
    readableBy: { cost: isOffice, seal: isOffice },
    writableBy: { seal: isOffice },
  })
  const Open = BaseModelSerializer(offers, { name: 'OpenOffer', fields: ['id', 'code', 'title', 'cost'] })
  const api = useApi(dialect, {
    tables,
    users: { ann: { id: 'ann' }, kim: { id: 'kim', roles: ['office'] } },
    resources: {
      offers: BulkImportableViewSet({ ...config, serializer: Limited, fixedValues: () => ({ seal: 'wax' }) }),
      plain: BulkImportableViewSet({ ...config, serializer: Limited }),
      open: BulkImportableViewSet({ ...config, serializer: Open }),
    },
  })
  const errorsOf = async (sent: ReturnType<typeof api.post>) => (await sent).envelope().errors
  const ONE = 'Another record already has this value.'
  const BOTH = { non_field_errors: ['Another record already has these values of title, cost.'] }
  beforeEach(() =>
    api.database.transaction(() =>
      insertMany(offers, [
        { id: 101, code: 'a', title: 'A' },
        { id: 102, code: 'b', title: 'B' },
      ]),
    ),
  )

  test('names a field only to those who may see it', async () => {
    const create = (as: string, at = 'plain') => errorsOf(api.post(`/${at}/`, { code: 'new', title: 'A' }, { as }))
    const change = (as: string) => errorsOf(api.patch('/plain/102/', { title: 'A' }, { as }))
    expect([await create('ann'), await change('ann')]).toEqual([{ title: [ONE] }, { title: [ONE] }])
    expect([await create('kim'), await change('kim')]).toEqual([BOTH, BOTH])
    expect(await create('ann', 'open')).toEqual(BOTH)
  })

  test('names a field that the request has sent', async () => {
    expect(await errorsOf(api.post('/plain/', { code: 'new', title: 'A', cost: 5 }, { as: 'ann' }))).toEqual(BOTH)
  })

  test('names no field, if the user sees none of them', async () => {
    expect((await api.post('/offers/', { code: 'x', title: 'X' }, { as: 'ann' })).status).toBe(201)
    const create = (as: string) => errorsOf(api.post('/offers/', { code: 'y', title: 'Y' }, { as }))
    expect(await create('ann')).toEqual({ non_field_errors: [ONE] })
    expect(await create('kim')).toEqual({ seal: [ONE] })
  })

  test('names no such field, if the database finds it', async () => {
    const store = (as: string) => errorsOf(api.post('/plain/store/', { code: 'new', title: 'A' }, { as }))
    expect(await store('ann')).toEqual({ title: [ONE] })
    expect(await store('kim')).toEqual(BOTH)
  })

  test('names no such field in an import', async () => {
    const imported = async (as: string) => {
      const form = new FormData()
      form.set('file', new Blob(['code,title\nnew,A\n']), 'offers.csv')
      form.set('append_data', 'true')
      return (await api.request('POST', '/plain/import-from-file/', { body: form, as })).text
    }
    expect(await imported('ann')).toContain(ONE)
    expect(await imported('ann')).not.toContain('cost')
    expect(await imported('kim')).toContain('title, cost')
  })
})
