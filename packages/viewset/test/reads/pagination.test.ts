import { AllowAny, ReadOnlyViewSet, StandardPageNumberPagination, WindowPagination } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectBadParameter, expectError, expectSuccess, nonField, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const ORIGIN = 'http://localhost:80/api'

class SmallPages extends StandardPageNumberPagination {
  override readonly pageSize = 2
  override readonly maxPageSize = 3
  override readonly pageQueryParam = 'p'
  override readonly pageSizeQueryParam = 'size'
}

class Uncounted extends StandardPageNumberPagination {
  override readonly pageSize = 2
  override async count() {
    return null
  }
}

/** Everything behind the first row: a style of somebody's own. */
class AllButFirst extends WindowPagination {
  readonly queryParameters = {}
  window() {
    return { limit: 1000, offset: 1 }
  }
  links() {
    return { next: null, previous: null }
  }
}

describeDialects('page-number pagination', dialect => {
  const tables = models(dialect.kit)
  const common = {
    model: tables.authors,
    serializer: serializers(tables).AuthorReference,
    permissionClasses: [AllowAny],
    ordering: 'name',
  } as const
  const api = useApi(dialect, {
    tables,
    resources: {
      authors: ReadOnlyViewSet(common),
      small: ReadOnlyViewSet({ ...common, paginationClass: SmallPages }),
      uncounted: ReadOnlyViewSet({ ...common, paginationClass: Uncounted }),
      own: ReadOnlyViewSet({ ...common, paginationClass: AllButFirst }),
      object: ReadOnlyViewSet({ ...common, paginationClass: new SmallPages() }),
    },
  })
  /** Authors that are listed in this order. */
  const authors = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: uuid(i + 1), name: `Author ${String(i + 1).padStart(3, '0')}` }))
  /** The items of a page, from one position to another. */
  const items = (from: number, to: number) =>
    authors(to)
      .slice(from - 1)
      .map((author, i) => ({ ...author, index: from + i }))
  const seedAuthors = (count: number) => seed(api.database, tables, { authors: authors(count) })

  test('has 20 items on a page and counts index through all pages', async () => {
    await seedAuthors(45)
    const page = (n: number) => `${ORIGIN}/authors/?page=${n}`
    expectSuccess(await api.get('/authors/'), 200, { count: 45, next: page(2), data: items(1, 20) })
    const first = `${ORIGIN}/authors/`
    expectSuccess(await api.get('/authors/?page=2'), 200, {
      count: 45,
      next: page(3),
      previous: first,
      data: items(21, 40),
    })
    expectSuccess(await api.get('/authors/?page=3'), 200, { count: 45, previous: page(2), data: items(41, 45) })
  })

  test('a full last page has no next one', async () => {
    await seedAuthors(40)
    const response = await api.get('/authors/?page=2')
    expectSuccess(response, 200, { count: 40, previous: `${ORIGIN}/authors/`, data: items(21, 40) })
  })

  test('page_size sets the size of a page', async () => {
    await seedAuthors(5)
    expectSuccess(await api.get('/authors/?page_size=2&page=2'), 200, {
      count: 5,
      next: `${ORIGIN}/authors/?page_size=2&page=3`,
      previous: `${ORIGIN}/authors/?page_size=2`,
      data: items(3, 4),
    })
  })

  test.each(['101', '1000000000', '9999999999999999'])('page_size=%s is capped at 100', async size => {
    await seedAuthors(101)
    const next = `${ORIGIN}/authors/?page_size=${size}&page=2`
    expectSuccess(await api.get(`/authors/?page_size=${size}`), 200, { count: 101, next, data: items(1, 100) })
  })

  test.each(['0', '-1', 'abc', '', '1.5', '1e2', '%2B5', ' 5', '٣'])('page_size=%s is refused', async size => {
    const response = await api.get(`/authors/?page_size=${encodeURI(decodeURI(size))}`)
    expectBadParameter(response, 'page_size', 'Enter a whole number above 0.')
  })

  test('an empty page parameter is the first page', async () => {
    await seedAuthors(45)
    const next = `${ORIGIN}/authors/?page=2`
    expectSuccess(await api.get('/authors/?page='), 200, { count: 45, next, data: items(1, 20) })
  })

  test.each(['0', '-1', 'abc', '%20', '1.5', '1e9'])('page=%s is not found', async page => {
    expectError(await api.get(`/authors/?page=${page}`), 404, 'Invalid page. Pages are numbered from 1.')
  })

  test.each(['3', '999999999999999', '9999999999999999', '99999999999999999999'])(
    'page=%s of a list of two pages is not found, and the last page is named',
    async page => {
      await seedAuthors(40)
      expectError(await api.get(`/authors/?page=${page}`), 404, 'Invalid page. The last page is 2.')
    },
  )

  test('page 2 of an empty list is not found', async () => {
    expectError(await api.get('/authors/?page=2'), 404, 'Invalid page. The last page is 1.')
  })

  test.each(['page', 'page_size'])('%s given twice is refused', async name => {
    expectBadParameter(await api.get(`/authors/?${name}=1&${name}=2`), name, 'Give this parameter once.')
  })

  test('links keep every other parameter as it was written', async () => {
    await seedAuthors(5)
    const search = '_q=a%20b+c&page=2&_flag&ordering=-name&_x=1&_tag=1&_tag=2&page_size=2'
    const kept = '_q=a%20b+c&_flag&ordering=-name&_x=1&_tag=1&_tag=2&page_size=2'
    const response = await api.get(`/authors/?${search}`)
    const { next, previous } = JSON.parse(response.text) as Record<string, string>
    expect(next).toBe(`${ORIGIN}/authors/?${kept}&page=3`)
    expect(previous).toBe(`${ORIGIN}/authors/?${kept}`)
  })

  test('links keep the path as it was asked, with or without the slash', async () => {
    await seedAuthors(3)
    const next = `${ORIGIN}/authors?page_size=2&page=2`
    expectSuccess(await api.get('/authors?page_size=2'), 200, { count: 3, next, data: items(1, 2) })
  })

  test('links start with the host that was asked and believe no X-Forwarded header', async () => {
    await seedAuthors(3)
    const headers = {
      host: 'shop.example:8443',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    }
    const next = 'http://shop.example:8443/api/authors/?page_size=2&page=2'
    expectSuccess(await api.get('/authors/?page_size=2', { headers }), 200, { count: 3, next, data: items(1, 2) })
  })

  test.each(['user@evil.example', 'a b', 'evil.example:port', 'evil\\example'])(
    'the host %j is refused',
    async host => {
      await seedAuthors(3)
      const message = 'The Host header is malformed.'
      expectError(await api.get('/authors/?page_size=2', { headers: { host } }), 400, message, nonField(message))
    },
  )

  test('an object of a class is as good as the class', async () => {
    await seedAuthors(3)
    const next = `${ORIGIN}/object/?p=2`
    expectSuccess(await api.get('/object/'), 200, { count: 3, next, data: items(1, 2) })
  })

  test('a subclass sets sizes and parameter names', async () => {
    await seedAuthors(5)
    const next = `${ORIGIN}/small/?p=2`
    expectSuccess(await api.get('/small/'), 200, { count: 5, next, data: items(1, 2) })
    const previous = `${ORIGIN}/small/?size=99`
    expectSuccess(await api.get('/small/?size=99&p=2'), 200, { count: 5, previous, data: items(4, 5) })
    expectBadParameter(await api.get('/small/?size=0'), 'size', 'Enter a whole number above 0.')
    expectBadParameter(
      await api.get('/small/?page=9'),
      'page',
      'Unknown parameter "page". This list is paged by p and size.',
    )
  })

  describe('with a class that does not count', () => {
    test('count is null and next appears while there are more rows', async () => {
      await seedAuthors(3)
      const next = `${ORIGIN}/uncounted/?page=2`
      expectSuccess(await api.get('/uncounted/'), 200, { count: null, next, data: items(1, 2) })
      const previous = `${ORIGIN}/uncounted/`
      expectSuccess(await api.get('/uncounted/?page=2'), 200, { count: null, previous, data: items(3, 3) })
    })

    test('a page that is full to the last row has no next one', async () => {
      await seedAuthors(2)
      expectSuccess(await api.get('/uncounted/'), 200, { count: null, data: items(1, 2) })
    })

    test('asks the database once', async () => {
      await seedAuthors(3)
      expect(await api.statementsOf(() => api.get('/uncounted/'))).toHaveLength(1)
    })

    test('a page behind the end is not found', async () => {
      await seedAuthors(2)
      expectError(await api.get('/uncounted/?page=3'), 404, 'Invalid page. The list ends before it.')
    })
  })

  test("a style of one's own decides window and links", async () => {
    await seedAuthors(3)
    expectSuccess(await api.get('/own/'), 200, { count: 3, data: items(2, 3) })
  })
})

describeDialects('links with a configured address', dialect => {
  const tables = models(dialect.kit)
  const api = useApi(dialect, {
    tables,
    baseUrl: 'https://api.example.org/',
    resources: {
      authors: ReadOnlyViewSet({
        model: tables.authors,
        serializer: serializers(tables).AuthorReference,
        permissionClasses: [AllowAny],
      }),
    },
  })

  test('start with it, whatever the request says', async () => {
    await seed(api.database, tables, {
      authors: [
        { id: uuid(1), name: 'Ada' },
        { id: uuid(2), name: 'Bob' },
      ],
    })
    const response = await api.get('/authors/?page_size=1', { headers: { host: 'evil.example' } })
    const next = 'https://api.example.org/api/authors/?page_size=1&page=2'
    expectSuccess(response, 200, { count: 2, next, data: [{ id: uuid(1), name: 'Ada', index: 1 }] })
  })
})
