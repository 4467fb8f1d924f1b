import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  BulkViewSet,
  type ColumnKit,
  DataToDataField,
  ImportableViewSet,
  importForeignKey,
  importModel,
  scoped,
  type User,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { capturedLog } from '../support/captured-log.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectInvalid, uuid } from '../support/expect.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { importForm } from '../support/multipart.ts'
import '../support/touch-model-mixin.ts'

/** Two companies in one database: what belongs to one has its `tenant`. */
function models(c: ColumnKit) {
  const owners = c.table('owners', {
    ...c.BaseModelMixin(),
    tenant: c.text(20).notNull(),
    name: c.text(50).notNull(),
  })
  const items = c.table(
    'items',
    {
      ...c.BaseModelMixin(),
      tenant: c.text(20).notNull(),
      code: c.text(20).notNull(),
      label: c.text(50),
      owner: c.foreignKey(owners),
      parent: c.foreignKey('self'),
    },
    t => [c.unique(t.tenant, t.code)],
  )
  return { owners, items }
}

const users: Readonly<Record<string, User>> = {
  ann: { id: 'ann', tenant: 'north' },
  ben: { id: 'ben', tenant: 'south' },
  nobody: { id: 'nobody' },
}

/** An object without one of its keys. */
function without<T extends object, K extends keyof T>(object: T, key: K): Omit<T, K> {
  const { [key]: _, ...others } = object
  return others
}

const UpsertImportViewSet = BulkImportableViewSet.add(BulkUpsertModelMixin)

