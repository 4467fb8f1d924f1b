import { eq, sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  ExpressionField,
  IdToDataField,
  insertMany,
  LimitOffsetPaginationWithFormat,
  ReadOnlyViewSet,
  scoped,
} from 'viewset'
import { beforeAll, expect, test } from 'vitest'
import { TestApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { library } from '../support/library.ts'

const BOOKS = 1_200

describeDialects('a page far behind the start', dialect => {
  const tables = library(dialect.kit)
  const { people, books } = tables
  const permissionClasses = [AllowAny]
  const Person = BaseModelSerializer(people, { fields: ['id', 'name'] })
  const Plain = BaseModelSerializer(books, { fields: ['id', 'title', 'editor'] })
  const Nested = BaseModelSerializer(books, {
    fields: ['id', 'title', 'author', 'editor'],
    extra: {
      author: IdToDataField({
        queryset: scoped(people, () => eq(people.team, 'red')),
        serializer: Person,
        scopeReads: true,
      }),
      length: ExpressionField({ expression: sql`length(${books.title}) + ${1}`, type: 'integer' }),
    },
  })
  const common = {
    model: books,
    permissionClasses,
    paginationClass: LimitOffsetPaginationWithFormat,
    orderingFields: ['title', 'editor', 'author__name'],
    computedOrderingFields: { digits: sql`length(${books.title})` },
    searchFields: ['title'],
  } as const
  let api: TestApi
  beforeAll(async () => {
    const resources = {
      plain: ReadOnlyViewSet({ ...common, serializer: Plain }),
      nested: ReadOnlyViewSet({ ...common, serializer: Nested, queryset: () => sql`${books.title} <> ${'Book 5'}` }),
    }
    api = await TestApi.start(dialect, { tables, resources })
    await api.database.transaction(async () => {
      await insertMany(
        people,
        ['red', 'blue', 'red'].map((team, i) => ({ id: uuid(i), name: `Person ${i}`, team })),
      )
      const rows = Array.from({ length: BOOKS }, (_, i) => {
        const title = i % 2 ? `Book ${(i * 7) % 90}` : `Volume ${i}`
        const author = uuid(i % 3)
        return {
          id: uuid(10_000 + ((i * 7_919) % BOOKS)),
          title: i % 2 ? `${title} of ${i}` : title,
          author,
          editor: i % 5 ? author : null,
        }
      })
      await insertMany(books, rows)
    })
    return () => api.close()
  })
  const dataOf = async (path: string) => JSON.parse((await api.get(path)).text).data

  test.each([
    'plain/?ordering=title',
    'plain/?ordering=-editor,title',
    'plain/?ordering=editor,-title',
    'plain/?ordering=author__name,-title',
    'nested/?ordering=-title',
    'nested/?ordering=-editor&search=o',
    'nested/?ordering=digits,-title',
  ])('has the rows that it has in the whole list: %s', async path => {
    const whole = await dataOf(`/${path}&paginated=false`)
    expect(whole.length).toBeGreaterThan(1_190)
    for (const offset of [998, 999, 1_000, 1_001, whole.length - 3, whole.length, whole.length + 5]) {
      expect(await dataOf(`/${path}&limit=7&offset=${offset}`)).toEqual(whole.slice(offset, offset + 7))
    }
  })

  test('is found by its keys first, where an index can have them in order', async () => {
    const read = async (path: string) => (await api.statementsOf(() => api.get(path))).at(-1) ?? ''
    const isByKeys = /where "books"\."id" in \(select "books"\."id" from "books" .* limit 7 offset/s
    expect(await read('/nested/?ordering=title&limit=7&offset=1000')).toMatch(isByKeys)
    expect(await read('/plain/?ordering=title&limit=7&offset=1000')).toMatch(isByKeys)
    expect(await read('/plain/?ordering=title&limit=7&offset=999')).not.toMatch(isByKeys)
    expect(await read('/plain/?ordering=digits&limit=7&offset=1000')).not.toMatch(isByKeys)
  })
})
