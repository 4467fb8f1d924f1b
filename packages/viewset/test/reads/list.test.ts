import { AllowAny, BaseModelSerializer, IdToDataField, ReadOnlyViewSet } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectBadParameter, expectSuccess, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeDialects('list', dialect => {
  const tables = models(dialect.kit)
  const { AuthorReference } = serializers(tables)
  const common = {
    model: tables.authors,
    serializer: AuthorReference,
    permissionClasses: [AllowAny],
    ordering: 'name',
  } as const
  const author = IdToDataField({ queryset: tables.authors, serializer: AuthorReference })
  const api = useApi(dialect, {
    tables,
    resources: {
      authors: ReadOnlyViewSet(common),
      plain: ReadOnlyViewSet({ ...common, appendIndexes: false }),
      whole: ReadOnlyViewSet({ ...common, paginationClass: null }),
      'plain-whole': ReadOnlyViewSet({ ...common, paginationClass: null, appendIndexes: false }),
      articles: ReadOnlyViewSet({
        model: tables.articles,
        serializer: BaseModelSerializer(tables.articles, {
          fields: ['id', 'title'],
          extra: { author, editor: author },
        }),
        permissionClasses: [AllowAny],
        ordering: 'title',
      }),
    },
  })
  const two = {
    authors: [
      { id: uuid(1), name: 'Ada' },
      { id: uuid(2), name: 'Bob' },
    ],
  }
  const ada = { id: uuid(1), name: 'Ada' }
  const bob = { id: uuid(2), name: 'Bob' }

  test('is paginated where the resource says nothing else', async () => {
    await seed(api.database, tables, two)
    const data = [
      { ...ada, index: 1 },
      { ...bob, index: 2 },
    ]
    expectSuccess(await api.get('/authors/'), 200, { count: 2, data })
  })

  test('has an empty first page when there is nothing', async () => {
    expectSuccess(await api.get('/authors/'), 200, { count: 0, data: [] })
    expectSuccess(await api.get('/authors/?page=1'), 200, { count: 0, data: [] })
    expectSuccess(await api.get('/whole/'), 200, { data: [] })
  })

  test('without a pagination class there are no count and no links', async () => {
    await seed(api.database, tables, two)
    expectSuccess(await api.get('/whole/'), 200, {
      data: [
        { ...ada, index: 1 },
        { ...bob, index: 2 },
      ],
    })
  })

  test('appendIndexes: false leaves the index out, paginated or not', async () => {
    await seed(api.database, tables, two)
    expectSuccess(await api.get('/plain/'), 200, { count: 2, data: [ada, bob] })
    expectSuccess(await api.get('/plain-whole/'), 200, { data: [ada, bob] })
  })

  test.each(['true', 'True', 'TRUE', 't', '1', 'yes', 'YES', 'y', 'on', 'On'])(
    'paginated=%s paginates a resource without pagination by 20',
    async value => {
      const authors = Array.from({ length: 21 }, (_, i) => ({
        id: uuid(i),
        name: `Author ${String(i).padStart(2, '0')}`,
      }))
      await seed(api.database, tables, { authors })
      const data = authors.slice(0, 20).map((author, i) => ({ ...author, index: i + 1 }))
      const next = `http://localhost:80/api/whole/?paginated=${value}&page=2`
      expectSuccess(await api.get(`/whole/?paginated=${value}`), 200, { count: 21, next, data })
    },
  )

  test.each(['false', 'False', 'FALSE', 'f', '0', 'no', 'No', 'n', 'off', 'OFF'])(
    'paginated=%s returns everything at once',
    async value => {
      const authors = Array.from({ length: 150 }, (_, i) => ({
        id: uuid(i),
        name: `Author ${String(i).padStart(3, '0')}`,
      }))
      await seed(api.database, tables, { authors })
      const data = authors.map((author, i) => ({ ...author, index: i + 1 }))
      expectSuccess(await api.get(`/authors/?paginated=${value}`), 200, { data })
    },
  )

  test('paginated=false pays no attention to page and page_size', async () => {
    await seed(api.database, tables, two)
    const data = [
      { ...ada, index: 1 },
      { ...bob, index: 2 },
    ]
    expectSuccess(await api.get('/authors/?paginated=false&page=7&page_size=1'), 200, { data })
  })

  test.each(['maybe', '', '2', 'truefalse', 'null', 'constructor', '__proto__', 'toString'])(
    'paginated=%s is refused',
    async value => {
      expectBadParameter(await api.get(`/authors/?paginated=${value}`), 'paginated', 'Enter true or false.')
    },
  )

  test('a switch that is given twice is refused', async () => {
    const response = await api.get('/authors/?paginated=true&paginated=false')
    expectBadParameter(response, 'paginated', 'Give this parameter once.')
  })

  test('nests to-one relations, two to the same table as well; an absent one is null', async () => {
    await seed(api.database, tables, {
      ...two,
      articles: [
        { id: uuid(11), title: 'A', author: uuid(1), editor: uuid(2) },
        { id: uuid(12), title: 'B', author: uuid(2) },
      ],
    })
    const data = [
      { id: uuid(11), title: 'A', author: ada, editor: bob, index: 1 },
      { id: uuid(12), title: 'B', author: bob, editor: null, index: 2 },
    ]
    expectSuccess(await api.get('/articles/'), 200, { count: 2, data })
    expectSuccess(await api.get('/articles/?paginated=false'), 200, { data })
  })

  test('asks the database twice for a page with nested relations, once for the whole list', async () => {
    await seed(api.database, tables, { ...two, articles: [{ title: 'A', author: uuid(1), editor: uuid(2) }] })
    expect(await api.statementsOf(() => api.get('/articles/?page=1&ordering=-title'))).toHaveLength(2)
    expect(await api.statementsOf(() => api.get('/articles/?paginated=false'))).toHaveLength(1)
  })
})
