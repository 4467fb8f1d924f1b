import { eq, sql } from 'drizzle-orm'
import {
  AllowAny,
  allRecords,
  BaseModelSerializer,
  BulkViewSet,
  defineMixin,
  type FilterBackend,
  IdToDataField,
  insertMany,
  ManyIdToDataField,
  scoped,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { capturedLog } from '../support/captured-log.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { library } from '../support/library.ts'

declare module 'viewset' {
  interface MixinTypes<M, S> {
    ChoosingMixin: { config: object; methods: object }
  }
}

/** What plain JavaScript can return in place of a condition, and how the log calls it. */
const WRONG: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a value of type boolean', true],
  ['a value of type object', {}],
  ['a value of type string', "team = 'red'"],
]

/** How the log names the function of a resource. */
const SUBJECTS: Readonly<Record<string, string>> = {
  people: 'resources.people: queryset: ',
  walled: 'resources.walled: scope of ChoosingMixin: ',
  books: 'scoped(',
}

describeDialects('a function that chooses records', dialect => {
  const tables = library(dialect.kit)
  const { people, books, tags, bookTags } = tables
  let returned: unknown
  const chosen = () => returned as never

  const common = { permissionClasses: [AllowAny] }
  const Person = BaseModelSerializer(people, { fields: ['id', 'name'] })
  const Tag = BaseModelSerializer(tags, { fields: ['id', 'label'] })
  const filtered: FilterBackend = {
    queryParameters: { either: { type: 'boolean' } },
    filterQueryset: (_, queryset) => queryset.filter(sql`${people.name} = 'Ada' or ${people.name} = 'Bob'`),
  }
  const log = capturedLog()
  const api = useApi(dialect, {
    tables,
    server: log.server,
    resources: {
      walled: BulkViewSet.add(defineMixin('ChoosingMixin', { scope: chosen }))({
        ...common,
        model: people,
        serializer: Person,
      }),
      people: BulkViewSet({
        ...common,
        model: people,
        serializer: Person,
        queryset: chosen,
        actions: {
          open: {
            method: 'GET',
            detail: false,
            queryset: chosen,
            handler: async view => (await view.getQueryset()).count(),
          },
        },
      }),
      books: BulkViewSet({
        ...common,
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['id', 'title', 'author'],
          extra: {
            author: IdToDataField({ queryset: scoped(people, chosen), serializer: Person }),
            tags: ManyIdToDataField({
              queryset: scoped(tags, chosen),
              serializer: Tag,
              through: bookTags,
            }),
          },
        }),
        filterFields: ['author__name'],
      }),
      red: BulkViewSet({
        ...common,
        model: people,
        serializer: Person,
        queryset: () => eq(people.team, 'red'),
        filterBackends: [filtered],
      }),
    },
  })

  beforeEach(async () => {
    log.lines.length = 0
    await api.post('/red/', { id: uuid(1), name: 'Zoe' })
  })

  const asked = async (path: string, body?: unknown) => {
    const response = await (body === undefined ? api.get(path) : api.post(path, body))
    return [response.status, response.text] as const
  }
  const logged = () => JSON.stringify(log.lines)

  test.each(WRONG)('is a 500 where it returns %s, and the log says what to return', async (what, value) => {
    returned = value
    for (const [path, body] of [
      ['/people/'],
      ['/walled/'],
      [`/walled/${uuid(1)}/`],
      ['/walled/bulk-create/', [{ name: 'New' }]],
      [`/people/${uuid(1)}/`],
      ['/people/open/'],
      ['/people/export/', { file_type: 'csv' }],
      ['/people/bulk-create/', [{ name: 'New' }]],
      ['/books/', { title: 'A', author: uuid(1) }],
      ['/books/bulk-create/', [{ title: 'A', author: uuid(1) }]],
      ['/books/?author__name=Zoe'],
    ] as const) {
      log.lines.length = 0
      const [status, text] = await asked(path, body)
      expect([path, status]).toEqual([path, 500])
      expect(text).not.toContain('Zoe')
      expect(logged()).toContain(SUBJECTS[path.split('/')[1] ?? ''])
      expect(logged()).toContain(`returned ${what}, which is no condition; return one, such as`)
    }
  })

  test('is an error where it returns a promise, and shows all where it returns allRecords', async () => {
    returned = Promise.resolve(undefined)
    expect((await asked('/people/'))[0]).toBe(500)
    returned = allRecords
    expect((await api.get('/people/')).envelope().count).toBeGreaterThan(0)
    expect(await api.statementsOf(() => api.get('/people/'))).not.toContainEqual(expect.stringContaining('where'))
  })

  test('is not widened by a filter whose SQL has an OR', async () => {
    await api.database.use(() =>
      insertMany(people, [
        { name: 'Ada', team: 'red' },
        { name: 'Bob', team: 'blue' },
      ]),
    )
    const { data } = (await api.get('/red/')).envelope<{ name: string }[]>()
    expect(data.map(({ name }) => name)).toEqual(['Ada'])
  })
})
