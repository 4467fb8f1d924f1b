import { sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  type ComputedOrdering,
  ComputedOrderingFilter,
  ConfigError,
  IdToDataField,
  ReadOnlyViewSet,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects, sqliteDialect } from '../support/dialects.ts'
import { expectBadParameter, expectSuccess, uuid } from '../support/expect.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

class Lenient extends ComputedOrderingFilter {
  override readonly ignoreUnknown = true
  override readonly orderingParam = 'sort'
}

describeDialects('computed ordering', dialect => {
  const tables = models(dialect.kit)
  const { articles, authors, comments } = tables
  const { AuthorReference, TitleSerializer } = serializers(tables)
  const permissionClasses = [AllowAny]
  const article_count = sql`(select count(*) from ${articles} where ${articles.author} = ${authors.id})`
  const best = sql`(select max(${articles.rating}) from ${articles} where ${articles.author} = ${authors.id})`
  const nested = BaseModelSerializer(articles, {
    fields: ['id', 'title'],
    extra: {
      author: IdToDataField({ queryset: authors, serializer: AuthorReference }),
      editor: IdToDataField({ queryset: authors, serializer: AuthorReference }),
    },
  })

  const api = useApi(dialect, {
    tables,
    resources: {
      authors: ReadOnlyViewSet({
        model: authors,
        serializer: AuthorReference,
        permissionClasses,
        computedOrderingFields: { article_count, best, tie: sql`1`, far: sql`abs(length(${authors.name}) - ${5})` },
        ordering: ['-article_count', 'name'],
        filterFields: ['name'],
        searchFields: ['name'],
      }),
      articles: ReadOnlyViewSet({
        model: articles,
        serializer: nested,
        permissionClasses,
        orderingFields: ['title', 'author__name', 'editor__name', 'createdBy__username'],
        computedOrderingFields: {
          place: ['editor__name', 'author__name', 'title'],
          writer: 'author__name',
          mixed: ['author__name', sql`length(${articles.title})`],
        },
        ordering: '-author__name',
      }),
      comments: ReadOnlyViewSet({
        model: comments,
        serializer: BaseModelSerializer(comments, { fields: ['id', 'text'] }),
        permissionClasses,
        orderingFields: ['parent__text', 'article__author__name', 'article__editor__name', 'parent__article__title'],
      }),
      lenient: ReadOnlyViewSet({
        model: articles,
        serializer: TitleSerializer,
        permissionClasses,
        ordering: '-title',
        filterBackends: [Lenient],
      }),
    },
  })
  const article = (n: number, title: string, author: number, editor?: number, rating: number | null = null) => ({
    id: uuid(n),
    title,
    author: uuid(author),
    rating,
    ...(editor && { editor: uuid(editor) }),
  })
  const ada = { id: uuid(1), name: 'Ada' }
  const bob = { id: uuid(2), name: 'Bob' }
  const zoe = { id: uuid(3), name: 'Zoë' }
  const seedAll = () =>
    seed(api.database, tables, {
      authors: [ada, bob, zoe],
      articles: [article(11, 'B', 2, 1, 4), article(12, 'AA', 1, 3, 2), article(13, 'C', 2), article(14, 'D', 1)],
      comments: [
        { id: uuid(21), article: uuid(11), text: 'x' },
        { id: uuid(22), article: uuid(12), text: 'y', parent: uuid(21) },
        { id: uuid(23), article: uuid(13), text: 'z', parent: uuid(22) },
      ],
    })
  const order = async (path: string) => {
    const response = await api.get(path)
    expect(`${response.status} ${response.status === 200 ? '' : response.text}`).toBe('200 ')
    return response.data<{ id: string }[]>().map(({ id }) => Number(id.slice(-12)))
  }

  test.each([
    ['article_count', [3, 1, 2]],
    ['-article_count', [1, 2, 3]],
    ['-article_count,-name', [2, 1, 3]],
    // NULLs last ascending, first descending.
    ['best', [1, 2, 3]],
    ['-best', [3, 2, 1]],
    ['tie', [1, 2, 3]],
    ['-tie,-name', [3, 2, 1]],
    ['far,-name', [3, 2, 1]],
    ['', [1, 2, 3]],
  ])('by an expression: ordering=%s', async (ordering, expected) => {
    await seedAll()
    expect(await order(`/authors/?ordering=${ordering}`)).toEqual(expected)
    expect(await order(`/authors/?paginated=false&ordering=${ordering}`)).toEqual(expected)
    // The ends of pages fall between ties, too.
    const pages = [1, 2, 3].map(page => order(`/authors/?ordering=${ordering}&page_size=1&page=${page}`))
    expect((await Promise.all(pages)).flat()).toEqual(expected)
  })

  test('the default ordering may name computed values', async () => {
    await seedAll()
    expectSuccess(await api.get('/authors/'), 200, {
      count: 3,
      data: [
        { ...ada, index: 1 },
        { ...bob, index: 2 },
        { ...zoe, index: 3 },
      ],
    })
  })

  test.each([
    ['author__name', [12, 14, 11, 13]],
    ['-author__name,-title', [13, 11, 14, 12]],
    ['editor__name', [11, 12, 13, 14]],
    ['-editor__name', [13, 14, 12, 11]],
    ['created_by__username,title', [12, 11, 13, 14]],
    ['writer', [12, 14, 11, 13]],
    ['-writer', [11, 13, 12, 14]],
    ['place', [11, 12, 14, 13]],
    ['-place', [13, 14, 12, 11]],
    ['mixed', [14, 12, 11, 13]],
    ['', [11, 13, 12, 14]],
  ])('by paths, with the relations read beside: ordering=%s', async (ordering, expected) => {
    await seedAll()
    expect(await order(`/articles/?ordering=${ordering}`)).toEqual(expected)
    expect(await order(`/articles/?paginated=no&ordering=${ordering}`)).toEqual(expected)
    const pages = [1, 2, 3, 4].map(page => order(`/articles/?ordering=${ordering}&page_size=1&page=${page}`))
    expect((await Promise.all(pages)).flat()).toEqual(expected)
  })

  test.each([
    ['parent__text', [22, 23, 21]],
    ['-parent__text', [21, 23, 22]],
    ['article__author__name', [22, 21, 23]],
    ['article__editor__name', [21, 22, 23]],
    ['parent__article__title', [23, 22, 21]],
    ['-parent__article__title,article__editor__name', [21, 22, 23]],
  ])(
    'a path may lead to the same table, and through a relation that is missing: ordering=%s',
    async (ordering, expected) => {
      await seedAll()
      expect(await order(`/comments/?ordering=${ordering}`)).toEqual(expected)
      expect(await order(`/comments/?paginated=no&ordering=${ordering}`)).toEqual(expected)
    },
  )

  test('non-ASCII text is in the same order on every database', async () => {
    await seedAll()
    await seed(api.database, tables, {
      authors: [
        { id: uuid(4), name: 'Émile' },
        { id: uuid(5), name: 'Zoe' },
      ],
    })
    expect(await order('/authors/?ordering=name')).toEqual(await order('/authors/?ordering=tie,name'))
  })

  test('a page is two statements, the count without joins', async () => {
    await seedAll()
    const [count, page, ...more] = await api.statementsOf(() =>
      api.get('/articles/?ordering=author__name,editor__name'),
    )
    expect(more).toEqual([])
    expect(count).not.toMatch(/join/)
    expect(page?.match(/ join /g)).toHaveLength(4)
  })

  test('paths that begin alike share a join', async () => {
    const [, page] = await api.statementsOf(() =>
      api.get('/comments/?ordering=article__author__name,article__editor__name'),
    )
    expect(page?.match(/ join /g)).toHaveLength(3)
  })

  test('values of an expression stand beside those of filters, search and page', async () => {
    await seedAll()
    expect(await order('/authors/?ordering=far&search=o&page_size=5')).toEqual([2, 3])
    expect(await order('/authors/?ordering=-far&name=Ada&search=a')).toEqual([1])
  })

  test('what is not offered is refused, naming what is', async () => {
    const response = await api.get('/articles/?ordering=author__email')
    const known = 'Known fields: title, author__name, editor__name, created_by__username, place, writer, mixed.'
    expectBadParameter(response, 'ordering', `You cannot order by "author__email". ${known}`)
  })

  test.each([
    'x;drop table',
    'password',
    'author__password',
    'created_by__password',
    'article_count;',
    '"tie"',
    'authors.name',
  ])('ordering=%s never reaches SQL', async ordering => {
    for (const resource of ['authors', 'articles']) {
      const statements = await api.statementsOf(async () =>
        expect((await api.get(`/${resource}/?ordering=${encodeURIComponent(ordering)}`)).status).toBe(400),
      )
      expect(statements).toEqual([])
    }
  })

  test('a thousand terms are one when they are the same, and refused when they are not', async () => {
    allowUndescribed(/takes ordering=/, 'What comes twice counts once, which no schema can say.')
    await seedAll()
    expect(await order(`/authors/?ordering=${Array(1000).fill('-article_count').join()}`)).toEqual([1, 2, 3])
    const response = await api.get(`/authors/?ordering=${Array.from({ length: 1000 }, (_, i) => `x${i}`).join()}`)
    expect(response.status).toBe(400)
  })

  test('walking the pages of ties meets each id exactly once', async () => {
    const ids = Array.from({ length: 31 }, (_, i) => i + 101)
    await seed(api.database, tables, {
      authors: [ada, bob],
      articles: ids.map(n => article(n, `T${n}`, (n % 2) + 1, n % 3 ? 1 : undefined)),
    })
    for (const ordering of ['author__name', '-editor__name', 'place', 'mixed,-writer']) {
      const met: number[] = []
      for (let page = 1; page <= 5; page++)
        met.push(...(await order(`/articles/?ordering=${ordering}&page_size=7&page=${page}`)))
      expect(met.toSorted((a, b) => a - b)).toEqual(ids)
    }
  })

  test('a subclass may ignore what is not offered, as DRF does', async () => {
    allowUndescribed(/takes sort=/, 'What is ignored has no meaning to tell.')
    await seedAll()
    expect(await order('/lenient/?sort=password,title,x')).toEqual([12, 11, 13, 14])
    expect(await order('/lenient/?sort=password')).toEqual([14, 13, 11, 12])
  })
})

