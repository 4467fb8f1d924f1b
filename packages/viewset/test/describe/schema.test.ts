import { sql } from 'drizzle-orm'
import {
  AllowAny,
  type ApiSchema,
  BaseModelSerializer,
  BaseViewSet,
  CreateModelMixin,
  compose,
  ExpressionField,
  IsAdminUser,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  importModel,
  ListModelMixin,
  type PermissionClass,
  PermissionDenied,
  ReadOnlyViewSet,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { endpointsOf } from '../../src/viewset/endpoints/endpoints.ts'
import type { AnyResourceClass } from '../../src/viewset/mixin.ts'
import { type Method, useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError, uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { models, users } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const WHO = [undefined, 'ann', 'eve'] as const

describeOneDialect('GET /schema/', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const { ArticleSerializer, AuthorSerializer, AuthorReference } = serializers(tables)
  const open = {
    model: authors,
    serializer: AuthorSerializer,
    permissionClasses: [AllowAny],
    searchFields: ['name'],
    filterFields: { name: ['exact', 'icontains'] },
    upsertFields: ['email'],
    importFileConfig: {
      fileFormat: ['xlsx', 'csv', 'xls'],
      order: ['authors'],
      models: { authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
    },
    actions: {
      touch: { method: 'POST', detail: true, handler: () => 'touched' },
      sweep: {
        method: 'POST',
        detail: false,
        permissionClasses: [IsAdminUser],
        input: z.object({ days: z.int() }),
        describes: { summary: 'Removes old authors.', deprecated: true },
        handler: () => 'swept',
      },
    },
  } as const
  const guarded = (...permissionClasses: readonly PermissionClass[]) => FullViewSet({ ...open, permissionClasses })

  class ByClass extends FullViewSet(open) {
    override async checkPermissions() {
      if (this.method === 'DELETE' && this.user === null) throw new PermissionDenied()
    }
  }
  class ByInitial extends FullViewSet(open) {
    override async initial() {
      await super.initial()
      if (this.action === 'list' && this.user === null) throw new PermissionDenied()
    }
  }
  class ByExportHook extends FullViewSet(open) {
    override async checkExportPermissions() {
      if (this.user === null) throw new PermissionDenied()
    }
  }
  /** Nobody but an admin sees more than names. */
  class BySerializer extends ReadOnlyViewSet({
    model: authors,
    serializer: AuthorSerializer,
    permissionClasses: [AllowAny],
  }) {
    override getSerializer() {
      return this.user?.roles?.includes('admin') ? super.getSerializer() : AuthorReference
    }
  }
  const ways = {
    everybody: guarded(AllowAny),
    members: guarded(IsAuthenticated),
    readers: guarded(IsAuthenticatedOrReadOnly),
    admins: guarded(IsAdminUser),
    'by-action': guarded(({ action, user }) => action === 'list' || user !== null),
    'by-files': FullViewSet({
      ...open,
      exportPermissionClasses: [IsAdminUser],
      importPermissionClasses: [IsAuthenticated],
    }),
    'by-class': ByClass,
    'by-initial': ByInitial,
    'by-export-hook': ByExportHook,
  }
  const api = useApi(dialect, {
    tables,
    users: { ...users, eve: { id: uuid(902), roles: ['admin'] } },
    settings: { COMMON: { BULK_OPERATION_BATCH_SIZE: 7, TIME_ZONE: 'Europe/Berlin' } },
    schema: true,
    openapi: true,
    resources: {
      ...ways,
      'by-serializer': BySerializer,
      'authors/:author/articles': compose(
        ListModelMixin,
        CreateModelMixin,
      )({
        model: tables.articles,
        serializer: ArticleSerializer,
        permissionClasses: [AllowAny],
        describes: { label: 'Articles of an author', description: 'Drafts, too.' },
      }),
    },
  })
  const schemaOf = async (as?: string) => (await api.get('/schema/', as === undefined ? {} : { as })).data<ApiSchema>()
  const resourceOf = async (name: string, as?: string) =>
    (await schemaOf(as)).resources.find(resource => resource.name === name)

  describe.each(Object.entries(ways))('of a resource that is guarded %s', (name, resource) => {
    const endpoints = endpointsOf(name, resource as unknown as AnyResourceClass)

    test.each(WHO)('names just the actions that are not refused to %s', async as => {
      const allowed: string[] = []
      for (const { method, path } of endpoints) {
        const address = path.replace(':id', uuid(999))
        const { status } = await api.request(method as Method, address, as === undefined ? {} : { as })
        if (status !== 401 && status !== 403) allowed.push(`${method} ${path.replace(':id', '{id}')}`)
      }
      const named = (await resourceOf(name, as))?.actions.map(({ method, path }) => `${method} ${path}`) ?? []
      expect(named).toEqual(allowed)
    })
  })

  test('says who the user is, and what the limits are', async () => {
    expect(await schemaOf('eve')).toMatchObject({
      user: { id: uuid(902), roles: ['admin'] },
      limits: { bulk_items: 7, import_file_size: 50 * 1024 ** 2, time_zone: 'Europe/Berlin' },
    })
    expect((await schemaOf()).user).toBeNull()
  })

  test('is kept by no proxy', async () => {
    expect((await api.get('/schema/')).headers['cache-control']).toBe('private, no-cache')
  })

  test('knows bad credentials', async () => {
    expectError(await api.get('/schema/', { as: 'nobody' }), 401, 'The token is not valid.')
  })

  test('leaves out a resource of which the user may do nothing', async () => {
    const names = async (as?: string) => (await schemaOf(as)).resources.map(({ name }) => name)
    expect(await names()).not.toContain('admins')
    expect(await names('eve')).toContain('admins')
  })

  test('shows the fields of the serializer that the user has', async () => {
    const fields = async (as?: string) => (await resourceOf('by-serializer', as))?.fields.map(({ name }) => name)
    expect(await fields()).toEqual(AuthorReference.fields.map(({ wire }) => wire))
    expect(await fields('eve')).toEqual(AuthorSerializer.fields.map(({ wire }) => wire))
  })

  test('describes fields, and where the records of a relation are listed', async () => {
    const fields = (await resourceOf('authors/:author/articles'))?.fields ?? []
    expect(fields.find(({ name }) => name === 'title')).toMatchObject({
      label: 'Title',
      kind: 'text',
      readable: true,
      writable: true,
      required: true,
      nullable: false,
      input: { type: 'string' },
      relation: null,
    })
    const relations = fields.flatMap(({ relation }) => relation ?? [])
    expect(relations).not.toEqual([])
    for (const relation of relations) expect(relation).toMatchObject({ resource: 'everybody', key: 'id', many: false })
  })

  test('describes an action of the resource itself, with what it takes', async () => {
    const actions = (await resourceOf('everybody', 'eve'))?.actions ?? []
    expect(actions.find(({ name }) => name === 'sweep')).toEqual({
      name: 'sweep',
      method: 'POST',
      path: '/everybody/sweep/',
      detail: false,
      custom: true,
      summary: 'Removes old authors.',
      deprecated: true,
      input: expect.objectContaining({ properties: { days: expect.objectContaining({ type: 'integer' }) } }),
    })
    expect(actions.find(({ name }) => name === 'touch')).toMatchObject({ detail: true, custom: true, input: null })
  })

  test('names what a list can be asked for, and by which lookup', async () => {
    const query = (await resourceOf('everybody'))?.query ?? []
    expect(query.map(({ name, purpose, field, lookup }) => [name, purpose, field, lookup])).toEqual([
      ['paginated', 'page', null, null],
      ['page', 'page', null, null],
      ['page_size', 'page', null, null],
      ['name', 'filter', 'name', 'exact'],
      ['name__icontains', 'filter', 'name', 'icontains'],
      ['name__ne', 'filter', 'name', 'ne'],
      ['or', 'filter', null, null],
      ['search', 'search', null, null],
      ['ordering', 'ordering', null, null],
    ])
  })

  test('describes the files of exports and imports to those who may have them', async () => {
    const everybody = await resourceOf('everybody')
    expect(everybody?.export).toMatchObject({
      formats: ['csv', 'xlsx', 'pdf'],
      columns: expect.arrayContaining([{ name: 'name', header: 'Name' }]),
    })
    expect(everybody?.import).toEqual({
      formats: ['xlsx', 'csv', 'xls'],
      template_formats: ['xlsx', 'csv'],
      models: [
        {
          name: 'authors',
          columns: [
            { header: 'name', field: 'name', required: true },
            { header: 'email', field: 'email', required: false },
          ],
          unique_fields: ['email'],
        },
      ],
    })
    expect(await resourceOf('by-files')).toMatchObject({ export: null, import: null })
    expect(await resourceOf('by-files', 'ann')).toMatchObject({ export: null, import: {} })
  })

  test('a resource below another one has the path of its records', async () => {
    expect(await resourceOf('authors/:author/articles')).toMatchObject({
      path: '/authors/{author}/articles/',
      label: 'Articles of an author',
      description: 'Drafts, too.',
    })
  })

  test('is what the document says that it is', async () => {
    const document = (await api.get('/openapi.json')).envelope() as unknown as {
      readonly paths: Readonly<Record<string, unknown>>
      readonly components: { readonly schemas: Readonly<Record<string, object>> }
    }
    expect(document.paths['/schema/']).toBeDefined()
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(['ApiSchema', 'ResourceSchema']))
  })

  test('asks no database, and no permission twice', async () => {
    expect(await api.statementsOf(() => api.get('/schema/', { as: 'ann' }))).toEqual([])
  })
})

describeOneDialect('GET /schema/ is not misled', dialect => {
  const tables = models(dialect.kit)
  const { articles, authors } = tables
  const { ArticleSerializer, AuthorSerializer } = serializers(tables)
  const common = { model: authors, serializer: AuthorSerializer, permissionClasses: [AllowAny] }
  const api = useApi(dialect, {
    tables,
    users,
    schema: true,
    openapi: true,
    resources: {
      authors: FullViewSet({
        ...common,
        upsertFields: ['email'],
        exportPermissionClasses: [IsAuthenticated],
        importFileConfig: {
          fileFormat: 'csv',
          order: ['authors'],
          models: { authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
        },
      }),
      'editors/:editor/authors': ReadOnlyViewSet(common),
      'shelves/:id/articles': compose(
        ListModelMixin,
        CreateModelMixin,
      )({ model: articles, serializer: ArticleSerializer, permissionClasses: [IsAuthenticatedOrReadOnly] }),
      'shelves/:id/authors': compose(ListModelMixin)({
        ...common,
        serializer: BaseModelSerializer(authors, {
          fields: ['name'],
          extra: { initial: ExpressionField({ expression: sql`upper(${authors.name})`, type: 'text' }) },
        }),
      }),
    },
  })
  const resourceOf = async (name: string) =>
    (await api.get('/schema/')).data<ApiSchema>().resources.find(resource => resource.name === name)

  test('by an export that the user may not have, of a list that the user may read', async () => {
    const { export: files, query = [] } = (await resourceOf('authors')) ?? {}
    expect(files).toBeNull()
    expect(query.map(({ name }) => name)).toContain('ordering')
  })

  test('by another record above whose part of the path is called :id', async () => {
    expect((await resourceOf('shelves/:id/articles'))?.actions.map(({ detail }) => detail)).toEqual([false])
    const { paths } = (await api.get('/openapi.json')).envelope() as unknown as {
      readonly paths: Readonly<Record<string, { readonly get: { readonly parameters: readonly unknown[] } }>>
    }
    expect(paths['/shelves/{id}/articles/']?.get.parameters[0]).toEqual({
      name: 'id',
      in: 'path',
      required: true,
      description: 'The `id` in the address.',
      schema: { type: 'string' },
    })
  })

  test('by a value of an expression, which may be null', async () => {
    const fields = (await resourceOf('shelves/:id/authors'))?.fields ?? []
    expect(fields.map(({ name, nullable }) => [name, nullable])).toEqual([
      ['name', false],
      ['initial', true],
    ])
  })
})

describeOneDialect('GET /schema/ of an API that lists a model below a record only', dialect => {
  const tables = models(dialect.kit)
  const { ArticleSerializer, AuthorSerializer } = serializers(tables)
  const api = useApi(dialect, {
    tables,
    schema: true,
    resources: {
      'shelves/:shelf/authors': ReadOnlyViewSet({
        model: tables.authors,
        serializer: AuthorSerializer,
        permissionClasses: [AllowAny],
      }),
      articles: ReadOnlyViewSet({
        model: tables.articles,
        serializer: ArticleSerializer,
        permissionClasses: [AllowAny],
      }),
    },
  })

  test('sends nobody there for the records of a relation', async () => {
    const { resources: all } = (await api.get('/schema/')).data<ApiSchema>()
    const relations = all.flatMap(({ fields }) => fields.flatMap(({ relation }) => relation ?? []))
    expect(relations.map(({ resource }) => resource)).toEqual([null, null])
  })
})

describeOneDialect('the options of a description', dialect => {
  const tables = models(dialect.kit)
  const resource = BaseViewSet({
    model: tables.authors,
    serializer: serializers(tables).AuthorReference,
    permissionClasses: [AllowAny],
  })
  const api = useApi(dialect, {
    tables,
    users,
    schema: { permissionClasses: [IsAuthenticated] },
    openapi: { permissionClasses: [IsAuthenticated] },
    resources: { authors: resource },
  })

  test.each(['/schema/', '/openapi.json'])('%s is there for those whom its permissions let in', async path => {
    expectError(await api.get(path), 401, 'Authentication credentials were not provided.')
    expect((await api.get(path, { as: 'ann' })).status).toBe(200)
  })
})
