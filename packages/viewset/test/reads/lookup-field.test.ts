import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  ColumnField,
  type ColumnKit,
  ConfigError,
  HistoryModelMixin,
  insertMany,
} from 'viewset'
import { createClient } from 'viewset/client'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'

function labelTables(c: ColumnKit) {
  const labels = c.table(
    'labels',
    {
      ...c.BaseModelMixin(),
      ...c.VersionMixin(),
      name: c.text(20).notNull(),
      slug: c.text(20).notNull(),
      rank: c.integer(),
    },
    t => [c.unique([t.slug], { where: eq(t.isActive, true) }), c.unique(t.rank)],
  )
  return { labels, ...c.HistoryTable(labels) }
}

describeDialects('lookupField', dialect => {
  const tables = labelTables(dialect.kit)
  const { labels } = tables
  const config = {
    model: labels,
    serializer: BaseModelSerializer(labels, { fields: ['id', 'name', 'slug'] }),
    permissionClasses: [AllowAny],
    queryset: () => eq(labels.isActive, true),
  } as const
  const Ranked = BaseModelSerializer(labels, { name: 'Ranked', fields: ['id', 'name', 'slug', 'rank'] })
  const LabelBase = BaseViewSet.add(HistoryModelMixin)({
    ...config,
    lookupField: 'slug',
    version: 'version',
    historyPermissionClasses: [AllowAny],
    historyOfDeleted: true,
    actions: {
      restore: {
        method: 'POST',
        detail: true,
        queryset: () => eq(labels.isActive, false),
        handler: async view => (await view.getObject()).restore(),
      },
      shout: {
        method: 'POST',
        detail: true,
        handler: async view => ({ name: (await view.getObject()).name.toUpperCase() }),
      },
    },
  })
  class LabelViewSet extends LabelBase {
    override async performDestroy(record: Parameters<InstanceType<typeof LabelBase>['performDestroy']>[0]) {
      await record.softDelete()
    }
  }
  const api = useApi(dialect, {
    tables,
    resources: {
      labels: LabelViewSet,
      ranks: BaseViewSet({ ...config, serializer: Ranked, lookupField: 'rank' }),
      readers: BaseViewSet({
        ...config,
        serializer: BaseModelSerializer(labels, {
          fields: ['id', 'name', 'rank'],
          readableBy: { rank: user => user !== null },
        }),
        lookupField: 'rank',
        actions: { shout: { method: 'GET', detail: true, handler: async view => (await view.getObject()).name } },
      }),
    },
    users: { kim: { id: 'kim' } },
  })
  beforeEach(() =>
    api.database.transaction(() =>
      insertMany(labels, [
        { id: uuid(1), name: 'Old', slug: 'a-port', isActive: false },
        { id: uuid(2), name: 'New', slug: 'a-port', rank: 7 },
      ]),
    ),
  )

  test('the path names the record that the queryset shows', async () => {
    expect((await api.get('/labels/a-port/')).data()).toMatchObject({ name: 'New' })
    expect((await api.patch('/labels/a-port/', { name: 'Newer' })).data()).toMatchObject({ name: 'Newer' })
    expect((await api.put('/labels/a-port/', { name: 'X', slug: 'b' })).data()).toMatchObject({ slug: 'b' })
    expect((await api.get('/labels/a-port/')).status).toBe(404)
    expect((await api.get(`/labels/${uuid(2)}/`)).status).toBe(404)
    expect((await api.post('/labels/b/shout/')).data()).toEqual({ name: 'X' })
    expect((await api.get('/ranks/7/')).data()).toMatchObject({ name: 'X' })
    expect((await api.get('/ranks/x/')).text).toContain('rank')
  })

  test('If-Match holds, and a delete deletes', async () => {
    const { headers } = await api.get('/labels/a-port/')
    const stale = await api.delete('/labels/a-port/', { headers: { 'if-match': '"1"' } })
    expect(stale.status).toBe(412)
    const deleted = await api.delete('/labels/a-port/', { headers: { 'if-match': String(headers.etag) } })
    expect(deleted.status).toBe(204)
    expect((await api.get('/labels/a-port/')).status).toBe(404)
  })

  test('an action with a queryset of its own takes the primary key', async () => {
    await api.delete('/labels/a-port/')
    expect((await api.post(`/labels/${uuid(2)}/restore/`)).status).toBe(200)
    expect((await api.get('/labels/a-port/')).data()).toMatchObject({ id: uuid(2) })
    expect((await api.post(`/labels/${uuid(2)}/shout/`)).status).toBe(404)
  })

  test('a history is found by the lookup field, that of a deleted record by its key', async () => {
    await api.patch('/labels/a-port/', { name: 'Newer' })
    expect((await api.get('/labels/a-port/history/')).data<object[]>()).toHaveLength(2)
    await api.delete('/labels/a-port/')
    expect((await api.get(`/labels/${uuid(2)}/history/`)).data<object[]>()).toHaveLength(3)
    expect((await api.get('/labels/a-port/history/')).status).toBe(404)
  })

  test('must be a unique field', () => {
    // @ts-expect-error no such field
    expect(() => BaseViewSet({ ...config, lookupField: 'slugg' })).toThrow(/did you mean "slug"/)
    expect(() => BaseViewSet({ ...config, lookupField: 'name' })).toThrow(ConfigError)
  })

  test('must be a field that a serializer of the resource shows', () => {
    const Names = BaseModelSerializer(labels, { name: 'Names', fields: ['id', 'name'] })
    const WriteOnly = BaseModelSerializer(labels, { name: 'WriteOnly', fields: ['name', 'slug'], writeOnly: ['slug'] })
    const renamed = { fields: ['name'], extra: { handle: ColumnField('slug') } } as const
    const Renamed = BaseModelSerializer(labels, { name: 'Renamed', ...renamed })
    for (const serializer of [Names, WriteOnly]) {
      expect(() => BaseViewSet({ ...config, serializer, lookupField: 'slug' })).toThrow(
        /lookupField: no serializer of the resource shows "slug".*add it to `fields`.*`readableBy`/,
      )
    }
    expect(() => BaseViewSet({ ...config, serializer: Renamed, lookupField: 'slug' })).not.toThrow()
    const some = { serializer: Names, serializers: [Names, config.serializer] }
    expect(() => BaseViewSet({ ...config, ...some, lookupField: 'slug' })).not.toThrow()
  })

  test('a user who may not read the field finds no record by any value of it', async () => {
    const answers = async (as?: string) => {
      const paths = ['/readers/7/', '/readers/8/', '/readers/x/', '/readers/7/shout/']
      return Promise.all(paths.map(async path => (await api.get(path, as === undefined ? {} : { as })).status))
    }
    expect(await answers()).toEqual([404, 404, 404, 404])
    expect(await answers('kim')).toEqual([200, 404, 404, 200])
    const [known, malformed] = [await api.get('/readers/7/'), await api.get('/readers/x/')]
    expect(malformed.envelope()).toMatchObject({ message: known.envelope().message })
    expect((await api.patch('/readers/7/', { name: 'Z' })).status).toBe(404)
    expect((await api.delete('/readers/7/')).status).toBe(404)
  })

  test('the client takes its type', () => {
    const client = createClient<{ labels: typeof LabelViewSet; ranks: ReturnType<typeof ranks> }>({
      baseUrl: 'http://x',
    })
    const calls = () => {
      void client.labels.retrieve('a-port')
      void client.ranks.retrieve(7)
      // @ts-expect-error a rank is a number
      void client.ranks.retrieve('seven')
    }
    expect(calls).toBeDefined()
  })
  const ranks = () => BaseViewSet({ ...config, serializer: Ranked, lookupField: 'rank' })
})
