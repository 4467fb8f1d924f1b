import { eq, sql } from 'drizzle-orm'
import * as viewset from 'viewset'
import { AllowAny, BaseModelSerializer, importModel, type Model, type ModelRecord, QuerySet } from 'viewset'
import { expect, test } from 'vitest'
import { endpointsOf } from '../../src/viewset/endpoints/endpoints.ts'
import type { AnyResourceClass, Mixin } from '../../src/viewset/mixin.ts'
import { TenantMixin } from '../extensions/tenant-mixin.ts'
import { type RequestOptions, type TestResponse, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { importForm } from '../support/multipart.ts'

type Factory = ((config: object) => AnyResourceClass) &
  Pick<AnyResourceClass, 'mixins'> & { add(mixin: Mixin): Factory }

/** Every class that the package exports: a new one is tested as soon as it is there. */
const factories = Object.entries(viewset).flatMap(([name, value]) =>
  // What their types say depends on the model; here each is called in the same way.
  name.endsWith('ViewSet') && typeof value === 'function' && 'mixins' in value
    ? [[name, value as unknown as Factory] as const]
    : [],
)
const users = { ann: { id: 'tenant-a' }, mallory: { id: 'tenant-b' } }
const secret = 'secret of tenant-a'

/** What the wrong tenant asks of each action, and what the answer must be. An action without a line fails the test. */
interface Attack {
  readonly request: RequestOptions
  readonly expected: (response: TestResponse) => void
}
const notFound = (response: TestResponse) =>
  expectError(response, 404, 'There is no such record, or you may not see it.')
const nothingDeleted = (response: TestResponse) =>
  expectSuccess(response, 200, { data: { requested_count: 1, count: 0, missing_ids: [uuid(1)] } })
const attacks: Readonly<Record<string, Attack>> = {
  list: { request: {}, expected: response => expectSuccess(response, 200, { count: 0, data: [] }) },
  retrieve: { request: {}, expected: notFound },
  update: { request: { body: { name: 'Mallory', createdBy: 'tenant-b', created_by: 'tenant-b' } }, expected: notFound },
  destroy: { request: {}, expected: notFound },
  touch: { request: {}, expected: notFound },
  count: { request: {}, expected: response => expectSuccess(response, 200, { data: 0 }) },
  // Whoever creates, creates his own.
  create: {
    request: { body: { name: 'Mallory', created_by: 'tenant-a' } },
    expected: response => expect(response.status).toBe(201),
  },
  bulkCreate: {
    request: { body: [{ name: 'Mallory', created_by: 'tenant-a' }] },
    expected: response => expect(response.status).toBe(201),
  },
  bulkUpdate: {
    request: { body: [{ id: uuid(1), name: 'Mallory', created_by: 'tenant-b' }] },
    expected: response => expectInvalid(response, { '0.id': [`There is no author with the id "${uuid(1)}".`] }),
  },
  bulkDelete: { request: { body: [uuid(1)] }, expected: nothingDeleted },
  bulkSoftDelete: { request: { body: [uuid(1)] }, expected: nothingDeleted },
  // A header, and no row below it.
  export: {
    request: { body: { file_type: 'csv' } },
    expected: response =>
      expect([response.status, response.text.split('\r\n')]).toEqual([200, [expect.any(String), '']]),
  },
  // A row that would update the record of another, whose e-mail address nobody else can have.
  importFile: {
    request: importForm(`name,email\nMallory,${secret}\n`),
    expected: response => {
      expect(response.status).toBe(207)
      expect(response.data()).toMatchObject({ failed: 1, created: 0, updated: 0 })
    },
  },
  // What the file says itself, whoever else is stored.
  importPreview: {
    request: importForm('name,email\nAda,mallory@example.org\n'),
    expected: response => expect(response.status).toBe(200),
  },
  importTemplate: { request: {}, expected: response => expect(response.status).toBe(200) },
}

describeDialects('the wrong tenant', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const serializer = BaseModelSerializer(authors, { fields: ['id', 'name', 'email', 'createdBy'] })
  const config = {
    model: authors,
    serializer,
    permissionClasses: [AllowAny],
    queryset: (view: { readonly user: viewset.User | null }) => eq(authors.createdBy, String(view.user?.id)),
    actions: {
      count: {
        method: 'GET',
        detail: false,
        handler: async (view: { getQueryset(): Promise<QuerySet> }) => (await view.getQueryset()).count(),
      },
      touch: {
        method: 'POST',
        detail: true,
        handler: async (view: { getObject(): Promise<ModelRecord<Model>> }) => (await view.getObject()).getJson(),
      },
    },
  } as const
  const listed = {
    filterFields: { name: ['exact', 'icontains', 'startswith', 'in'], createdBy: ['exact', 'isnull'] },
    searchFields: ['name', 'email'],
    computedOrderingFields: { length: sql`length(${authors.name})` },
  } as const
  const imported = {
    importFileConfig: {
      fileFormat: 'csv',
      order: ['authors'],
      models: { authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
    },
  } as const
  const resources = Object.fromEntries(
    factories.flatMap(([name, factory]) => {
      const has = (mixin: string) => factory.mixins.some(candidate => candidate.name === mixin)
      const { queryset, ...others } = {
        ...config,
        ...(has('ListModelMixin') && listed),
        ...(has('FileImportMixin') && imported),
      }
      const ofMixin = { ...others, tenantField: 'createdBy' }
      /** Lets everything pass: the scope of the mixin holds all the same. */
      class Forgetting extends factory.add(TenantMixin)(ofMixin) {
        override async getQueryset() {
          return QuerySet.of(api.database, authors)
        }
      }
      return [
        [name, factory({ ...others, queryset })],
        [`${name}-by-mixin`, factory.add(TenantMixin)(ofMixin)],
        [`${name}-without-super`, Forgetting],
      ] as const
    }),
  )
  const api = useApi(dialect, { tables, users, resources })
  const seedAuthors = () =>
    seed(api.database, tables, {
      authors: [{ id: uuid(1), name: 'Ada', email: secret, createdBy: 'tenant-a' }],
    })

  test('there are classes to test', () => {
    expect(factories.map(([name]) => name)).toEqual(
      expect.arrayContaining(['BaseViewSet', 'ReadOnlyViewSet', 'CreateListViewSet']),
    )
  })

  const endpoints = Object.entries(resources).flatMap(([name, resource]) => endpointsOf(name, resource))

  test.each(endpoints.map(({ method, path, action }) => [method, path, action] as const))(
    "another tenant's record on %s %s",
    async (method, path, action) => {
      await seedAuthors()
      const stored = () => api.rows('authors').then(rows => rows.filter(row => row.includes(uuid(1))))
      const before = await stored()
      const attack = attacks[action]
      if (!attack)
        throw new Error(`Say in "attacks" what the wrong tenant asks of "${action}", and what the answer must be.`)
      const response = await api.request(method, path.replace(':id', uuid(1)), { ...attack.request, as: 'mallory' })
      attack.expected(response)
      // Groups of errors quote cells of the client's own file.
      expect(response.text.replace(/"examples":\[[^\]]*\]/g, '')).not.toContain(secret)
      expect(await stored()).toEqual(before)
      const others = (await api.rows('authors')).filter(row => !row.includes(uuid(1)))
      expect(others.flat()).not.toContain('tenant-a')
    },
  )

  const lists = endpoints.filter(({ action }) => action === 'list').map(({ path }) => path)

  test.each(
    lists.flatMap(path =>
      [
        'paginated=false',
        'name=Ada',
        'name__icontains=a',
        'name__in=Ada',
        'created_by=tenant-a',
        'created_by__isnull=false',
        'search=secret',
        'ordering=-length',
        'page_size=100',
      ].map(query => `${path}?${query}`),
    ),
  )('learns nothing from %s', async url => {
    await seedAuthors()
    const response = await api.get(url, { as: 'mallory' })
    expectSuccess(response, 200, url.includes('paginated') ? { data: [] } : { count: 0, data: [] })
    expect((await api.get(url, { as: 'ann' })).data<unknown[]>()).toHaveLength(1)
  })
})
