import { eq, sql } from 'drizzle-orm'
import { AllowAny, BaseModelSerializer, IdToDataField, type QuerySet, ReadOnlyViewSet } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectBadParameter, uuid } from '../support/expect.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeDialects('ordering', dialect => {
  const tables = models(dialect.kit)
  const { AuthorReference } = serializers(tables)
  const author = IdToDataField({ queryset: tables.authors, serializer: AuthorReference })
  const serializer = BaseModelSerializer(tables.articles, {
    fields: ['id', 'title', 'rating', 'status'],
    extra: { author },
  })
  const common = { model: tables.articles, serializer, permissionClasses: [AllowAny] } as const

  class Nearest extends ReadOnlyViewSet(common) {
    override async filterQueryset(queryset: QuerySet) {
      const distance = sql`abs(${tables.articles.rating} - ${3})`
      return queryset.filter(eq(tables.articles.status, 'draft')).orderBy([
        { by: distance, descending: false },
        { by: queryset.model.primaryKey, descending: false },
      ])
    }
  }

  const api = useApi(dialect, {
    tables,
    resources: {
      articles: ReadOnlyViewSet(common),
      default: ReadOnlyViewSet({ ...common, ordering: ['-rating', 'title'] }),
      allowed: ReadOnlyViewSet({ ...common, orderingFields: ['createdAt', 'author'] }),
      users: ReadOnlyViewSet({
        model: tables.users,
        serializer: BaseModelSerializer(tables.users, { fields: ['id', 'username'] }),
        permissionClasses: [AllowAny],
      }),
      nearest: Nearest,
    },
  })

  const article = (n: number, title: string, rating: number | null) => ({ id: uuid(n), title, rating, author: uuid(1) })
  const seedArticles = () =>
    seed(api.database, tables, {
      authors: [{ id: uuid(1), name: 'Ada' }],
      articles: [
        article(11, 'B', 3),
        article(12, 'A', null),
        article(13, 'a', 3),
        article(14, 'C', 1),
        article(15, 'D', null),
      ],
    })
  /** The numbers of the listed ids. */
  const order = async (path: string) => {
    const response = await api.get(path)
    return response.data<{ id: string }[]>().map(({ id }) => Number(id.slice(-12)))
  }

  describe('by a request', () => {
    test.each([
      ['title', [12, 11, 14, 15, 13]],
      ['-title', [13, 15, 14, 11, 12]],
      ['rating,title', [14, 11, 13, 12, 15]],
      ['rating,-title', [14, 13, 11, 15, 12]],
      [' rating , -title ', [14, 13, 11, 15, 12]],
    ])('ordering=%s', async (ordering, expected) => {
      allowUndescribed(/takes ordering= /, 'The document has the names as they are, without blanks.')
      await seedArticles()
      expect(await order(`/articles/?ordering=${encodeURIComponent(ordering)}`)).toEqual(expected)
      expect(await order(`/articles/?paginated=no&ordering=${encodeURIComponent(ordering)}`)).toEqual(expected)
    })

    test('NULLs come last ascending and first descending', async () => {
      await seedArticles()
      expect(await order('/articles/?ordering=rating')).toEqual([14, 11, 13, 12, 15])
      expect(await order('/articles/?ordering=-rating')).toEqual([12, 15, 11, 13, 14])
    })

    test('the first mention of a field decides', async () => {
      await seedArticles()
      expect(await order('/articles/?ordering=-title,title')).toEqual([13, 15, 14, 11, 12])
    })

    test('an empty parameter is none', async () => {
      await seedArticles()
      expect(await order('/articles/?ordering=')).toEqual([11, 12, 13, 14, 15])
    })

    test('the primary key can be descending, too', async () => {
      await seedArticles()
      expect(await order('/articles/?ordering=-id')).toEqual([15, 14, 13, 12, 11])
    })
  })

  test("the resource's own ordering holds until a request gives another", async () => {
    await seedArticles()
    expect(await order('/default/')).toEqual([12, 15, 11, 13, 14])
    expect(await order('/default/?ordering=title')).toEqual([12, 11, 14, 15, 13])
  })

  test('without any ordering, rows come by primary key', async () => {
    await seedArticles()
    expect(await order('/articles/')).toEqual([11, 12, 13, 14, 15])
  })

  test.each(['status', '-status', 'rating', '-rating', 'status,rating'])(
    'walking the pages of ordering=%s meets every id exactly once',
    async ordering => {
      const ids = Array.from({ length: 53 }, (_, i) => i + 101)
      const articles = ids.map(n => ({
        ...article(n, `T${n}`, n % 3 || null),
        status: n % 2 ? ('draft' as const) : ('published' as const),
      }))
      await seed(api.database, tables, {
        authors: [{ id: uuid(1), name: 'Ada' }],
        articles: articles.toSorted((a, b) => b.rating! - a.rating!),
      })
      const met: number[] = []
      for (let page = 1; page <= 8; page++)
        met.push(...(await order(`/articles/?ordering=${ordering}&page_size=7&page=${page}`)))
      expect(met.toSorted((a, b) => a - b)).toEqual(ids)
    },
  )

  describe('by a field that is not offered', () => {
    const known = 'Known fields: id, title, rating, status.'

    test.each([
      'password',
      'author',
      'body',
      'created_at',
      'author__name',
      'createdAt',
      'constructor',
      '__proto__',
      '--title',
      'title;drop table articles',
      '"title"',
    ])('ordering=%s is refused, naming the offered ones', async name => {
      const response = await api.get(`/articles/?ordering=${encodeURIComponent(name)}`)
      expectBadParameter(response, 'ordering', `You cannot order by "${name.replace(/^-/, '')}". ${known}`)
    })

    test('nothing reaches the database', async () => {
      expect(await api.statementsOf(() => api.get('/users/?ordering=password'))).toEqual([])
      expect(await api.statementsOf(() => api.get('/users/?ordering=username,-password'))).toEqual([])
    })

    test('an empty term is refused', async () => {
      expectBadParameter(
        await api.get('/articles/?ordering=title,,rating'),
        'ordering',
        `You cannot order by "". ${known}`,
      )
    })

    test('two parameters are refused', async () => {
      expectBadParameter(
        await api.get('/articles/?ordering=title&ordering=id'),
        'ordering',
        'Give this parameter once.',
      )
    })

    test('a long name is cut short in the answer', async () => {
      const response = await api.get(`/articles/?ordering=${'x'.repeat(5000)}`)
      expectBadParameter(response, 'ordering', `You cannot order by "${'x'.repeat(100)}". ${known}`)
    })
  })

  test('orderingFields is the whole list of what is offered, in snake_case', async () => {
    await seedArticles()
    expect(await order('/allowed/?ordering=author,-created_at')).toHaveLength(5)
    const response = await api.get('/allowed/?ordering=title')
    expectBadParameter(response, 'ordering', 'You cannot order by "title". Known fields: created_at, author.')
  })

  test('the same field a thousand times is one term', async () => {
    allowUndescribed(/takes ordering=/, 'What comes twice counts once, which no schema can say.')
    await seedArticles()
    expect(await order(`/articles/?ordering=${Array(1000).fill('-title').join()}`)).toEqual([13, 15, 14, 11, 12])
  })

  test('an expression with values of its own stands beside conditions and a page', async () => {
    await seedArticles()
    expect(await order('/nearest/?page_size=3')).toEqual([11, 13, 14])
    expect(await order('/nearest/?paginated=false')).toEqual([11, 13, 14, 12, 15])
  })
})
