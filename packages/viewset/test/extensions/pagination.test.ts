import { and, type Column, gte, lt } from 'drizzle-orm'
import Fastify from 'fastify'
import {
  AllowAny,
  type ApiRequest,
  BaseModelSerializer,
  insertMany,
  linkTo,
  type OpenApiDocument,
  type PageList,
  type PageParts,
  Pagination,
  queryValue,
  ReadOnlyViewSet,
  ValidationError,
} from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { kit as pgKit } from 'viewset/pg'
import { kit as sqliteKit } from 'viewset/sqlite'
import { startApi, type TestApi } from 'viewset/testing'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'

/** Somebody else's style: the page is a month, and the links lead to the nearest months that have rows. */
class MonthPagination extends Pagination {
  readonly queryParameters = { month: { type: 'string', pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$' } }
  readonly #date: Column

  constructor(date: Column) {
    super()
    this.#date = date
  }

  override pageShape() {
    return { count: 'none', hasIndex: true } as const
  }

  override check(request: ApiRequest): void {
    const month = queryValue(request, 'month')
    if (month === undefined || /^\d{4}-(0[1-9]|1[0-2])$/.test(month)) return
    throw new ValidationError(
      { month: ['Enter a month, such as 2026-01.'] },
      'The request has 2 errors. "errors" lists them.',
    )
  }

  async paginate(list: PageList, request: ApiRequest): Promise<PageParts> {
    const month = queryValue(request, 'month') ?? '2026-01'
    const start = `${month}-01`
    const [year = 0, number = 0] = month.split('-').map(Number)
    const end = `${number === 12 ? year + 1 : year}-${String((number % 12) + 1).padStart(2, '0')}-01`
    const before = list.filter(lt(this.#date, start))
    const rows = await list.filter(and(gte(this.#date, start), lt(this.#date, end))).window(1000, 0)
    const later = await list.filter(gte(this.#date, end)).window(1, 0)
    const count = await before.count()
    return {
      rows,
      firstIndex: count + 1,
      next: later.length > 0 ? linkTo(request, { month: end.slice(0, 7) }) : null,
      previous:
        count > 0 ? linkTo(request, { month: new Date(Date.parse(start) - 1).toISOString().slice(0, 7) }) : null,
    }
  }
}

const dialects = [
  { name: 'SQLite', kit: sqliteKit, server: () => ({}) },
  { name: 'PostgreSQL', kit: pgKit, server: () => ({ postgres: inject('postgresUrl') }) },
]

describe.each(dialects)("a pagination style of somebody else's on $name", ({ kit, server }) => {
  const talks = kit.table('talks', {
    id: kit.integer().primaryKey(),
    title: kit.text(50).notNull(),
    heldOn: kit.date().notNull(),
  })
  const TalkViewSet = ReadOnlyViewSet({
    model: talks,
    serializer: BaseModelSerializer(talks, { fields: ['id', 'title'] }),
    permissionClasses: [AllowAny],
    ordering: 'heldOn',
    filterFields: ['title'],
    paginationClass: new MonthPagination(talks.heldOn),
  })
  let api: TestApi
  beforeAll(async () => {
    api = await startApi({
      ...server(),
      schema: { talks },
      app: async ({ database, authenticate }) => {
        const app = Fastify(serverOptions)
        const all = { talks: TalkViewSet }
        await app.register(resources, { prefix: '/api', database, authenticate, resources: all, openapi: true })
        return app
      },
    })
    await api.database.transaction(() =>
      insertMany(talks, [
        { id: 1, title: 'Cold', heldOn: '2025-12-31' },
        { id: 2, title: 'New', heldOn: '2026-01-01' },
        { id: 3, title: 'Old', heldOn: '2026-01-31' },
        { id: 4, title: 'Short', heldOn: '2026-02-01' },
      ]),
    )
  })
  afterAll(() => api?.close())

  const get = async (path: string) => {
    const { timestamp: _, ...body } = JSON.parse((await api.get(path)).text) as Record<string, unknown>
    return body
  }
  const at = (month: string) => `http://localhost:80/api/talks/?month=${month}`

  test('cuts its pages, and says in the envelope what it has to say', async () => {
    expect(await get('/talks/')).toEqual({
      success: true,
      message: '',
      next: at('2026-02'),
      previous: at('2025-12'),
      data: [
        { id: 2, title: 'New', index: 2 },
        { id: 3, title: 'Old', index: 3 },
      ],
    })
    expect(await get('/talks/?month=2026-02')).toMatchObject({ next: null, previous: at('2026-01') })
    expect(await get('/talks/?month=2025-12')).toMatchObject({ next: at('2026-01'), previous: null })
  })

  test('goes together with filters and keeps their parameters', async () => {
    expect(await get('/talks/?title=Old')).toMatchObject({
      next: null,
      previous: null,
      data: [{ id: 3, title: 'Old', index: 1 }],
    })
  })

  test('refuses its parameter together with all others', async () => {
    expect(await get('/talks/?month=13&ordering=nothing')).toMatchObject({
      message: 'The request has 2 errors. "errors" lists them.',
      errors: { month: ['Enter a month, such as 2026-01.'], ordering: [expect.any(String)] },
    })
  })

  test('is described by what it says of its parameters and its pages', async () => {
    const { text } = await api.get('/openapi.json')
    const { paths, components } = JSON.parse(text) as OpenApiDocument
    const [list] = Object.entries(paths).flatMap(([path, { get }]) => (path.endsWith('/talks/') ? [get] : []))
    expect(list?.parameters).toContainEqual({
      name: 'month',
      in: 'query',
      schema: { type: 'string', pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$' },
    })
    const keys = Object.keys(components.schemas?.TalkPage?.properties as object)
    expect(keys).toEqual(['success', 'timestamp', 'message', 'next', 'previous', 'data'])
  })

  test('paginated=false gives the list without it', async () => {
    expect((await get('/talks/?paginated=false')).data).toHaveLength(4)
  })
})
