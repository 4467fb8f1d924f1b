import { eq, ne } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  BulkViewSet,
  currentDb,
  IdToDataField,
  postWrite,
  preSave,
  scoped,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { models, seed, seedUsers, users } from '../support/models.ts'

const [ada, bob, gone, absent] = [uuid(1), uuid(2), uuid(3), uuid(99)]
const [engines, notes, hidden] = [uuid(11), uuid(12), uuid(13)]

const STORED = [
  { id: engines, title: 'Engines', author: ada },
  { id: notes, title: 'Notes', author: ada, editor: bob },
  { id: hidden, title: 'Hidden', author: bob, isActive: false },
]

/** What is sent of each field: right, wrong by itself, or wrong by what is stored. */
const TITLES = ['Engines', 'Looms', 'x'.repeat(51), null, undefined]
const AUTHORS = [ada, gone, absent, 'ada', undefined]
const EDITORS = [bob, absent, null, undefined]

const bodies = TITLES.flatMap(title =>
  AUTHORS.flatMap(author => EDITORS.map(editor => ({ title, author, editor, price: '12.50', unknown: 1 }))),
)

describeDialects('a write that is one statement', dialect => {
  const tables = models(dialect.kit)
  const { authors, articles } = tables
  const config = {
    model: articles,
    serializer: BaseModelSerializer(articles, {
      fields: ['id', 'title', 'author', 'editor', 'price', 'status', 'createdBy'],
      extra: {
        author: IdToDataField({
          queryset: scoped(authors, () => eq(authors.isActive, true)),
          serializer: BaseModelSerializer(authors, { fields: ['id', 'name'] }),
        }),
      },
    }),
    permissionClasses: [AllowAny],
    queryset: () => eq(articles.isActive, true),
    checkScope: 'never',
  } as const
  class Direct extends BaseViewSet(config) {}
  type Hooks = InstanceType<typeof Direct>
  /** Hooks of its own, though they change nothing, are asked: record by record, in a transaction. */
  class Watched extends BaseViewSet(config) {
    override performCreate(...given: Parameters<Hooks['performCreate']>) {
      return super.performCreate(...given)
    }
    override performUpdate(...given: Parameters<Hooks['performUpdate']>) {
      return super.performUpdate(...given)
    }
    override performDestroy(...given: Parameters<Hooks['performDestroy']>) {
      return super.performDestroy(...given)
    }
  }
  /** Adds a condition of its own to the records of the resource. */
  class Narrowed extends BaseViewSet({ ...config, checkScope: 'create' }) {
    override async getQueryset() {
      return (await super.getQueryset()).filter(ne(articles.title, 'Notes'))
    }
  }
  const api = useApi(dialect, { tables, users, resources: { direct: Direct, watched: Watched, narrowed: Narrowed } })

  const store = () =>
    api.database.transaction(async () => {
      await currentDb().delete(articles)
      await currentDb().insert(articles).values(STORED)
    })

  beforeEach(async () => {
    await seedUsers(api.database, tables)
    await seed(api.database, tables, {
      authors: [
        { id: ada, name: 'Ada' },
        { id: bob, name: 'Bob' },
        { id: gone, name: 'Gone', isActive: false },
      ],
    })
    await store()
  })

  /** What a request comes to, without what no two requests have in common; all is put back where it has written. */
  async function outcome(ask: () => Promise<TestResponse>) {
    const response = await ask()
    const { title, author, editor, price, createdBy } = articles
    const stored = { title, author, editor, price, createdBy }
    const rows = await api.database.use(() => currentDb().select(stored).from(articles).orderBy(title, author))
    if (response.status < 300) await store()
    return [response.status, response.text.replace(/"timestamp":"[^"]*"|(?<="data":)\{"id":"[^"]*"/g, ''), rows]
  }

  /** The same of both resources, and how many statements the quick one took where all was well. */
  async function compare(ask: (resource: string) => Promise<TestResponse>) {
    const watched = await outcome(() => ask('watched'))
    let sent: readonly string[] = []
    const direct = await outcome(async () => {
      const { promise, resolve } = Promise.withResolvers<TestResponse>()
      sent = await api.statementsOf(async () => resolve(await ask('direct')))
      return promise
    })
    expect(direct).toEqual(watched)
    const status = Number(direct[0])
    if (status < 300) expect(sent).toHaveLength(1)
    return status
  }

  test.each([
    ['POST', ''],
    ['PUT', `${engines}/`],
    ['PATCH', `${notes}/`],
    ['PATCH', `${hidden}/`],
    ['PUT', `${absent}/`],
    ['PATCH', 'no-key/'],
  ] as const)(
    '%s %s answers and stores what hooks would have, whatever is sent',
    async (method, path) => {
      const met = new Set<number>()
      for (const body of bodies)
        met.add(await compare(at => api.request(method, `/${at}/${path}`, { body, as: 'ann' })))
      const isThere = path === '' || path.startsWith(engines) || path.startsWith(notes)
      expect([...met].sort()).toEqual(isThere ? [method === 'POST' ? 201 : 200, 400] : [404])
    },
    60_000,
  )

  test('DELETE removes what it may see, and nothing else', async () => {
    for (const [key, status] of [
      [engines, 204],
      [hidden, 404],
      [absent, 404],
      ['no-key', 404],
    ] as const) {
      expect(await compare(at => api.delete(`/${at}/${key}/`))).toBe(status)
    }
  })

  test('keeps to the records of an overridden getQueryset', async () => {
    const ask = async (method: 'PATCH' | 'DELETE', key: string, body?: object) => {
      const statuses: number[] = []
      const sent = await api.statementsOf(async () =>
        statuses.push((await api.request(method, `/narrowed/${key}/`, { ...(body && { body }) })).status),
      )
      return [...statuses, ...(statuses[0]! < 300 ? [sent.length] : [])]
    }
    expect(await ask('PATCH', engines, { title: 'Steam' })).toEqual([200, 1])
    expect(await ask('PATCH', notes, { title: 'Steam' })).toEqual([404])
    expect(await ask('DELETE', notes)).toEqual([404])
    expect(await ask('DELETE', engines)).toEqual([204, 1])
    expect((await api.post('/narrowed/', { title: 'Notes', author: bob })).status).toBe(400)
  })

  test('gives way to whoever listens to the model', async () => {
    const seen: unknown[] = []
    const stop = [
      preSave(articles, ({ values }) => void seen.push(values.title)),
      postWrite(articles, ({ kind }) => void seen.push(kind)),
    ]
    await api.post('/direct/', { title: 'Looms', author: ada })
    await api.patch(`/direct/${notes}/`, { title: 'More' })
    await api.delete(`/direct/${notes}/`)
    for (const end of stop) end()
    await api.post('/direct/', { title: 'Unheard', author: ada })
    expect(seen).toEqual(['Looms', 'insert', 'More', 'update', 'delete'])
  })
})

