import Fastify from 'fastify'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  CursorPagination,
  ImportableViewSet,
  importModel,
  type OpenApiDocument,
  type OpenApiOptions,
  ReadOnlyViewSet,
} from 'viewset'
import { type ResourcesOptions, resources, serverOptions } from 'viewset/fastify'
import { kit } from 'viewset/sqlite'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { DescribedApi } from '../support/described-api.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { models } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const tables = models(kit)
const { AuthorReference } = serializers(tables)
const common = { model: tables.authors, serializer: AuthorReference, permissionClasses: [AllowAny] }

interface JsonResponse {
  readonly content: Readonly<Record<string, { readonly schema: Readonly<Record<string, unknown>> }>>
}

describe('the document of an API', () => {
  let store: TestDatabase
  beforeAll(async () => {
    store = await createTestDatabase()
  })
  afterAll(() => store.drop())

  async function served(options: Partial<ResourcesOptions>) {
    const app = Fastify({ ...serverOptions, logger: { level: 'silent' } })
    await app.register(resources, {
      prefix: '/api',
      database: store.database,
      resources: { authors: BaseViewSet(common) },
      openapi: true,
      ...options,
    })
    return app
  }
  const documentOf = async (options: Partial<ResourcesOptions>): Promise<OpenApiDocument> =>
    (await (await served(options)).inject('/api/openapi.json')).json()
  const changed = (openapi: OpenApiOptions) => documentOf({ openapi })

  test('has a title and a version, also where a variable of the environment is not set', async () => {
    const info = { title: undefined, version: process.env.NOT_SET, description: 'Books.' } as object
    expect((await changed({ info })).info).toEqual({ title: 'API', version: '1.0.0', description: 'Books.' })
  })

  test('has the servers that a change returns, once', async () => {
    const servers = [{ url: 'https://api.example.org' }]
    const app = await served({ openapi: { change: document => ({ ...document, servers }) } })
    const { body } = await app.inject('/api/openapi.json')
    expect(JSON.parse(body).servers).toEqual(servers)
    expect(body.match(/"servers":/g)).toHaveLength(1)
  })

  test('is made anew where it could not be made before', async () => {
    allowUndescribed(/texts are not there/, 'its document cannot be made either')
    let isReady = false
    const app = await served({
      openapi: {
        change: document => {
          if (!isReady) throw new Error('The texts are not there yet.')
          return document
        },
      },
    })
    expect((await app.inject('/api/openapi.json')).statusCode).toBe(500)
    isReady = true
    expect((await app.inject('/api/openapi.json')).statusCode).toBe(200)
  })

  test('closes every envelope, and gives the keys of a page their types, also where a list may come whole', async () => {
    const document = await documentOf({
      resources: {
        pages: ReadOnlyViewSet(common),
        cursors: ReadOnlyViewSet({ ...common, paginationClass: CursorPagination }),
        always: ReadOnlyViewSet({ ...common, allowUnpaginated: false }),
        whole: ReadOnlyViewSet({ ...common, paginationClass: null }),
      },
    })
    const described = DescribedApi.of(document)
    const envelope = { success: true, timestamp: '2026-01-01T00:00:00.000000Z', message: '', data: [] }
    const links = { next: null, previous: null }
    const counted = { ...envelope, count: 0, ...links }
    const errorsOf = (route: string, status: number, body: object) => {
      const operation = described.operationAt('GET', route)!
      return operation.errorsOf(operation.response(status)!.schemaOf('application/json'), body)
    }
    for (const route of ['/pages/', '/whole/']) {
      for (const right of [envelope, counted]) expect(errorsOf(route, 200, right)).toBeUndefined()
      const wrong = [{ count: 'x' }, { count: -1 }, { count: null }, { next: 5 }, { other: 1 }, { errors: {} }]
      for (const keys of wrong) expect(errorsOf(route, 200, { ...counted, ...keys })).toBeDefined()
      // A page has all of its keys.
      for (const part of [{ count: 0 }, links]) expect(errorsOf(route, 200, { ...envelope, ...part })).toBeDefined()
    }
    expect(errorsOf('/cursors/', 200, { ...envelope, ...links })).toBeUndefined()
    expect(errorsOf('/cursors/', 200, counted)).toBeDefined()
    expect(errorsOf('/always/', 200, counted)).toBeUndefined()
    expect(errorsOf('/always/', 200, envelope)).toBeDefined()

    const refused = { ...envelope, success: false, data: null }
    expect(errorsOf('/pages/:id/', 404, refused)).toBeUndefined()
    expect(errorsOf('/pages/:id/', 404, { ...refused, other: 1 })).toBeDefined()
    expect(errorsOf('/pages/', 400, { ...refused, errors: {} })).toBeUndefined()
    expect(errorsOf('/pages/', 400, { ...refused, errors: {}, other: 1 })).toBeDefined()
  })

  test('leaves the envelope of an action open that says nothing of its data, and takes further keys from a description', async () => {
    const meta = { type: 'object' }
    const action = { method: 'GET', detail: false, handler: () => 1 } as const
    const document = await documentOf({
      resources: {
        authors: ReadOnlyViewSet({
          ...common,
          actions: { some: action, told: { ...action, output: z.number(), describes: { extra: { meta } } } },
          describes: { actions: { list: { extra: { meta } } } },
        }),
      },
    })
    const schemaOf = (path: string) => {
      const operation = document.paths[path]?.get as
        | { readonly responses: Readonly<Record<number, JsonResponse>> }
        | undefined
      const { schema } = operation?.responses[200]?.content['application/json'] ?? {}
      const name = typeof schema?.$ref === 'string' ? schema.$ref.replace('#/components/schemas/', '') : ''
      return document.components.schemas?.[name] ?? schema
    }
    expect(schemaOf('/authors/some/')).not.toMatchObject({ additionalProperties: false })
    const closed = { additionalProperties: false, properties: { meta }, required: expect.arrayContaining(['meta']) }
    expect(schemaOf('/authors/told/')).toMatchObject(closed)
    expect(schemaOf('/authors/')).toMatchObject(closed)
  })

  test('names envelopes by their records, and folds the refusals that operations share', async () => {
    const { paths, components } = await documentOf({
      openapi: { errors: { 429: 'Too many requests.' } },
      resources: {
        authors: BaseViewSet({
          ...common,
          describes: { actions: { create: { errors: { 409: 'The name is taken.' } } } },
        }),
      },
    })
    const responses = (path: string, method: string) =>
      (paths[path]?.[method] as { readonly responses: Readonly<Record<number, object>> } | undefined)?.responses ?? {}
    const json = (name: string) => ({
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
    })
    const shared = (name: string) => ({ $ref: `#/components/responses/${name}` })
    expect(responses('/authors/', 'get')).toMatchObject({
      200: json('AuthorPage'),
      404: shared('NotFound'),
      429: shared('TooManyRequests'),
    })
    expect(responses('/authors/{id}/', 'get')).toMatchObject({ 200: json('AuthorResponse') })
    expect(responses('/authors/', 'post')).toMatchObject({
      201: json('AuthorResponse'),
      400: shared('BadRequest'),
      409: { description: 'The name is taken.' },
    })
    expect(components.responses?.TooManyRequests).toMatchObject({ description: 'Too many requests.' })
    expect(Object.keys(components.responses ?? {})).not.toContain('Forbidden')
  })

  test('has each tag once, also that of a resource with the name of its own', async () => {
    const { tags } = await documentOf({ resources: { api: BaseViewSet(common) } })
    expect(tags.map(({ name }) => name)).toEqual(['api'])
  })

  test('has a body that need not be sent where the input of an action is optional', async () => {
    const input = z.object({ why: z.string() })
    const action = { method: 'POST', detail: false, handler: () => null } as const
    const authors = BaseViewSet({
      ...common,
      actions: { close: { ...action, input: input.optional() }, open: { ...action, input } },
    })
    const { paths } = await documentOf({ resources: { authors } })
    expect(paths['/authors/close/']?.post?.requestBody).toMatchObject({ required: false })
    expect(paths['/authors/open/']?.post?.requestBody).toMatchObject({ required: true })
    const app = await served({ resources: { authors } })
    expect((await app.inject({ method: 'POST', url: '/api/authors/close/' })).statusCode).toBe(200)
  })

  test('says null where an action may answer nothing', async () => {
    const output = z.object({ why: z.string() })
    const action = { method: 'POST', detail: false } as const
    const authors = BaseViewSet({
      ...common,
      actions: {
        find: { ...action, output: output.optional(), handler: () => undefined },
        ask: { ...action, output, handler: () => ({ why: 'So.' }) },
      },
    })
    const app = await served({ resources: { authors } })
    // Each answer is held to the document as well.
    expect((await app.inject({ method: 'POST', url: '/api/authors/find/' })).json().data).toBeNull()
    expect((await app.inject({ method: 'POST', url: '/api/authors/ask/' })).json().data).toEqual({ why: 'So.' })
  })

  test('is not stopped by what a function of an action does with nothing', async () => {
    const words = z.any().transform((text: string) => text.split(' '))
    const action = { method: 'POST', detail: false, handler: () => 'a b' } as const
    const authors = BaseViewSet({ ...common, actions: { split: { ...action, input: words, output: words } } })
    const { paths } = await documentOf({ resources: { authors } })
    expect(paths['/authors/split/']?.post?.requestBody).toMatchObject({ required: true })
  })

  test('has no query parameter that Swagger UI takes for a file', async () => {
    const config = { model: tables.authors, fields: ['name', 'email'], uniqueFields: ['email'] } as const
    const models = { authors: importModel(config) }
    const importFileConfig = { fileFormat: 'csv', order: ['authors'], models } as const
    const { paths } = await documentOf({ resources: { authors: ImportableViewSet({ ...common, importFileConfig }) } })
    const parameters = Object.values(paths).flatMap(({ post }) => post?.parameters ?? [])
    const mapping = {
      name: 'mapping',
      in: 'query',
      description: expect.stringMatching(/Written as JSON: \{"Name": "name"\}\.$/),
      schema: { type: 'string' },
    }
    expect(parameters).toContainEqual(mapping)
    expect(JSON.stringify(parameters)).not.toContain('contentMediaType')
  })

  test('says which parameters a request needs', async () => {
    const query = { day: { type: 'string', format: 'date', required: true }, zone: { type: 'string' } } as const
    const authors = BaseViewSet({
      ...common,
      actions: { born: { method: 'GET', detail: false, describes: { query }, handler: () => [] } },
    })
    const { paths } = await documentOf({ resources: { authors } })
    expect(paths['/authors/born/']?.get?.parameters).toEqual([
      { name: 'day', in: 'query', required: true, schema: { type: 'string', format: 'date' } },
      { name: 'zone', in: 'query', schema: { type: 'string' } },
    ])
  })

  test('has the parts of a path as the router knows them', async () => {
    const go = (path: string) => ({ method: 'GET', detail: false, path, handler: () => null }) as const
    const actions = {
      a: go('by-date/:year-:month'),
      b: go('by-number/:number(^\\d{1,3})'),
      c: go('files/:name.csv'),
      d: go('all::publish'),
    }
    const app = await served({ resources: { authors: ReadOnlyViewSet({ ...common, actions }) } })
    const { paths } = (await app.inject('/api/openapi.json')).json() as OpenApiDocument
    const known = {
      '/authors/by-date/{year}-{month}/': '/authors/by-date/2026-11/',
      '/authors/by-number/{number}/': '/authors/by-number/12/',
      '/authors/files/{name}.csv': '/authors/files/all.csv',
      '/authors/all:publish/': '/authors/all:publish/',
    }
    for (const [template, address] of Object.entries(known)) {
      const parts = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true }))
      expect([template, paths[template]?.get?.parameters ?? []]).toMatchObject([template, parts])
      expect((await app.inject(`/api${address}`)).statusCode).toBe(200)
    }
  })

  test('keeps what an action says where a change is undefined', async () => {
    const authors = BaseViewSet({ ...common, describes: { actions: { create: { summary: undefined } as object } } })
    const { paths } = await documentOf({ resources: { authors } })
    expect(paths['/authors/']?.post).toMatchObject({ summary: 'Create an author' })
  })

  test('names the records of a table that is called as its own components are', async () => {
    const errors = kit.table('errors', { id: kit.integer().primaryKey() })
    const serializer = BaseModelSerializer(errors, { fields: ['id'] })
    const { components } = await documentOf({
      resources: { errors: BaseViewSet({ ...common, model: errors, serializer }) },
    })
    expect(Object.keys(components.schemas ?? {})).toContain('ErrorsError')
  })

  test('shows what the serializer of each action shows, and what somebody unknown gets', async () => {
    const full = serializers(tables).AuthorSerializer
    class Authors extends BaseViewSet({ ...common, serializer: full }) {
      override getSerializer() {
        return this.action === 'list' ? AuthorReference : super.getSerializer()
      }
    }
    class Masked extends ReadOnlyViewSet({ ...common, serializer: full }) {
      override getSerializer() {
        return this.user?.roles?.includes('admin') ? super.getSerializer() : AuthorReference
      }
    }
    class Asking extends ReadOnlyViewSet({ ...common, serializer: full }) {
      override getSerializer() {
        return String(this.user?.id).length > Number(this.request.params.id?.length) ? AuthorReference : full
      }
    }
    const document = await documentOf({ resources: { authors: Authors, masked: Masked, asking: Asking } })
    const fieldsOf = (path: string) => {
      const data = JSON.stringify(document.paths[path]?.get?.responses)
      const [, name = ''] = /"#\/components\/schemas\/(\w+)(?:Page|Response)"/.exec(data) ?? []
      return Object.keys((document.components.schemas?.[name]?.properties ?? {}) as object)
    }
    expect(fieldsOf('/authors/')).toEqual(['id', 'name'])
    expect(fieldsOf('/authors/{id}/')).toEqual(['id', 'name', 'email'])
    expect(fieldsOf('/masked/{id}/')).toEqual(['id', 'name'])
    expect(fieldsOf('/asking/{id}/')).toEqual(['id', 'name', 'email'])
  })

  test('says that a body and a record are one of the declared serializers', async () => {
    const full = serializers(tables).AuthorSerializer
    const Reduced = BaseModelSerializer(tables.authors, { name: 'PublicAuthor', fields: ['id', 'name'] })
    class Authors extends BaseViewSet({ ...common, serializer: full, serializers: [full, Reduced] }) {
      override getSerializer() {
        return this.user?.roles?.includes('admin') ? full : Reduced
      }
    }
    const { paths, components } = await documentOf({ resources: { authors: Authors } })
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    const { get, patch } = paths['/authors/{id}/'] ?? {}
    expect(patch?.requestBody).toMatchObject({
      content: { 'application/json': { schema: { anyOf: [ref('PublicAuthorPatch'), ref('AuthorPatch')] } } },
    })
    expect(JSON.stringify(get?.responses)).toContain(
      `"data":${JSON.stringify({ anyOf: [ref('PublicAuthor'), ref('Author')] })}`,
    )
    const lists = JSON.stringify(paths['/authors/']?.get?.responses)
    expect([lists.includes(ref('PublicAuthor').$ref), lists.includes(ref('Author').$ref)]).toEqual([true, true])
    expect(Object.keys(components.schemas?.PublicAuthor?.properties as object)).toEqual(['id', 'name'])
  })

  test('says of what Zod calls readonly what it is, and not that nobody may send it', async () => {
    const things = kit.table('things', { id: kit.uuid().primaryKey(), tags: kit.json() })
    const names = z.array(z.string()).readonly()
    const serializer = BaseModelSerializer(things, { fields: ['id', 'tags'], refine: { tags: names } })
    const actions = { tag: { method: 'POST', detail: false, input: names, handler: () => null } } as const
    const { components, paths } = await documentOf({
      resources: { things: BaseViewSet({ ...common, model: things, serializer, actions }) },
    })
    const tags = { type: ['array', 'null'], items: { type: 'string' } }
    expect(components.schemas?.ThingPatch?.properties).toEqual({ tags })
    expect(JSON.stringify([components, paths])).not.toContain('readOnly')
  })
})