describe('a wrong declaration stops the start', () => {
  const tables = models(sqliteDialect.kit)
  const common = {
    model: tables.articles,
    serializer: serializers(tables).TitleSerializer,
    permissionClasses: [AllowAny],
  } as const
  const withComputed = (computedOrderingFields: Record<string, ComputedOrdering>) => () =>
    ReadOnlyViewSet({ ...common, computedOrderingFields: computedOrderingFields as never })

  test.each(["a'b", 'a"b', 'a.b', 'a,b', '-a', '', ' a', 'a b', 'a;b', '1a', 'a--'])('the name %j', name => {
    expect(withComputed({ [name]: sql`1` })).toThrow(ConfigError)
    expect(withComputed({ [name]: sql`1` })).toThrow('is no name: use letters, digits and underscores')
  })

  test.each<[string, ComputedOrdering, string]>([
    ['an unknown path', 'author__nmae', 'unknown field "nmae" of "authors" in "author__nmae"; did you mean "name"?'],
    ['an unknown path in a list', ['title', 'titel'], 'unknown field "titel"; did you mean "title"?'],
    ['no expression', 5 as never, 'must be an SQL expression, an ExpressionField, a path or a list of them'],
  ])('%s', (_, value, problem) => {
    expect(withComputed({ x: value })).toThrow(problem)
  })

  test('a default ordering by what does not exist', () => {
    expect(() => ReadOnlyViewSet({ ...common, ordering: '-cmoment_count' as never })).toThrow(
      'unknown field "cmoment_count"',
    )
    expect(() => ReadOnlyViewSet({ ...common, orderingFields: ['author__nmae' as never] })).toThrow(ConfigError)
  })
})
