import { sql } from 'drizzle-orm'
import {
  AllowAny,
  ConfigError,
  FieldFilter,
  type FilterBackend,
  type FilterSettings,
  type QuerySet,
  ReadOnlyViewSet,
  SearchFilter,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects, sqliteDialect } from '../support/dialects.ts'
import { expectBadParameter, expectError, expectSuccess, uuid } from '../support/expect.ts'
import { models, seed, users } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const everyLookup = ['exact', 'in', 'lt', 'lte', 'gt', 'gte', 'range', 'isnull'] as const
const ofText = ['exact', 'iexact', 'contains', 'icontains', 'startswith', 'istartswith'] as const
const ofDates = [...everyLookup, 'year', 'month', 'day'] as const

describeDialects('filters', dialect => {
  const tables = models(dialect.kit)
  const { articles, authors, comments, loans } = tables
  const { TitleSerializer, AuthorReference, CommentSerializer, LoanSerializer } = serializers(tables)
  const common = {
    model: articles,
    serializer: TitleSerializer,
    permissionClasses: [AllowAny],
    ordering: 'title',
  } as const

  /** Somebody's own filter: articles of whoever asks. */
  const Mine: FilterBackend = {
    queryParameters: { mine: { type: 'boolean' } },
    filterQueryset: (request, queryset, view) =>
      request.query.mine === undefined
        ? queryset
        : queryset.filter(sql`${articles.createdBy} = ${view.user?.id ?? null}`),
  }
  /** Drops the standard ordering along with the standard filters. */
  class Reversed implements FilterBackend {
    readonly queryParameters = {}
    filterQueryset(_request: unknown, queryset: QuerySet) {
      return queryset.orderBy([{ by: queryset.model.primaryKey, descending: true }])
    }
  }

  const filterFields = {
    id: ['exact', 'in'],
    title: [...ofText, 'in', 'isnull'],
    body: [...ofText, 'isnull'],
    author: ['exact', 'in'],
    editor: ['exact', 'isnull'],
    author__name: ['exact', 'icontains'],
    editor__name: ['exact', 'isnull'],
    editor__email: ['isnull'],
    status: ['exact', 'in'],
    price: everyLookup,
    rating: everyLookup,
    views: everyLookup,
    featured: ['exact', 'in'],
    publishedAt: ofDates,
    releasedOn: ofDates,
    reference: ['exact', 'in'],
    metadata: ['isnull'],
    createdBy__username: ['exact'],
  } as const

  const api = useApi(dialect, {
    tables,
    users,
    settings: { COMMON: { TIME_ZONE: 'Europe/Berlin' } },
    resources: {
      articles: ReadOnlyViewSet({ ...common, filterFields }),
      list: ReadOnlyViewSet({ ...common, filterFields: ['title', 'rating'] }),
      none: ReadOnlyViewSet(common),
      comments: ReadOnlyViewSet({
        model: comments,
        serializer: CommentSerializer,
        permissionClasses: [AllowAny],
        ordering: 'text',
        filterFields: { isActive: ['state'], article__author__name: ['exact'], parent__text: ['exact', 'isnull'] },
      }),
      loans: ReadOnlyViewSet({
        model: loans,
        serializer: LoanSerializer,
        permissionClasses: [AllowAny],
        filterFields: {
          id: everyLookup,
          fee: everyLookup,
          shelf__category: ['exact'],
          shelf__category__label: ['exact'],
        },
      }),
      authors: ReadOnlyViewSet({
        model: authors,
        serializer: AuthorReference,
        permissionClasses: [AllowAny],
        filterFields: { name: ['icontains'] },
        searchFields: ['name'],
        ordering: '-name',
      }),
      own: ReadOnlyViewSet({
        model: articles,
        serializer: TitleSerializer,
        permissionClasses: [AllowAny],
        filterFields: ['rating'],
        filterBackends: [FieldFilter, Mine, Reversed],
      }),
      unordered: ReadOnlyViewSet({
        model: articles,
        serializer: TitleSerializer,
        permissionClasses: [AllowAny],
        filterFields: ['rating'],
        filterBackends: [FieldFilter],
      }),
    },
  })

  const seedArticles = async () => {
    await seed(api.database, tables, {
      users: [{ id: users.ann.id, username: 'ann', password: 'x' }],
      authors: [
        { id: uuid(1), name: 'Ada', email: 'a@example.org' },
        { id: uuid(2), name: 'Émile' },
      ],
      articles: [
        {
          id: uuid(11),
          title: 'A_b%c',
          body: 'ÄPFEL und Birnen',
          author: uuid(1),
          editor: uuid(2),
          price: '29.90',
          rating: 5,
          views: 9007199254740993n,
          featured: true,
          publishedAt: '2026-01-31T23:30:00.123456Z',
          releasedOn: '2026-02-01',
          reference: uuid(77),
          createdBy: users.ann.id,
        },
        {
          id: uuid(12),
          title: 'Axbyc',
          author: uuid(2),
          editor: uuid(1),
          status: 'published',
          price: '5.00',
          rating: 3,
          views: 7n,
          publishedAt: '2025-12-31T22:59:59.999999Z',
          releasedOn: '2025-12-31',
          metadata: { a: 1 },
        },
        { id: uuid(13), title: 'back\\slash', body: "it's", author: uuid(1) },
      ],
    })
  }
  /** The numbers of the listed ids. */
  const found = async (path: string) => {
    const response = await api.get(path)
    expect(`${response.status} ${response.status === 200 ? '' : response.text}`).toBe('200 ')
    return response.data<{ id: string | number }[]>().map(({ id }) => Number(String(id).slice(-12)))
  }

  describe('by a field', () => {
    test.each([
      [`id=${uuid(12)}`, [12]],
      [`id=${uuid(99)}`, []],
      [`id__in=${uuid(13)},${uuid(11)},${uuid(99)}`, [11, 13]],
      ['title=Axbyc', [12]],
      ['title=axbyc', []],
      ['title__iexact=aXBYC', [12]],
      ['title__in=Axbyc,back\\slash', [12, 13]],
      ['title__contains=_', [11]],
      ['title__contains=%', [11]],
      ['title__contains=B', []],
      ['title__icontains=B', [11, 12, 13]],
      ['title__contains=\\', [13]],
      ['title__startswith=A', [11, 12]],
      ['title__startswith=A_', [11]],
      ['title__startswith=a', []],
      ['title__istartswith=a', [11, 12]],
      ['body__icontains=äpf', [11]],
      ['body__contains=äpf', []],
      ['body__istartswith=äPFEL', [11]],
      ['body__iexact=äpfel UND birnen', [11]],
      ["body=it's", [13]],
      ["body=' or 1=1 --", []],
      ['body__isnull=true', [12]],
      ['body__isnull=NO', [11, 13]],
      [`author=${uuid(1)}`, [11, 13]],
      [`author__in=${uuid(1)},${uuid(2)}`, [11, 12, 13]],
      [`editor=${uuid(1)}`, [12]],
      ['editor__isnull=1', [13]],
      ['status=draft', [11, 13]],
      ['status__in=draft,published', [11, 12, 13]],
      ['price=29.9', [11]],
      ['price__in=29.90,5', [11, 12]],
      ['price__gt=5', [11]],
      ['price__gte=5.00', [11, 12]],
      ['price__lt=29.9', [12]],
      ['price__lte=29.899', [12]],
      ['price__range=4.99,5.001', [12]],
      ['price__isnull=true', [13]],
      ['rating=3', [12]],
      ['rating__in=3,4,5', [11, 12]],
      ['rating__gte=4', [11]],
      ['rating__lt=-1', []],
      ['rating__range=3,5', [11, 12]],
      ['rating__range=5,3', []],
      ['views=9007199254740993', [11]],
      ['views__in=7,9007199254740993', [11, 12]],
      ['views__gt=9007199254740992', [11]],
      ['featured=true', [11]],
      ['featured=no', [12, 13]],
      ['featured=on', [11]],
      ['featured=f', [12, 13]],
      ['featured__in=true,false', [11, 12, 13]],
      ['published_at=2026-01-31T23:30:00.123456Z', [11]],
      ['published_at=2026-02-01T00:30:00.123456%2B01:00', [11]],
      // Without an offset, in the settings' time zone.
      ['published_at__gte=2026-02-01', [11]],
      ['published_at__gte=2026-02-01T00:31', []],
      ['published_at__in=2026-01-31T23:30:00.123456Z,2025-12-31T22:59:59.999999Z', [11, 12]],
      ['published_at__range=2025-12-31,2026-01-01', [12]],
      ['published_at__year=2026', [11]],
      ['published_at__year=2025', [12]],
      ['published_at__month=2', [11]],
      ['published_at__month=1', []],
      ['published_at__day=1', [11]],
      ['published_at__day=31', [12]],
      ['released_on=2026-02-01', [11]],
      ['released_on__lt=2026-01-01', [12]],
      ['released_on__in=2026-02-01,2025-12-31', [11, 12]],
      ['released_on__year=2025', [12]],
      ['released_on__month=02', [11]],
      ['released_on__day=31', [12]],
      [`reference=${uuid(77)}`, [11]],
      [`reference__in=${uuid(77)}`, [11]],
      ['metadata__isnull=false', [12]],
    ])('%s', async (query, expected) => {
      await seedArticles()
      expect(await found(`/articles/?${query.replaceAll('\\', '%5C').replace(/%(?![0-9A-F]{2})/g, '%25')}`)).toEqual(
        expected,
      )
    })

    test('keys and numbers of 64 bits', async () => {
      await seed(api.database, tables, {
        categories: [{ code: '007', label: 'Spies' }],
        shelves: [
          { id: 1, label: 'A', category: '007' },
          { id: 2, label: 'B' },
        ],
        loans: [
          { id: 9007199254740993n, shelf: 1, fee: '1' },
          { id: 6n, shelf: 2, fee: '0.00001' },
        ],
      })
      expect(await found('/loans/?id__in=6')).toEqual([6])
      expect(await found('/loans/?id=9007199254740993')).toHaveLength(1)
      expect(await found('/loans/?id__lt=7')).toEqual([6])
      expect(await found('/loans/?fee=0.00001')).toEqual([6])
      expect(await found('/loans/?fee__in=0.00001,2')).toEqual([6])
      expect(await found('/loans/?shelf__category=007')).toHaveLength(1)
      expect(await found('/loans/?shelf__category=7')).toEqual([])
      expect(await found('/loans/?shelf__category__label=Spies')).toHaveLength(1)
    })

    test('several filters must all hold', async () => {
      await seedArticles()
      expect(await found('/articles/?rating__gte=3&author__name=Ada')).toEqual([11])
      expect(await found('/articles/?rating__gte=3&rating__lt=5')).toEqual([12])
    })

    test('the whole page says how many were found', async () => {
      await seedArticles()
      const response = await api.get(`/articles/?rating__gte=3&page_size=1`)
      expectSuccess(response, 200, {
        count: 2,
        next: 'http://localhost:80/api/articles/?rating__gte=3&page_size=1&page=2',
        data: [{ id: uuid(11), title: 'A_b%c', author: uuid(1), rating: 5, index: 1 }],
      })
    })

    test('an empty value is no filter', async () => {
      await seedArticles()
      expect(await found('/articles/?rating__gte=&title=&author__name=')).toEqual([11, 12, 13])
    })

    test('a list of fields is for equality', async () => {
      await seedArticles()
      expect(await found('/list/?title=Axbyc&rating=3')).toEqual([12])
      expectBadParameter(
        await api.get('/list/?rating__gte=4'),
        'rating__gte',
        'Unknown parameter "rating__gte". "rating" can be filtered by rating, rating__ne.',
      )
    })
  })

  describe('by a path', () => {
    test.each([
      ['author__name=Ada', [11, 13]],
      ['author__name__icontains=éM', [12]],
      ['editor__name=Ada', [12]],
      ['editor__name__isnull=true', [13]],
      ['editor__name__isnull=false', [11, 12]],
      ['editor__email__isnull=true', [11, 13]],
      ['editor__email__isnull=false', [12]],
      ['created_by__username=ann', [11]],
    ])('%s', async (query, expected) => {
      await seedArticles()
      expect(await found(`/articles/?${encodeURI(query)}`)).toEqual(expected)
    })

    test('through several foreign keys, and from a table to itself', async () => {
      await seedArticles()
      const comment = (n: number, text: string, parent?: string) => ({
        id: uuid(n),
        article: uuid(11 + (n % 2)),
        text,
        ...(parent && { parent }),
      })
      await seed(api.database, tables, {
        comments: [comment(21, 'first'), comment(22, 'second', uuid(21)), comment(24, 'third', uuid(22))],
      })
      expect(await found('/comments/?article__author__name=Ada')).toEqual([22, 24])
      expect(await found('/comments/?parent__text=first')).toEqual([22])
      expect(await found('/comments/?parent__text__isnull=true')).toEqual([21])
      expect(await found('/comments/?parent__text__isnull=false')).toEqual([22, 24])
    })

    test('a list and its count are a statement each, without joins for the filter', async () => {
      await seedArticles()
      const statements = await api.statementsOf(() => api.get('/articles/?author__name=Ada&editor__name=x'))
      expect(statements).toHaveLength(2)
      expect(statements.join()).not.toMatch(/ join /)
    })
  })

  test('active, deleted or all, for soft delete', async () => {
    await seedArticles()
    const comment = { article: uuid(11) }
    await seed(api.database, tables, {
      comments: [
        { ...comment, id: uuid(21), text: 'a' },
        { ...comment, id: uuid(22), text: 'b', isActive: false, deletedAt: '2026-01-01T00:00:00.000000Z' },
      ],
    })
    expect(await found('/comments/?is_active=active')).toEqual([21])
    expect(await found('/comments/?is_active=deleted')).toEqual([22])
    expect(await found('/comments/?is_active=all')).toEqual([21, 22])
    expect(await found('/comments/')).toEqual([21, 22])
    expectBadParameter(await api.get('/comments/?is_active=true'), 'is_active', 'Enter active, deleted or all.')
  })

  describe('refuses, naming the field and what it should be', () => {
    test.each([
      ['rating', 'abc', 'a whole number, such as 42'],
      ['rating', '1.5', 'a whole number, such as 42'],
      ['rating', '2147483648', 'a whole number from -2147483648 to 2147483647'],
      ['rating__in', '1,x', 'values with commas between them, each a whole number, such as 42'],
      ['rating__in', '1,', 'values with commas between them, each a whole number, such as 42'],
      ['rating__range', '1', 'two values with a comma between them, each a whole number, such as 42'],
      ['rating__range', '1,2,3', 'two values with a comma between them, each a whole number, such as 42'],
      ['views', '9223372036854775808', 'a whole number from -9223372036854775808 to 9223372036854775807'],
      ['price__gte', 'NaN', 'a number, such as 12.5'],
      ['price__gte', '1e1000', 'a number, such as 12.5'],
      ['featured', 'maybe', 'true or false'],
      ['status', 'gone', 'one of: draft, published'],
      ['author', 'abc', 'the "id" of the related record: a valid UUID'],
      ['id__in', `${uuid(1)};drop table articles`, 'values with commas between them, each a valid UUID'],
      ['body__isnull', '2', 'true or false'],
      ['published_at__gte', '2026-02-30', 'a date or a datetime, such as 2026-01-15T10:30:00Z'],
      ['published_at__year', '26', 'a year of four digits, such as 2026'],
      ['published_at__month', '13', 'a whole number from 1 to 12'],
      ['released_on__day', '0', 'a whole number from 1 to 31'],
      ['released_on', '2026-02-01T00:00', 'a date, such as 2026-01-15'],
    ])('%s=%s', async (parameter, value, expected) => {
      expectBadParameter(
        await api.get(`/articles/?${parameter}=${encodeURIComponent(value)}`),
        parameter,
        `Enter ${expected}.`,
      )
    })

    test('all of them at once, and nothing reaches the database', async () => {
      const statements = await api.statementsOf(async () => {
        const response = await api.get('/articles/?rating=x&featured=maybe&title=z')
        expectError(response, 400, 'The request has 2 errors. "errors" lists them.', {
          rating: ['Enter a whole number, such as 42.'],
          featured: ['Enter true or false.'],
        })
      })
      expect(statements).toEqual([])
    })

    test('a parameter that is given twice', async () => {
      expectBadParameter(await api.get('/articles/?rating=1&rating=2'), 'rating', 'Give this parameter once.')
    })

    test('NUL', async () => {
      expect((await api.get('/articles/?title=a%00b')).status).toBe(400)
    })
  })

  test.each([
    'password=x',
    'created_by__password=x',
    'created_by__password__startswith=s',
    'rating__foo=1',
    'author__email=a',
    'title__regex=.*',
    'constructor=1',
  ])('what is not declared is refused, and nothing is asked: %s', async query => {
    for (const resource of ['articles', 'none']) {
      const statements = await api.statementsOf(async () =>
        expect((await api.get(`/${resource}/?${query}`)).status).toBe(400),
      )
      expect(statements).toEqual([])
    }
  })

  test('ten thousand values are one parameter of one statement', async () => {
    await seedArticles()
    const lengths: number[] = []
    for (const count of [1, 2, 300]) {
      const list = Array.from({ length: count }, (_, i) => uuid(i + 11)).join()
      const statements = await api.statementsOf(() => api.get(`/articles/?id__in=${list}`))
      lengths.push(new Set(statements).size)
      expect(statements).toHaveLength(2)
    }
    const one = await api.statementsOf(() => api.get(`/articles/?id__in=${uuid(1)}`))
    const two = await api.statementsOf(() => api.get(`/articles/?id__in=${uuid(1)},${uuid(2)}`))
    expect(two).toEqual(one)
  })

  test('the order of the parameters makes no other statement', async () => {
    const one = await api.statementsOf(() => api.get('/articles/?rating=1&title=a&status=draft'))
    const other = await api.statementsOf(() => api.get('/articles/?status=draft&title=a&rating=1'))
    expect(other).toEqual(one)
  })

  test('filters, search and ordering combine', async () => {
    await seed(api.database, tables, {
      authors: ['Ann Lee', 'Anna May', 'Hanna Lee', 'Bob Lee'].map((name, i) => ({ id: uuid(i + 1), name })),
    })
    expect(await found('/authors/?name__icontains=ann&search=lee')).toEqual([3, 1])
    expect(await found('/authors/?name__icontains=ann&search=lee&ordering=name')).toEqual([1, 3])
  })

  describe('filterBackends', () => {
    test("may be one's own, beside the standard ones", async () => {
      await seedArticles()
      expect(await found('/own/')).toEqual([13, 12, 11])
      expect(await found('/own/?mine')).toEqual([])
      const response = await api.get('/own/?mine&rating=5', { as: 'ann' })
      expectSuccess(response, 200, {
        count: 1,
        data: [{ id: uuid(11), title: 'A_b%c', author: uuid(1), rating: 5, index: 1 }],
      })
    })

    test('without an ordering, rows come by primary key', async () => {
      await seedArticles()
      expect(await found('/unordered/')).toEqual([11, 12, 13])
    })
  })
})

