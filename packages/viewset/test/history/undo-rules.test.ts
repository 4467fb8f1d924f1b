import { eq, sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  currentDb,
  ImportableViewSet,
  IsAdminUser,
  importForeignKey,
  importManyToMany,
  importModel,
  insertMany,
  ManyIdToDataField,
  type ModelRecord,
  type User,
  ValidationError,
} from 'viewset'
import { expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { type RequestOptions, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

describeDialects('the undo of an import keeps the rules of its resource:', dialect => {
  const c = dialect.kit
  const items = c.table('items', {
    ...c.BaseModelMixin(),
    code: c.text(10).notNull().unique(),
    plate: c.text(10).unique(),
    price: c.decimal(8, 2),
    secret: c.text(20),
    tenant: c.text(10),
    parent: c.foreignKey('self'),
    born: c.date(),
    seen: c.timestamp(),
    data: c.json(),
    flag: c.boolean(),
    big: c.bigint(),
  })
  const labels = c.table('labels', { id: c.integer().primaryKey(), text: c.text(10).notNull().unique() })
  const itemLabels = c.table('item_labels', {
    id: c.integer().primaryKey(),
    item: c.foreignKey(items, { onDelete: 'cascade' }).notNull(),
    label: c.foreignKey(labels, { onDelete: 'cascade' }).notNull(),
  })
  const history = c.HistoryTable(items)
  const { itemsHistory } = history
  const jobTables = c.JobTables()
  const { idempotencyKeys } = c.IdempotencyTable()
  const queue = new ManualQueue()
  const seen: string[] = []

  const fields = ['id', 'code', 'plate', 'price', 'parent', 'born', 'seen', 'data', 'flag', 'big'] as const
  const open = BaseModelSerializer(items, { name: 'Open', fields: [...fields] })
  const full = BaseModelSerializer(items, { name: 'Full', fields: [...fields, 'secret'] })
  const label = BaseModelSerializer(labels, { name: 'Label', fields: ['id', 'text'] })
  const labelled = (name: string, rules: object) =>
    BaseModelSerializer(items, {
      name,
      fields: ['id', 'code', 'price'],
      extra: { labels: ManyIdToDataField({ queryset: labels, serializer: label, through: itemLabels }) },
      ...rules,
    })
  const isRoot = (user: User | null) => user?.id === 'root'
  const importConfig = {
    fileFormat: 'csv',
    order: ['items'],
    models: {
      items: importModel({
        model: items,
        fields: ['code', 'plate', 'price', 'secret', 'born', 'seen', 'data', 'flag', 'big'],
        uniqueFields: ['code'],
        foreignKeys: { parent: importForeignKey({ model: items, lookupField: 'code', sourceField: 'parent' }) },
      }),
    },
  } as const
  const config = {
    model: items,
    serializer: full,
    permissionClasses: [AllowAny],
    ordering: 'code',
    importFileConfig: importConfig,
    idempotency: true,
  } as const

  class Plain extends ImportableViewSet(config) {}
  class Soft extends ImportableViewSet({ ...config, queryset: () => eq(items.isActive, true) }) {
    override async performDestroy(item: ModelRecord<typeof items>) {
      seen.push(`${this.isUndo ? 'undo' : 'other'} ${item.code}`)
      await item.softDelete()
    }
  }
  class Strict extends ImportableViewSet(config) {
    override async performUpdate(item: ModelRecord<typeof items>, values: Partial<typeof items.$inferInsert>) {
      if (this.isUndo && item.code === 'B') throw new ValidationError({ price: ['B is closed.'] })
      return super.performUpdate(item, values)
    }
  }
  class Guarded extends ImportableViewSet({
    ...config,
    permissionClasses: [
      {
        hasPermission: () => true,
        hasObjectPermission: (view: { user: User | null; action: string }, item: { code: string }) =>
          view.action !== 'undo' || item.code !== 'B',
      },
    ],
  }) {}
  const tenantOf = ({ user }: { readonly user: User | null }) => String(user?.id ?? '')
  class Tenants extends ImportableViewSet({
    ...config,
    queryset: view => (view.user?.roles?.includes('admin') ? sql`true` : eq(items.tenant, tenantOf(view))),
    fixedValues: view => ({ tenant: tenantOf(view) }),
  }) {}
  class Roles extends ImportableViewSet({ ...config, serializers: [open, full] }) {
    override getSerializer() {
      return this.user?.id === 'root' ? full : open
    }
  }
  const linkConfig = {
    ...config,
    importFileConfig: {
      fileFormat: 'csv',
      order: ['items'],
      models: {
        items: importModel({
          model: items,
          fields: ['code', 'price'],
          uniqueFields: ['code'],
          manyToMany: {
            labels: importManyToMany({
              model: labels,
              lookupField: 'text',
              sourceField: 'labels',
              through: itemLabels,
            }),
          },
        }),
      },
    },
  } as const
  const admins = { undoPermissionClasses: [IsAdminUser] }
  class Admins extends ImportableViewSet({ ...config, ...admins }) {}
  const api = useApi(dialect, {
    tables: { items, labels, itemLabels, ...history, ...jobTables, idempotencyKeys },
    users: { ann: { id: 'ann' }, ben: { id: 'ben' }, root: { id: 'root', roles: ['admin'] } },
    resources: {
      plain: Plain,
      soft: Soft,
      strict: Strict,
      guarded: Guarded,
      tenants: Tenants,
      roles: Roles,
      admins: Admins,
      linked: ImportableViewSet({ ...linkConfig, serializer: labelled('Linked', { writableBy: { labels: isRoot } }) }),
      unlinked: ImportableViewSet({
        ...linkConfig,
        serializer: labelled('Unlinked', { readableBy: { labels: isRoot } }),
      }),
    },
    idempotency: { table: idempotencyKeys },
    jobs: {
      tables: jobTables,
      queue,
      files: new MemoryJobFiles(),
      adminPermissionClasses: [view => view.user?.id === 'root'],
    },
  })

  const stored = () => api.database.use(() => currentDb().select().from(items).orderBy(items.code))
  const send = (resource: string, csv: string, { as = 'ann', headers }: RequestOptions = {}, query = '') => {
    const form = importForm(csv)
    const all = { ...form.headers, ...headers }
    return api.request('POST', `/${resource}/import-from-file/${query}`, { payload: form.payload, headers: all, as })
  }
  const imported = async (resource: string, csv: string, options?: RequestOptions) => {
    const response = await send(resource, csv, options)
    expect(response.status, response.text).toBe(201)
    return response.data<{ job: string }>().job
  }
  const undo = async (job: string, as = 'ann') => {
    const accepted = await api.post(`/jobs/${job}/undo/`, undefined, { as })
    expect(accepted.status, accepted.text).toBe(202)
    const { id } = accepted.data<JobData>()
    await queue.run(id)
    return (await api.get(`/jobs/${id}/`, { as })).data<JobData>()
  }
  const HEADER = 'code,plate,price,secret,born,seen,data,flag,big,parent\n'
  const row = (code: string, more: Partial<Record<string, string>> = {}) =>
    ['plate', 'price', 'secret', 'born', 'seen', 'data', 'flag', 'big', 'parent'].reduce(
      (line, name) => `${line},${more[name] ?? ''}`,
      code,
    )
  const file = (...rows: readonly string[]) => `${HEADER}${rows.join('\n')}\n`

  test('values of every kind come back as they were', async () => {
    const all = {
      price: '12.30',
      born: '2020-02-29',
      seen: '2026-01-15T10:30:00.123456Z',
      data: '"{""a"": [1, null]}"',
      flag: 'true',
      big: '9007199254740993',
    }
    await imported('plain', file(row('A', all)))
    const before = await stored()
    const other = { price: '9', born: '2021-01-01', seen: '2026-01-15T10:31:00Z', data: '[]', flag: 'false', big: '5' }
    const job = await imported('plain', file(row('A', other)))
    expect((await undo(job)).message).toBe('')
    const plain = (rows: Awaited<ReturnType<typeof stored>>) =>
      rows.map(({ updatedAt: _, updatedBy: __, ...item }) => item)
    expect(plain(await stored())).toEqual(plain(before))
  })

  test('a record that the own import deleted comes back with its hidden fields', async () => {
    await imported('roles', file(row('A', { price: '1', secret: 's' }), row('B')), { as: 'root' })
    const replaced = async (as: string) => {
      const form = importForm(file(row('C')), { append: false })
      return (await api.post('/roles/import-from-file/', undefined, { as, ...form })).data<{ job: string }>().job
    }
    const secrets = async () => (await stored()).map(({ code, secret }) => [code, secret])
    const before = await secrets()
    const { result } = await undo(await replaced('ann'))
    // Their labels have no history.
    expect(result).toMatchObject({ reversed: 1, partly: 2, out_of_reach: 0 })
    expect(await secrets()).toEqual(before)
  })

  test('unique values that the import has swapped are swapped back', async () => {
    await imported('plain', file(row('A', { plate: 'x' }), row('B', { plate: 'y' })))
    const job = await imported(
      'plain',
      file(row('A', { plate: '' }), row('B', { plate: 'x' }), row('A', { plate: 'y' })),
    )
    expect((await stored()).map(({ code, plate }) => [code, plate])).toEqual([
      ['A', 'y'],
      ['B', 'x'],
    ])
    expect((await undo(job)).message).toBe('')
    expect((await stored()).map(({ code, plate }) => [code, plate])).toEqual([
      ['A', 'x'],
      ['B', 'y'],
    ])
  })

  test('a tree that the import has made is deleted, children first', async () => {
    const job = await imported('plain', file(row('A'), row('B', { parent: 'A' }), row('C', { parent: 'B' })))
    expect((await undo(job)).result).toMatchObject({ reversed: 3 })
    expect(await stored()).toEqual([])
  })

  test('a hook deletes softly, and knows that it is an undo', async () => {
    seen.length = 0
    const job = await imported('soft', file(row('A')))
    expect((await undo(job)).result).toMatchObject({ reversed: 1 })
    expect(seen).toEqual(['undo A'])
    expect(await stored()).toMatchObject([{ code: 'A', isActive: false }])
  })

  test('a record that a hook refuses is reported with its message, and the others are undone', async () => {
    await imported('strict', file(row('A', { price: '1' }), row('B', { price: '1' }), row('C', { price: '1' })))
    const job = await imported(
      'strict',
      file(row('A', { price: '2' }), row('B', { price: '2' }), row('C', { price: '2' })),
    )
    const { result } = await undo(job)
    expect(result).toMatchObject({ reversed: 2, failed: 1 })
    expect(result?.rows).toContainEqual(
      expect.objectContaining({ outcome: 'failed', fields: ['price'], why: 'B is closed.' }),
    )
    expect((await stored()).map(({ price }) => price)).toEqual(['1.00', '2.00', '1.00'])
  })

  test('a record that an object permission forbids stays', async () => {
    const job = await imported('guarded', file(row('A'), row('B')))
    expect((await undo(job)).result).toMatchObject({ reversed: 1, failed: 1 })
    expect((await stored()).map(({ code }) => code)).toEqual(['B'])
  })

  test('records out of reach are counted and not named', async () => {
    const job = await imported('tenants', file(row('A'), row('B')))
    await api.database.use(() => currentDb().update(items).set({ tenant: 'ben' }).where(eq(items.code, 'B')))
    const { result } = await undo(job)
    expect(result).toMatchObject({ reversed: 1, out_of_reach: 1 })
    expect(JSON.stringify(result)).not.toContain('"B"')
    expect((await stored()).map(({ code }) => code)).toEqual(['B'])
  })

  test('changes of a field that the user may not see are out of reach', async () => {
    await imported('roles', file(row('A', { secret: 'one', price: '1' })), { as: 'root' })
    const job = await imported('roles', file(row('A', { secret: 'two', price: '2' })), { as: 'root' })
    await api.database.use(() =>
      currentDb().update(jobTables.jobs).set({ owner: 'ann' }).where(eq(jobTables.jobs.id, job)),
    )
    expect((await undo(job)).result).toMatchObject({ reversed: 0, out_of_reach: 1 })
    expect((await stored())[0]).toMatchObject({ secret: 'two' })
    expect((await undo(job, 'root')).result).toMatchObject({ reversed: 1 })
    expect((await stored())[0]).toMatchObject({ secret: 'one' })
  })

  test.each([
    ['linked', { failed: 1, out_of_reach: 0 }],
    ['unlinked', { failed: 0, out_of_reach: 1 }],
  ])('links of a field that the user may not write or see stay: %s', async (resource, outcome) => {
    await api.database.use(() => insertMany(labels, [{ text: 'x' }, { text: 'y' }]))
    const links = () => api.database.use(() => currentDb().select({ label: itemLabels.label }).from(itemLabels))
    await imported(resource, 'code,price,labels\nA,1,x\n', { as: 'root' })
    const job = await imported(resource, 'code,price,labels\nA,1,y\n', { as: 'root' })
    await api.database.use(() =>
      currentDb().update(jobTables.jobs).set({ owner: 'ann' }).where(eq(jobTables.jobs.id, job)),
    )
    expect((await undo(job)).result).toMatchObject({ ...outcome, reversed: 0 })
    expect(await links()).toEqual([{ label: 2 }])
    expect((await undo(job, 'root')).result).toMatchObject({ reversed: 1 })
    expect(await links()).toEqual([{ label: 1 }])
  })

  test('undoPermissionClasses decide who may undo', async () => {
    const job = await imported('admins', file(row('A')))
    const refused = await api.post(`/jobs/${job}/undo/`, undefined, { as: 'ann' })
    expect(refused.status).toBe(403)
    expect((await undo(job, 'root')).result).toMatchObject({ reversed: 1 })
  })

  test('an import with a key is undone once, and its replay names the same job', async () => {
    const headers = { 'idempotency-key': 'import' }
    const job = await imported('plain', file(row('A')), { headers })
    expect(await imported('plain', file(row('A')), { headers })).toBe(job)
    expect((await undo(job)).result).toMatchObject({ reversed: 1 })
  })

  test('an import with failed rows as a file is a job as well', async () => {
    const response = await send('plain', file(row('A'), row('B', { price: 'x' })), {}, '?failed_rows=true')
    expect(response.status).toBe(207)
    const [job] = (await api.get('/jobs/', { as: 'ann' })).data<JobData[]>()
    expect(job).toMatchObject({ kind: 'import', state: 'succeeded', progress: { created: 1, failed: 1 } })
    expect((await undo(job?.id ?? '')).result).toMatchObject({ reversed: 1 })
  })

  test('a change by raw SQL stays, and is said to have no history', async () => {
    await imported('plain', file(row('A', { price: '1' })))
    const job = await imported('plain', file(row('A', { price: '2' })))
    await api.database.use(() => currentDb().update(items).set({ price: '3' }))
    const why = 'A write without a history has changed price.'
    expect((await undo(job)).result).toMatchObject({ kept: 1, rows: [{ label: 'A', fields: ['price'], why }] })
    expect((await stored())[0]).toMatchObject({ price: '3.00' })
  })

  test('a record whose values are not kept cannot come back, and what is erased is not touched', async () => {
    const job = await imported('plain', file(row('A')))
    await api.database.use(() => currentDb().update(itemsHistory).set({ after: null, job: null }))
    const refused = await api.post(`/jobs/${job}/undo/`, undefined, { as: 'ann' })
    expect(refused.status).toBe(409)
    expect(await stored()).toHaveLength(1)
  })

  test('of two undos at once, the second one finds nothing to do', async () => {
    const job = await imported('plain', file(row('A')))
    const [first, second] = await Promise.all(
      [1, 2].map(() => api.post(`/jobs/${job}/undo/`, undefined, { as: 'ann' })),
    )
    const accepted = [first, second].filter(answer => answer?.status === 202).map(answer => answer?.data<JobData>().id)
    expect(accepted.length).toBeGreaterThan(0)
    await Promise.all(accepted.map(id => queue.run(id ?? '')))
    const reversed = await Promise.all(
      accepted.map(async id => (await api.get(`/jobs/${id}/`, { as: 'ann' })).data<JobData>().result?.reversed),
    )
    expect(reversed.toSorted()).toEqual(accepted.length === 1 ? [1] : [0, 1])
    expect(await stored()).toEqual([])
  })
})
