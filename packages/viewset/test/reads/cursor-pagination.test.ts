import { eq, sql } from 'drizzle-orm'
import { AllowAny, CursorPagination, currentDb, ReadOnlyViewSet } from 'viewset'
import { describe, expect, test } from 'vitest'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectBadParameter, expectError, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const ORIGIN = 'http://localhost:80/api'
const COMMON = { SECRET_KEY: 'a key that is the same in all processes' }

class SmallPages extends CursorPagination {
  override readonly pageSize = 2
  override readonly maxPageSize = 3
  override readonly cursorQueryParam = 'at'
  override readonly pageSizeQueryParam = 'size'
}

interface Body {
  readonly next: string | null
  readonly previous: string | null
  readonly data: readonly { readonly id: string }[]
}
const bodyOf = (response: TestResponse) => JSON.parse(response.text) as Body

describeDialects('cursor pagination', dialect => {
  const tables = models(dialect.kit)
  const { articles, authors } = tables
  const all = serializers(tables)
  const common = {
    model: authors,
    serializer: all.AuthorSerializer,
    permissionClasses: [AllowAny],
    ordering: 'name',
    filterFields: ['name'],
    paginationClass: CursorPagination,
  } as const
  const resources = {
    authors: ReadOnlyViewSet(common),
    writers: ReadOnlyViewSet(common),
    small: ReadOnlyViewSet({ ...common, paginationClass: SmallPages }),
    articles: ReadOnlyViewSet({
      model: articles,
      serializer: all.ArticleSerializer,
      permissionClasses: [AllowAny],
      orderingFields: ['id', 'price', 'views', 'publishedAt', 'rating', 'editor__name', 'author__name', 'title'],
      computedOrderingFields: { half: sql`${articles.rating} / 2.0`, far: sql`abs(${articles.rating} - ${3})` },
      paginationClass: CursorPagination,
    }),
  }
  const api = useApi(dialect, { tables, settings: { COMMON }, resources })
  const author = (n: number) => ({ id: uuid(n), name: `Author ${String(n).padStart(2, '0')}`, email: null })
  const seedAuthors = (...numbers: readonly number[]) => seed(api.database, tables, { authors: numbers.map(author) })
  const get = async (url: string) => bodyOf(await api.get(url.replace(ORIGIN, '')))
  const numbers = ({ data }: Body) => data.map(({ id }) => Number(id.slice(-4)))

  test('has next and previous, but no count and no index', async () => {
    await seedAuthors(1, 2, 3)
    const response = await api.get('/authors/?page_size=2')
    expect(Object.keys(bodyOf(response))).toEqual(['success', 'timestamp', 'message', 'next', 'previous', 'data'])
    const { next, previous, data } = bodyOf(response)
    expect(data).toEqual([author(1), author(2)])
    expect(previous).toBeNull()
    expect(next).toMatch(/^http:\/\/localhost:80\/api\/authors\/\?page_size=2&cursor=[\w-]+$/)
  })

  test('walks forward to the end and back to the start', async () => {
    await seedAuthors(1, 2, 3, 4, 5)
    const first = await get('/authors/?page_size=2')
    const second = await get(first.next!)
    const third = await get(second.next!)
    expect([first, second, third].map(numbers)).toEqual([[1, 2], [3, 4], [5]])
    expect(third.next).toBeNull()
    const back = await get(third.previous!)
    const start = await get(back.previous!)
    expect([back, start].map(numbers)).toEqual([
      [3, 4],
      [1, 2],
    ])
    expect(start.previous).toBeNull()
    expect(numbers(await get(start.next!))).toEqual([3, 4])
  })

  test('an empty list has no links', async () => {
    expect(await get('/authors/')).toMatchObject({ next: null, previous: null, data: [] })
  })

  test('rows that come before the cursor move nothing; rows that go are not missed', async () => {
    await seedAuthors(2, 4, 6, 8)
    const first = await get('/authors/?page_size=2')
    await seedAuthors(1, 3, 5)
    // The row that the cursor was made of is one of them.
    await api.database.use(() =>
      currentDb()
        .delete(authors)
        .where(eq(authors.id, uuid(4))),
    )
    const second = await get(first.next!)
    expect(numbers(second)).toEqual([5, 6])
    expect(numbers(await get(second.previous!))).toEqual([2, 3])
  })

  test('where all rows on one side have gone, the link back begins the list anew', async () => {
    await seedAuthors(1, 2, 3, 4)
    const first = await get('/authors/?page_size=2')
    const second = await get(first.next!)
    await api.database.use(() => currentDb().delete(authors).where(sql`${authors.name} < 'Author 03'`))
    const none = await get(second.previous!)
    expect(none).toMatchObject({ next: `${ORIGIN}/authors/?page_size=2`, previous: null, data: [] })
    await api.database.use(() => currentDb().delete(authors))
    await seedAuthors(1, 2)
    const behind = await get(first.next!)
    expect(behind).toMatchObject({ next: null, data: [] })
    const last = await get(behind.previous!)
    expect(numbers(last)).toEqual([1, 2])
    expect(last).toMatchObject({ next: null, previous: null })
  })

  test('page_size is as elsewhere', async () => {
    await seedAuthors(...Array.from({ length: 25 }, (_, i) => i + 1))
    expect((await get('/authors/')).data).toHaveLength(20)
    expect((await get('/authors/?page_size=1000')).data).toHaveLength(25)
    for (const size of ['0', '-1', 'x', '']) {
      expectBadParameter(await api.get(`/authors/?page_size=${size}`), 'page_size', 'Enter a whole number above 0.')
    }
  })

  test('a subclass sets sizes and parameter names', async () => {
    await seedAuthors(1, 2, 3, 4, 5)
    const first = await get('/small/')
    expect(numbers(first)).toEqual([1, 2])
    expect(first.next).toMatch(/\?at=[\w-]+$/)
    expect(numbers(await get(`${first.next}&size=99`))).toEqual([3, 4, 5])
  })

  test('links keep every other parameter, and a filter may be added on the way', async () => {
    await seedAuthors(1, 2, 3, 4)
    const first = await get('/authors/?_q=a%20b&page_size=1&_flag')
    expect(first.next).toContain('/authors/?_q=a%20b&page_size=1&_flag&cursor=')
    expect(numbers(await get(`${first.next}&name=Author+03`))).toEqual([3])
  })

  test('paginated=false gives the whole list', async () => {
    await seedAuthors(1, 2)
    const { data } = await get('/authors/?paginated=false')
    expect(data).toEqual([
      { ...author(1), index: 1 },
      { ...author(2), index: 2 },
    ])
  })

  test('the same page has the same links', async () => {
    await seedAuthors(1, 2)
    expect((await get('/authors/?page_size=1')).next).toBe((await get('/authors/?page_size=1')).next)
  })

  test('an empty cursor is the first page', async () => {
    await seedAuthors(1, 2)
    expect(numbers(await get('/authors/?cursor=&page_size=1'))).toEqual([1])
  })

  describe('a bad cursor is not found:', () => {
    const cursorIn = (url: string | null) => new URL(url!).searchParams.get('cursor')!
    const cursor = async (path: string) => cursorIn((await get(path)).next)
    const refuses = async (path: string) =>
      expectError(await api.get(path), 404, 'Invalid cursor. Begin again with the first page.')

    test.each(['x', '0', 'null', 'W10', '%00x', 'å', 'A'.repeat(10_000), `${'A'.repeat(40)}=`])(
      'one that is none (%#)',
      async text => {
        const response = await api.get(`/authors/?cursor=${encodeURI(decodeURI(text))}`)
        if (text.includes('%00')) expect(response.status).toBe(400)
        else expectError(response, 404, 'Invalid cursor. Begin again with the first page.')
      },
    )

    test('one in which any character is another', async () => {
      await seedAuthors(1, 2)
      const good = await cursor('/authors/?page_size=1')
      for (let i = 0; i < good.length; i++) {
        const other = good[i] === 'A' ? 'B' : 'A'
        await refuses(`/authors/?cursor=${good.slice(0, i)}${other}${good.slice(i + 1)}`)
      }
      await refuses(`/authors/?cursor=${good.slice(0, -4)}`)
      await refuses(`/authors/?cursor=${good}AAAA`)
    })

    test('one of another ordering, and of another resource', async () => {
      await seedAuthors(1, 2)
      const good = await cursor('/authors/?page_size=1')
      await refuses(`/authors/?cursor=${good}&ordering=-name`)
      await refuses(`/authors/?cursor=${good}&ordering=email`)
      await refuses(`/writers/?cursor=${good}`)
      expect(numbers(await get(`/authors?cursor=${good}&ordering=name`))).toEqual([2])
    })

    test('one of an ordering by the same column of another relation', async () => {
      await seedAuthors(1, 2)
      const rows = [1, 2].map(n => ({ id: uuid(n), title: `Title ${n}`, author: uuid(n), editor: uuid(n) }))
      await seed(api.database, tables, { articles: rows })
      const good = await cursor('/articles/?page_size=1&ordering=author__name')
      await refuses(`/articles/?cursor=${good}&ordering=editor__name`)
      expect(numbers(await get(`/articles/?cursor=${good}&ordering=author__name`))).toEqual([2])
    })

    test('but one that is given twice is a mistake, told with all others', async () => {
      const response = await api.get('/authors/?cursor=a&cursor=b')
      expectBadParameter(response, 'cursor', 'Give this parameter once.')
      expectBadParameter(await api.get('/authors/?cursor=a&page_size=0'), 'page_size', 'Enter a whole number above 0.')
    })

    test('and it cannot be read what stands in one', async () => {
      await seedAuthors(1, 2)
      const bytes = Buffer.from(await cursor('/authors/?page_size=1'), 'base64url')
      expect(bytes.toString('latin1')).not.toContain('Author')
    })
  })

  describe('ordered by', () => {
    const values = [
      { price: '0.10', views: 9_007_199_254_740_993n, publishedAt: '2026-01-15T10:30:00.000001Z', rating: 1 },
      { price: '0.20', views: 9_007_199_254_740_992n, publishedAt: '2026-01-15T10:30:00.000002Z', rating: 2 },
      { price: '0.30', views: -9_223_372_036_854_775_808n, publishedAt: '1969-12-31T23:59:59.999999Z', rating: 3 },
      { price: '999999.99', views: 9_223_372_036_854_775_807n, publishedAt: '2026-01-15T10:30:00.123456Z', rating: 4 },
      { price: null, views: null, publishedAt: null, rating: null },
      { price: null, views: null, publishedAt: null, rating: 5 },
      { price: '0.20', views: 0n, publishedAt: '2026-01-15T10:30:00.000002Z', rating: 2 },
    ]
    const terms = ['price', 'views', 'published_at', 'editor__name', 'half', 'far']
    const orderings = [
      ...terms.flatMap(term => [term, `-${term}`]),
      'rating,-author__name',
      '-half,price',
      'half,-rating',
    ]

    test.each(orderings)('%s, in pages of one', async ordering => {
      await seed(api.database, tables, { authors: [author(1), author(2)] })
      await seed(api.database, tables, {
        articles: values.map((value, i) => ({
          ...value,
          id: uuid(11 + i),
          title: `Title ${i}`,
          author: uuid(1 + (i % 2)),
          editor: i % 3 === 0 ? null : uuid(2 - (i % 2)),
        })),
      })
      const expected = (await get(`/articles/?paginated=false&ordering=${ordering}`)).data.map(({ id }) => id)
      expect(expected).toHaveLength(values.length)
      const forward: string[] = []
      let page = await get(`/articles/?ordering=${ordering}&page_size=1`)
      for (;;) {
        forward.push(...page.data.map(({ id }) => id))
        if (!page.next) break
        page = await get(page.next)
      }
      expect(forward).toEqual(expected)
      const back: string[] = []
      for (;;) {
        back.unshift(...page.data.map(({ id }) => id))
        if (!page.previous) break
        page = await get(page.previous)
      }
      expect(back).toEqual(expected)
    })
  })

  test('a page is looked up in the index of its ordering, wherever it is', async () => {
    await seed(api.database, tables, { authors: [author(1)] })
    await seed(api.database, tables, {
      articles: [1, 2].map(n => ({ id: uuid(10 + n), title: `Title ${n}`, author: uuid(1) })),
    })
    const first = await get('/articles/?page_size=1&ordering=title')
    const [text] = await api.statementsOf(() => get(first.next!))
    const connection = await api.database.driver.begin()
    const explain = dialect.name === 'pg' ? 'explain' : 'explain query plan'
    // A table of two rows is read whole otherwise.
    if (dialect.name === 'pg') await connection.run({ text: 'set local enable_seqscan = off' }, [])
    const { rows } = await connection.run({ text: `${explain} ${text}` }, ['Title 1', uuid(11), 2, 0])
    await connection.rollback()
    const plan = rows.flat().join('\n')
    expect(plan).toMatch(
      dialect.name === 'pg'
        ? /Index Cond: \(ROW\(\(?title\)?(::text)?, id\) > ROW\(/
        : /SEARCH articles USING INDEX articles_title_id_index \(\(title,id\)>/,
    )
    expect(plan).not.toMatch(/sort/i)
  })

  test('only parameters reach SQL', async () => {
    await seedAuthors(1)
    await seed(api.database, tables, { authors: [{ id: uuid(2), name: `' or 1=1 --` }] })
    const statements = await api.statementsOf(async () => {
      const page = await get('/authors/?page_size=1')
      await get(page.next!)
    })
    expect(statements).toHaveLength(2)
    for (const statement of statements) expect(statement).not.toMatch(/1=1|Author/)
  })
})

describeDialects('cursors without a SECRET_KEY', dialect => {
  const tables = models(dialect.kit)
  const resources = {
    authors: ReadOnlyViewSet({
      model: tables.authors,
      serializer: serializers(tables).AuthorReference,
      permissionClasses: [AllowAny],
      paginationClass: CursorPagination,
    }),
  }
  const api = useApi(dialect, { tables, resources })
  const other = useApi(dialect, { tables, resources, settings: { COMMON } })

  test('hold in this process, and not where there is one', async () => {
    for (const { database } of [api, other]) {
      await seed(database, tables, { authors: [1, 2].map(n => ({ id: uuid(n), name: 'Ada' })) })
    }
    const { next } = bodyOf(await api.get('/authors/?page_size=1'))
    const path = next!.replace(ORIGIN, '')
    expect(bodyOf(await api.get(path)).data).toEqual([{ id: uuid(2), name: 'Ada' }])
    expectError(await other.get(path), 404, 'Invalid cursor. Begin again with the first page.')
  })
})