describe('a wrong declaration stops the start', () => {
  const tables = models(sqliteDialect.kit)
  const common = {
    model: tables.articles,
    serializer: serializers(tables).TitleSerializer,
    permissionClasses: [AllowAny],
  } as const
  const withFields = (filterFields: FilterSettings['filterFields']) => () =>
    ReadOnlyViewSet({ ...common, filterFields: filterFields as never })

  test.each<[string, FilterSettings['filterFields'], string]>([
    ['an unknown field', ['titel'], 'unknown field "titel"; did you mean "title"?'],
    ["a field in the wire's spelling", ['created_at'], 'unknown field "created_at"; did you mean "createdAt"?'],
    [
      'an unknown field behind a foreign key',
      ['author__nmae'],
      'unknown field "nmae" of "authors" in "author__nmae"; did you mean "name"?',
    ],
    ['a path through a plain field', ['title__name'], '"title" is no foreign key, so "title__name" leads nowhere'],
    ['an inherited name', ['constructor'], 'unknown field "constructor"'],
    ['an unknown lookup', { rating: ['gtee' as never] }, 'unknown lookup "gtee" of "rating"; did you mean "gte"?'],
    ['an unknown lookup like a negated one', { rating: ['nott_in' as never] }, 'did you mean "not_in"?'],
    ['a negated lookup that the type does not have', { metadata: ['ne'] }, 'is of type json, which has no lookup "ne"'],
    ['a negated lookup behind a field', ['title__ne'], `"title__ne" ends with a lookup; write { title: ['ne'] }`],
    ['a negated lookup twice', { title: ['ne', 'ne'] }, '"title__ne" is declared twice'],
    ['an inherited lookup', { rating: ['toString' as never] }, 'unknown lookup "toString"'],
    [
      'a lookup that the type does not have',
      { rating: ['icontains'] },
      '"rating" is of type integer, which has no lookup "icontains"',
    ],
    ['a date part of a text', { title: ['year'] }, '"title" is of type text, which has no lookup "year"'],
    ['equality of JSON', ['metadata'], '"metadata" is of type json, which has no lookup "exact"'],
    ['a field twice', ['title', 'title'], '"title" is declared twice'],
    [
      'a lookup behind a field',
      ['author__name__icontains'],
      `"author__name__icontains" ends with a lookup; write { author__name: ['icontains'] }`,
    ],
    ['a field by itself', 'title' as never, 'filterFields: must be a list: ["title"]'],
    ['a lookup by itself', { title: 'exact' as never }, 'filterFields.title: must be a list: ["exact"]'],
  ])('%s', (_, fields, problem) => {
    expect(withFields(fields)).toThrow(ConfigError)
    expect(withFields(fields)).toThrow(problem)
  })

  test.each(['searchFields', 'orderingFields'])('one name as %s', setting => {
    expect(() => ReadOnlyViewSet({ ...common, [setting]: 'title' } as never)).toThrow(
      `${setting}: must be a list: ["title"]`,
    )
  })

  test('a parameter that the list itself reads', () => {
    const clash: FilterBackend = {
      queryParameters: { page_size: { type: 'integer' } },
      filterQueryset: (_, queryset) => queryset,
    }
    expect(() => ReadOnlyViewSet({ ...common, filterBackends: [clash] })).toThrow(
      'the query parameter "page_size" already means something else',
    )
    expect(() => ReadOnlyViewSet({ ...common, filterBackends: [clash], paginationClass: null })).toThrow(ConfigError)
  })

  test('a filter without its methods', () => {
    expect(() => ReadOnlyViewSet({ ...common, filterBackends: [{} as never] })).toThrow(
      'a filter needs filterQueryset, and queryParameters by their names',
    )
  })

  test('a setting that no filter reads', () => {
    expect(() => ReadOnlyViewSet({ ...common, filterFields: ['title'], filterBackends: [SearchFilter] })).toThrow(
      'filterFields: needs FieldFilter, which is not among the filterBackends',
    )
  })
})
