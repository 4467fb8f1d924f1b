import { AllowAny, LimitOffsetPaginationWithFormat, ReadOnlyViewSet } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectBadParameter, expectSuccess, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const ORIGIN = 'http://localhost:80/api/authors/'

class Small extends LimitOffsetPaginationWithFormat {
  override readonly defaultLimit = 2
  override readonly maxLimit = 3
  override readonly limitQueryParam = 'max'
  override readonly offsetQueryParam = 'from'
}

class Uncounted extends LimitOffsetPaginationWithFormat {
  override async count() {
    return null
  }
}

describeDialects('limit-offset pagination', dialect => {
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
      authors: ReadOnlyViewSet({ ...common, paginationClass: LimitOffsetPaginationWithFormat }),
      small: ReadOnlyViewSet({ ...common, paginationClass: Small }),
      uncounted: ReadOnlyViewSet({ ...common, paginationClass: Uncounted }),
    },
  })
  const authors = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: uuid(i + 1), name: `Author ${String(i + 1).padStart(3, '0')}` }))
  const items = (from: number, to: number) =>
    authors(to)
      .slice(from - 1)
      .map((author, i) => ({ ...author, index: from + i }))
  const seedAuthors = (count: number) => seed(api.database, tables, { authors: authors(count) })

  test('has 20 items where nothing is said, and counts index through', async () => {
    await seedAuthors(45)
    expectSuccess(await api.get('/authors/'), 200, {
      count: 45,
      next: `${ORIGIN}?limit=20&offset=20`,
      data: items(1, 20),
    })
    expectSuccess(await api.get('/authors/?offset=40'), 200, {
      count: 45,
      previous: `${ORIGIN}?limit=20&offset=20`,
      data: items(41, 45),
    })
  })

  test('an offset need not be a multiple of the limit; the link back to the start has none', async () => {
    await seedAuthors(10)
    expectSuccess(await api.get('/authors/?limit=4&offset=3'), 200, {
      count: 10,
      next: `${ORIGIN}?limit=4&offset=7`,
      previous: `${ORIGIN}?limit=4`,
      data: items(4, 7),
    })
  })

  test('behind the end there is an empty list', async () => {
    await seedAuthors(3)
    expectSuccess(await api.get('/authors/?limit=2&offset=9007199254740991'), 200, {
      count: 3,
      previous: `${ORIGIN}?limit=2&offset=9007199254740989`,
      data: [],
    })
  })

  test.each(['101', '9999999999999999'])('limit=%s is capped at 100', async limit => {
    await seedAuthors(101)
    const next = `${ORIGIN}?limit=100&offset=100`
    expectSuccess(await api.get(`/authors/?limit=${limit}`), 200, { count: 101, next, data: items(1, 100) })
  })

  test.each(['0', '-1', 'abc', '', '1.5', '1e2', '99999999999999999999'])('limit=%s is refused', async limit => {
    expectBadParameter(await api.get(`/authors/?limit=${limit}`), 'limit', 'Enter a whole number above 0.')
  })

  test.each(['-1', 'abc', '', '1.5', '1e2', '9223372036854775808', '9007199254740992'])(
    'offset=%s is refused',
    async offset => {
      const response = await api.get(`/authors/?offset=${offset}`)
      expectBadParameter(response, 'offset', 'Enter a whole number that is not negative.')
    },
  )

  test.each(['limit', 'offset'])('%s given twice is refused', async name => {
    expectBadParameter(await api.get(`/authors/?${name}=1&${name}=2`), name, 'Give this parameter once.')
  })

  test('links keep every other parameter', async () => {
    await seedAuthors(5)
    const response = await api.get('/authors/?_q=a%20b&limit=2&offset=2&ordering=name&_flag')
    const { next, previous } = JSON.parse(response.text) as Record<string, string>
    expect(next).toBe(`${ORIGIN}?_q=a%20b&ordering=name&_flag&limit=2&offset=4`)
    expect(previous).toBe(`${ORIGIN}?_q=a%20b&ordering=name&_flag&limit=2`)
  })

  test('paginated=false gives the whole list', async () => {
    await seedAuthors(30)
    expectSuccess(await api.get('/authors/?paginated=false&limit=2'), 200, { data: items(1, 30) })
  })

  test('a subclass sets limits and parameter names', async () => {
    await seedAuthors(6)
    const base = 'http://localhost:80/api/small/'
    expectSuccess(await api.get('/small/'), 200, { count: 6, next: `${base}?max=2&from=2`, data: items(1, 2) })
    expectSuccess(await api.get('/small/?max=9&from=1'), 200, {
      count: 6,
      next: `${base}?max=3&from=4`,
      previous: `${base}?max=3`,
      data: items(2, 4),
    })
  })

  describe('with a class that does not count', () => {
    test('count is null and next appears while there are more rows', async () => {
      await seedAuthors(5)
      const base = 'http://localhost:80/api/uncounted/'
      expectSuccess(await api.get('/uncounted/?limit=2&offset=2'), 200, {
        count: null,
        next: `${base}?limit=2&offset=4`,
        previous: `${base}?limit=2`,
        data: items(3, 4),
      })
      expectSuccess(await api.get('/uncounted/?limit=2&offset=9'), 200, {
        count: null,
        previous: `${base}?limit=2&offset=7`,
        data: [],
      })
    })
  })
})