describeDialects('a write of records that refer to their own table', dialect => {
  const nodes = dialect.kit.table('nodes', {
    id: dialect.kit.uuid().primaryKey(),
    name: dialect.kit.text(20).notNull(),
    parent: dialect.kit.foreignKey('self'),
  })
  const serializer = BaseModelSerializer(nodes, {
    fields: ['id', 'name', 'parent'],
    extra: {
      parent: IdToDataField({ queryset: nodes, serializer: BaseModelSerializer(nodes, { fields: ['id', 'name'] }) }),
    },
  })
  const api = useApi(dialect, {
    tables: { nodes },
    resources: { nodes: BulkViewSet({ model: nodes, serializer, permissionClasses: [AllowAny] }) },
  })

  test('answers what is stored afterwards', async () => {
    await api.database.use(() =>
      currentDb()
        .insert(nodes)
        .values([
          { id: ada, name: 'old', parent: ada },
          { id: bob, name: 'child', parent: ada },
        ]),
    )
    const list = async () =>
      (await api.get('/nodes/?ordering=id')).data<object[]>().map(({ index: _, ...node }: { index?: number }) => node)
    const single = await api.patch(`/nodes/${ada}/`, { name: 'new' })
    expect(single.data()).toEqual((await list())[0])
    const bulk = await api.patch('/nodes/bulk-update/', [
      { id: ada, name: 'newer' },
      { id: bob, name: 'other' },
    ])
    expect(bulk.data()).toEqual(await list())
  })
})
