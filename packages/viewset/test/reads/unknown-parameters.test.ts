import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  CursorPagination,
  type FilterBackend,
  ImportableViewSet,
  IsAuthenticated,
  importModel,
  LimitOffsetPaginationWithFormat,
  ManyIdToDataField,
  ReadOnlyViewSet,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { endpointsOf } from '../../src/viewset/endpoints/endpoints.ts'
import type { Authenticate } from '../../src/viewset/handle.ts'
import type { AnyResourceClass } from '../../src/viewset/mixin.ts'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { everyApi } from '../support/every-api.ts'
import { oddOnly } from '../support/every-extension.ts'
import { expectInvalid } from '../support/expect.ts'
import { models } from '../support/models.ts'
import { form, importForm } from '../support/multipart.ts'

const someone = { clerk: { id: 'clerk', name: 'Clerk' } }

/** As a hand slips: one letter is missing. */
const misspelled = (name: string) => `${name.slice(0, 1)}${name.slice(2)}`

const refusal = (name: string, hint: string) => ({ [name]: [`Unknown parameter "${name}". ${hint}`] })

describeOneDialect('a query parameter that nothing reads', dialect => {
  describe('is refused by every action of the mixins that says what it reads', () => {
    const every = everyApi(dialect)
    const api = useApi(dialect, { ...every, users: someone })
    const endpoints = Object.entries(every.resources).flatMap(([name, resource]) =>
      endpointsOf(name, resource as unknown as AnyResourceClass).filter(
        ({ isCustom, describe }) => !isCustom && describe !== undefined,
      ),
    )
    const cases = endpoints.map(endpoint => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)

    test.each(cases)('%s', async (_, { method, path, describe, readsBody }) => {
      const address = path.replaceAll(/:\w+/g, '1')
      const query = describe?.().query ?? {}
      const ask = (name: string) =>
        api.request(method, `${address}?${name}=1`, {
          as: 'clerk',
          ...(readsBody ? importForm('name\r\n') : method !== 'GET' && { body: {} }),
        })
      expect((await ask('zzzzzzzzzzzz')).status).toBe(400)
      for (const name of Object.keys(query)) {
        const wrong = misspelled(name)
        if (wrong in query) continue
        const response = await ask(wrong)
        const { errors } = response.envelope()
        expect([response.status, errors?.[wrong]]).toEqual([
          400,
          [`Unknown parameter "${wrong}". Did you mean "${name}"?`],
        ])
      }
    })

    test('and so lists, exports and imports are all among them', () => {
      const actions = new Set(endpoints.map(({ action }) => action))
      expect([...actions]).toEqual(expect.arrayContaining(['list', 'retrieve', 'create', 'export', 'importFile']))
    })
  })

  const tables = models(dialect.kit)
  const { articles, authors } = tables
  const base = {
    model: authors,
    serializer: BaseModelSerializer(authors, { fields: ['id', 'name', 'email'] }),
    permissionClasses: [AllowAny],
  }
  const config = {
    ...base,
    filterFields: { name: ['exact', 'in', 'gt'], email: ['icontains'] },
    searchFields: ['name'],
  } as const
  const byLetter: FilterBackend = {
    queryParameters: { letter: { type: 'string' } },
    filterQueryset: (request, queryset) =>
      request.query.letter === 'a' ? queryset.filter(eq(authors.name, 'Ann')) : queryset,
  }
  const echo = {
    method: 'GET',
    detail: false,
    handler: ({ query }: { readonly query: object }) => query,
  } as const
  const resources = {
    authors: ImportableViewSet({
      ...config,
      exportFieldConfig: { name: 'Name', email: 'Email' },
      importFileConfig: {
        fileFormat: 'csv',
        order: ['authors'],
        models: { authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
      },
      actions: {
        open: echo,
        declared: { ...echo, describes: { query: { about: { type: 'string' } } } },
      },
      describes: { actions: { retrieve: { query: { at: { type: 'string' } } } } },
    }),
    closed: ReadOnlyViewSet({ ...config, permissionClasses: [IsAuthenticated] }),
    limits: ReadOnlyViewSet({ ...config, paginationClass: LimitOffsetPaginationWithFormat }),
    cursors: ReadOnlyViewSet({ ...config, paginationClass: CursorPagination }),
    writers: ReadOnlyViewSet({
      ...base,
      serializer: BaseModelSerializer(authors, {
        name: 'Writer',
        fields: ['id', 'name'],
        extra: {
          articles: ManyIdToDataField({
            queryset: articles,
            column: 'author',
            serializer: BaseModelSerializer(articles, { name: 'Written', fields: ['id', 'title'] }),
            readOnly: true,
          }),
        },
      }),
      filterFields: {
        articles: ['isnull'],
        articles__title: ['exact', 'in', 'icontains'],
        articles__rating: ['exact', 'gte', 'lte'],
        articles__author__email: ['exact'],
      },
    }),
    letters: ReadOnlyViewSet({ ...base, filterBackends: [byLetter] }),
    odd: ReadOnlyViewSet({ ...base, filterBackends: [oddOnly(authors.name)], unknownParameters: 'ignore' }),
  }
  const authenticate: Authenticate = Object.assign(() => null, {
    securitySchemes: { token: { type: 'apiKey', in: 'query', name: 'access_token' } },
  } as const)
  const api = useApi(dialect, { tables, resources, authenticate })
  const listed = async (path: string) => (await api.get(path)).status

  test.each([
    ['nme', 'Did you mean "name"?'],
    ['Name', 'Did you mean "name"?'],
    ['naem', 'Did you mean "name"?'],
    ['q', 'Did you mean "search"?'],
    ['order_by', 'Did you mean "ordering"?'],
    ['pageSize', 'Did you mean "page_size"?'],
    ['name__inn', 'Did you mean "name__in"?'],
    ['name__lt', '"name" can be filtered by name, name__in, name__gt, name__ne, name__not_in.'],
    ['name__endswith', '"name" can be filtered by name, name__in, name__gt, name__ne, name__not_in.'],
    ['limit', 'This list is paged by page and page_size.'],
    ['cursor', 'This list is paged by page and page_size.'],
    [
      'colour',
      'Known parameters: name, name__in, name__gt, email__icontains, name__ne, name__not_in, or, search and 4 more.',
    ],
    [
      'constructor',
      'Known parameters: name, name__in, name__gt, email__icontains, name__ne, name__not_in, or, search and 4 more.',
    ],
  ])('%s: %s', async (name, hint) => {
    expectInvalid(await api.get(`/authors/?${name}=x`), refusal(name, hint))
  })

  test.each([
    ['limits', 'page', 'This list is paged by limit and offset.'],
    ['cursors', 'offset', 'This list is paged by cursor and page_size.'],
    ['letters', 'leter', 'Did you mean "letter"?'],
  ])('of the list %s, %s: %s', async (resource, name, hint) => {
    expectInvalid(await api.get(`/${resource}/?${name}=1`), refusal(name, hint))
  })

  const BELOW_ARTICLES =
    'articles__isnull, articles__title, articles__title__in, articles__title__icontains, articles__rating, ' +
    'articles__rating__gte, articles__rating__lte, articles__author__email and 4 more'
  const TITLE =
    'articles__title, articles__title__in, articles__title__icontains, articles__title__ne, articles__title__not_in'
  test.each([
    ['articles__views', `"articles" can be filtered by ${BELOW_ARTICLES}.`],
    ['articles__published_at', `"articles" can be filtered by ${BELOW_ARTICLES}.`],
    ['articles__editor__name__gte', `"articles" can be filtered by ${BELOW_ARTICLES}.`],
    ['articles__gte', '"articles" can be filtered by articles__isnull.'],
    ['articles__title__iso_week_day', `"articles__title" can be filtered by ${TITLE}.`],
    [
      'articles__author__name',
      '"articles__author" can be filtered by articles__author__email, articles__author__email__ne.',
    ],
    ['articles__titel', 'Did you mean "articles__title"?'],
  ])('%s, a path that is not declared: %s', async (name, hint) => {
    expectInvalid(await api.get(`/writers/?${name}=x`), refusal(name, hint))
  })

  test('all of a request are named at once', async () => {
    const errors = { ...refusal('nme', 'Did you mean "name"?'), ...refusal('pge', 'Did you mean "page"?') }
    expectInvalid(await api.get('/authors/?nme=x&pge=1'), errors)
  })

  test('and a long one is cut off', async () => {
    const { errors } = (await api.get(`/authors/?${'x'.repeat(5_000)}=1`)).envelope()
    expect(Object.values(errors ?? {})[0]?.[0]).toMatch(/^Unknown parameter "x{60}…"\./)
  })

  test('is let through if it begins with _, says who one is, or is sent without a name', async () => {
    for (const query of ['_=1700000000', '__cache=1', 'access_token=secret', '=', '&', '']) {
      expect([query, await listed(`/authors/?${query}`)]).toEqual([query, 200])
    }
    expect(await listed('/authors/?acces_token=x')).toBe(400)
  })

  test('is let through where the resource says so', async () => {
    expect(await listed('/odd/?nme=x')).toBe(200)
  })

  test('is let through to a custom action that declares none, and refused by one that declares some', async () => {
    expect((await api.get('/authors/open/?abuot=x')).envelope().data).toEqual({ abuot: 'x' })
    expect((await api.get('/authors/declared/?about=x')).envelope().data).toEqual({ about: 'x' })
    expectInvalid(await api.get('/authors/declared/?abuot=x'), refusal('abuot', 'Did you mean "about"?'))
  })

  test('is read by an action whose description names it', async () => {
    expect(await listed('/authors/1/?at=now')).toBe(404)
    expect(await listed('/authors/1/?ta=now')).toBe(400)
  })

  test('is refused behind the permissions', async () => {
    expect(await listed('/closed/?nme=x')).toBe(401)
  })

  describe('holds for what a body says, too', () => {
    const errorsOf = (response: TestResponse) => [response.status, response.envelope().errors]

    test('keys of an export', async () => {
      const fields = await api.post('/authors/export/', {
        file_type: 'csv',
        include: ['name'],
        fields: ['name'],
      })
      expect(errorsOf(fields)).toEqual([
        400,
        {
          ...refusal('include', 'Did you mean "includes"?'),
          ...refusal('fields', 'Did you mean "includes"?'),
        },
      ])
      const all = await api.post('/authors/export/', { filetype: 'csv' })
      expect(errorsOf(all)).toEqual([
        400,
        { file_type: ['This field is required.'], ...refusal('filetype', 'Did you mean "file_type"?') },
      ])
      expect((await api.post('/authors/export/', { file_type: 'csv', _: 1 })).status).toBe(200)
    })

    test('parts of an import and of a preview', async () => {
      const file = { name: 'file', filename: 'a.csv', content: 'name,email\r\nAnn,a@b.c\r\n' }
      const append = { name: 'append_data', value: 'true' }
      const sent = form(file, append, { name: 'dryrun', value: 'true' }, { ...file, name: 'fille' })
      expect(errorsOf(await api.post('/authors/import-from-file/', undefined, sent))).toEqual([
        400,
        { ...refusal('dryrun', 'Did you mean "dry_run"?'), ...refusal('fille', 'Did you mean "file"?') },
      ])
      const preview = form(file, { name: 'maping', value: '{}' })
      expect(errorsOf(await api.post('/authors/import-preview/', undefined, preview))).toEqual([
        400,
        refusal('maping', 'Did you mean "mapping"?'),
      ])
      expect((await api.get('/authors/')).envelope().count).toBe(0)
    })
  })
})

describeOneDialect('an API that ignores unknown parameters', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const config = {
    model: authors,
    serializer: BaseModelSerializer(authors, { fields: ['id', 'name'] }),
    permissionClasses: [AllowAny],
  }
  const api = useApi(dialect, {
    tables,
    resources: { loose: ReadOnlyViewSet(config), strict: ReadOnlyViewSet({ ...config, unknownParameters: 'refuse' }) },
    unknownParameters: 'ignore',
  })

  test('does so but for a resource that refuses them', async () => {
    expect((await api.get('/loose/?nme=x')).status).toBe(200)
    expect((await api.post('/loose/export/', { file_type: 'csv', fields: [] })).status).toBe(200)
    expect((await api.get('/strict/?nme=x')).status).toBe(400)
  })
})