describeDialects('fixed values', dialect => {
  const tables = models(dialect.kit)
  const { owners, items } = tables
  const ownOwners = scoped(owners, ({ user }) => eq(owners.tenant, String(user?.tenant)), {
    fixedValues: ({ user }) => ({ tenant: String(user?.tenant) }),
  })
  const OwnerSerializer = BaseModelSerializer(owners, { fields: ['id', 'name', 'tenant'] })
  const ParentSerializer = BaseModelSerializer(items, { fields: ['id', 'code', 'tenant'] })
  // `tenant` is a field that a client could write, were it not fixed.
  const ItemSerializer = BaseModelSerializer(items, {
    fields: ['id', 'code', 'label', 'tenant', 'owner', 'parent'],
    extra: {
      owner: DataToDataField({ queryset: ownOwners, serializer: OwnerSerializer }),
      parent: DataToDataField({ queryset: items, serializer: ParentSerializer }),
    },
  })
  const config = {
    model: items,
    serializer: ItemSerializer,
    permissionClasses: [AllowAny],
    queryset: ({ user }: { readonly user: User | null }) => eq(items.tenant, String(user?.tenant)),
    fixedValues: ({ user }: { readonly user: User | null }) => ({ tenant: user?.tenant as string }),
    upsertFields: ['tenant', 'code'] as const,
    importFileConfig: {
      fileFormat: ['csv', 'xlsx'],
      order: ['owners', 'items'],
      models: {
        owners: importModel({ model: ownOwners, fields: ['name'], uniqueFields: ['tenant', 'name'] }),
        items: importModel({
          model: items,
          fields: ['code', 'label'],
          uniqueFields: ['tenant', 'code'],
          foreignKeys: { owner: importForeignKey({ model: ownOwners, lookupField: 'name', sourceField: 'name' }) },
        }),
      },
    },
  } as const
  const base = without(without(config, 'upsertFields'), 'importFileConfig')
  const rows = { model: items, uniqueFields: ['tenant', 'code'] as const }
  beforeEach(() => allowUndescribed(/have required property 'tenant'/, 'What is fixed is for each request to say.'))
  const log = capturedLog()
  const api = useApi(dialect, {
    tables,
    users,
    server: log.server,
    resources: {
      forgotten: BulkViewSet({ ...without(base, 'fixedValues'), fixedValues: () => undefined as never }),
      items: UpsertImportViewSet(config),
      free: BulkViewSet(without(base, 'fixedValues')),
      twice: ImportableViewSet({
        ...base,
        importFileConfig: {
          fileFormat: 'csv',
          order: ['up', 'items'],
          models: {
            up: importModel({ ...rows, fields: ['code', 'tenant'] }),
            items: importModel({ ...rows, fields: ['code'] }),
          },
        },
      }),
      told: ImportableViewSet({
        ...base,
        importFileConfig: {
          fileFormat: 'csv',
          order: ['items'],
          models: { items: importModel({ ...rows, fields: ['tenant', 'code', 'label'] }) },
        },
      }),
    },
  })

  /** What is stored, by tenant and code. */
  const stored = () =>
    api.database.use(async () => {
      const rows = await api.rows('items')
      const at = (name: string) => Object.keys(items).indexOf(name)
      return rows.map(row => `${row[at('tenant')]} ${row[at('code')]} ${row[at('label')] ?? '-'}`).toSorted()
    })
  const tenantsOf = async (table: string, model: object) => {
    const at = Object.keys(model).indexOf('tenant')
    return (await api.rows(table)).map(row => row[at])
  }
  const asAnn = { as: 'ann' }

  test('every way to create writes them, whatever the client sends', async () => {
    const sent = { tenant: 'south', label: 'x' }
    expect((await api.post('/items/', { code: 'a', ...sent }, asAnn)).data()).toMatchObject({ tenant: 'north' })
    await api.post('/items/bulk-create/', [{ code: 'b', ...sent }], asAnn)
    await api.post('/items/bulk-upsert/', [{ code: 'c', ...sent }], asAnn)
    const csv = 'name,code,label,tenant\nOwen,d,x,south\n'
    expect(
      (await api.request('POST', '/items/import-from-file/', { ...importForm(csv), ...asAnn })).data(),
    ).toMatchObject({
      created: 1,
      ignored_columns: ['tenant'],
    })
    expect(await stored()).toEqual(['north a x', 'north b x', 'north c x', 'north d x'])
    expect(await tenantsOf('owners', owners)).toEqual(['north'])
  })

  test('new related records get them: those of the field, and those of the resource for its own model', async () => {
    const owner = { name: 'Olga', tenant: 'south' }
    const parent = { code: 'p', tenant: 'south' }
    expect((await api.post('/items/', { code: 'a', owner, parent }, asAnn)).data()).toMatchObject({
      owner: { tenant: 'north' },
      parent: { code: 'p', tenant: 'north' },
    })
    await api.post('/items/bulk-create/', [{ code: 'b', owner: { name: 'Otto' }, parent: { code: 'q' } }], asAnn)
    expect(await stored()).toEqual(['north a -', 'north b -', 'north p -', 'north q -'])
    expect(new Set(await tenantsOf('owners', owners))).toEqual(new Set(['north']))
  })

  test('no update changes them', async () => {
    const { id } = (await api.post('/items/', { code: 'a' }, asAnn)).data() as { id: string }
    const sent = { code: 'a', label: 'x', tenant: 'south' }
    const updates = [
      () => api.put(`/items/${id}/`, sent, asAnn),
      () => api.patch(`/items/${id}/`, sent, asAnn),
      () => api.put('/items/bulk-update/', [{ id, ...sent }], asAnn),
      () => api.patch('/items/bulk-update/', [{ id, ...sent }], asAnn),
      () => api.post('/items/bulk-upsert/', [sent], asAnn),
      () => api.request('POST', '/items/import-from-file/', { ...importForm('name,code,label\n,a,x\n'), ...asAnn }),
    ]
    for (const update of updates) {
      expect((await update()).status).toBeLessThan(300)
      expect(await stored()).toEqual(['north a x'])
    }
  })

  test('a code of another tenant is free, and no upsert or import touches his record', async () => {
    await api.post('/items/', { code: 'a', label: 'theirs' }, { as: 'ben' })
    expect((await api.post('/items/', { code: 'a', label: 'ours' }, asAnn)).status).toBe(201)
    const taken = 'Another record already has these values of tenant, code.'
    expectError(await api.post('/items/', { code: 'a' }, asAnn), 400, taken, { non_field_errors: [taken] })
    await api.post('/items/bulk-upsert/', [{ code: 'a', label: 'upserted' }], asAnn)
    expect(await stored()).toEqual(['north a upserted', 'south a theirs'])
    const csv = 'name,code,label\nOwen,a,imported\n'
    const report = await api.request('POST', '/items/import-from-file/', { ...importForm(csv), ...asAnn })
    expect(report.data()).toMatchObject({ created: 0, updated: 1, failed: 0 })
    expect(await stored()).toEqual(['north a imported', 'south a theirs'])
  })

  test('a replace keeps to the own tenant', async () => {
    await api.post('/items/bulk-create/', [{ code: 'a' }, { code: 'b' }], asAnn)
    await api.post('/items/', { code: 'a' }, { as: 'ben' })
    const form = importForm('name,code,label\nOwen,b,new\n', { append: false })
    const report = await api.request('POST', '/items/import-from-file/', { ...form, ...asAnn })
    expect(report.data()).toMatchObject({ deleted: 2, created: 1, failed: 0 })
    expect(await stored()).toEqual(['north b new', 'south a -'])
  })

  test('a new record of the own model inside of another is checked as the own one', async () => {
    const sent = { code: 'a', parent: { code: 'p', tenant: 'south' } }
    const errors = { parent: ['A new record must be among those that this field can refer to.'] }
    expectInvalid(await api.post('/free/', { ...sent, tenant: 'north' }, asAnn), errors)
    expectInvalid(await api.post('/free/bulk-create/', [{ ...sent, tenant: 'north' }], asAnn), {
      '0.parent': errors.parent,
    })
    expect(await stored()).toEqual([])
  })

  test('a file that feeds the own model twice has them for both', async () => {
    await api.post('/items/', { code: 'x', label: 'theirs' }, { as: 'ben' })
    const csv = 'up.code,up.tenant,items.code\nx,south,child\n'
    const report = await api.request('POST', '/twice/import-from-file/', { ...importForm(csv), ...asAnn })
    expect([report.status, report.data()]).toMatchObject([201, { created: 1 }])
    expect(await stored()).toEqual(['north child -', 'north x -', 'south x theirs'])
  })

  test('what a file has in their place tells no record from another', async () => {
    const csv = 'tenant,code,label\nx,a,1\ny,a,2\nfar too long for any tenant,b,3\n'
    const report = await api.request('POST', '/told/import-from-file/', { ...importForm(csv), ...asAnn })
    expect(report.data()).toMatchObject({ created: 2, updated: 1, failed: 0 })
    expect(await stored()).toEqual(['north a 2', 'north b 3'])
  })

  test('a request that has none creates nothing', async () => {
    for (const ask of [
      () => api.post('/items/', { code: 'a' }, { as: 'nobody' }),
      () => api.post('/items/bulk-create/', [{ code: 'a' }], { as: 'nobody' }),
      () => api.request('POST', '/items/import-from-file/', { ...importForm('name,code,label\nx,a,\n'), as: 'nobody' }),
    ]) {
      const response = await ask()
      expect([response.status, response.text]).toEqual([500, response.text])
    }
    expect(await stored()).toEqual([])
  })

  test('a function that returns no values is an error that says so, and nothing is created', async () => {
    log.lines.length = 0
    expect((await api.post('/forgotten/', { tenant: 'north', code: 'a' }, asAnn)).status).toBe(500)
    expect(JSON.stringify(log.lines)).toContain('items: fixedValues: returned no values; return an object, as in')
    expect(await stored()).toEqual([])
  })

  test('wrong settings stop the start', () => {
    const make = (settings: object) => () => UpsertImportViewSet({ ...config, ...settings })
    expect(make({ fixedValues: { tenant: 'north' } })).toThrow(
      'resource of "items": fixedValues: must be a function that returns values: view => ({ ... })',
    )
    expect(make({ checkScope: true })).toThrow(
      `resource of "items": checkScope: must be 'create', 'always' or 'never', not true`,
    )
    expect(make({ fixedValues: undefined })).toThrow('"tenant" is not among the imported fields')
  })

  test('ids of a client stay out', async () => {
    await api.post('/items/', { id: uuid(7), code: 'a' }, asAnn)
    expect((await api.get(`/items/${uuid(7)}/`, asAnn)).status).toBe(404)
  })
})
