import Fastify, { type RouteOptions } from 'fastify'
import {
  AllowAny,
  ApiError,
  BaseViewSet,
  BulkOnlyViewSet,
  CreateModelMixin,
  compose,
  IsAdminUser,
  IsAuthenticated,
  NotFound,
  ReadOnlyViewSet,
} from 'viewset'
import { resources as plugin, serverOptions } from 'viewset/fastify'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { expectError, expectNotAllowed, expectSuccess } from '../support/expect.ts'
import { models, users } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

/** No database is asked here, so one is enough. */
const tables = models(sqliteDialect.kit)
const authors = { model: tables.authors, serializer: serializers(tables).AuthorReference }
const open = { ...authors, permissionClasses: [AllowAny] }

class Hidden extends ReadOnlyViewSet(open) {
  override async checkPermissions(): Promise<void> {
    throw new NotFound()
  }
}
class Broken extends ReadOnlyViewSet(open) {
  override async checkPermissions(): Promise<void> {
    throw new Error('the switch is stuck')
  }
}
class Away extends ReadOnlyViewSet(open) {
  override async checkPermissions(): Promise<void> {
    throw new ApiError(503, 'away', 'Not now.')
  }
}
const resources = {
  authors: BaseViewSet(open),
  members: BaseViewSet({ ...authors, permissionClasses: [IsAuthenticated] }),
  'admin/authors': BaseViewSet({ ...authors, permissionClasses: [IsAdminUser] }),
  hidden: Hidden,
  inbox: compose(CreateModelMixin)(open),
  batches: BulkOnlyViewSet(open),
}
const entry = (name: string, base = 'http://localhost:80/api/') => ({ name, url: `${base}${name}/` })

describe('the root of an API', () => {
  const api = useApi(sqliteDialect, { tables, users: { ...users, eve: { id: 'eve', roles: ['admin'] } }, resources })

  test('lists the resources that the user may list, with their addresses', async () => {
    expectSuccess(await api.get('/'), 200, { data: [entry('authors')] })
    expectSuccess(await api.get('/', { as: 'ann' }), 200, { data: [entry('authors'), entry('members')] })
    expectSuccess(await api.get('/', { as: 'eve' }), 200, {
      data: [entry('authors'), entry('members'), entry('admin/authors')],
    })
  })

  test('leads to the resources', async () => {
    for (const { url } of (await api.get('/', { as: 'eve' })).data<{ url: string }[]>()) {
      expect((await api.get(new URL(url).pathname.slice('/api'.length), { as: 'eve' })).status).toBe(200)
    }
  })

  test('is the same with and without a slash, and with a query', async () => {
    for (const path of ['', '?x=1', '/?x=1']) expectSuccess(await api.get(path), 200, { data: [entry('authors')] })
  })

  test('knows bad credentials', async () => {
    expectError(await api.get('/', { as: 'nobody' }), 401, 'The token is not valid.')
  })

  test('asks no database', async () => {
    expect(await api.statementsOf(() => api.get('/', { as: 'ann' }))).toEqual([])
  })

  test('answers HEAD and OPTIONS, and refuses all else with 405', async () => {
    const head = await api.request('HEAD', '/')
    expect([head.status, head.text]).toEqual([200, ''])
    const options = await api.request('OPTIONS', '/')
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS'])
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const response = await api.request(method, '/')
      expectNotAllowed(response, method)
      expect(response.headers.allow).toBe('GET, HEAD, OPTIONS')
    }
    const rare = await api.request('PROPFIND' as 'GET', '/')
    expect([rare.status, rare.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  test.each([
    ['that is broken', Broken, 500],
    ['that cannot answer now', Away, 503],
  ])('a permission %s is not taken for a no', async (_, resource, status) => {
    const app = Fastify(serverOptions)
    await app.register(plugin, { database: api.database, resources: { resource } })
    expect((await app.inject('/')).statusCode).toBe(status)
    await app.close()
  })

  describe.each([
    ['with serverOptions', serverOptions],
    ['with a plain Fastify', {}],
  ])('%s', (_, options) => {
    test.each([
      [undefined, ['/']],
      ['', ['/']],
      ['/', ['/']],
      ['/api', ['/api', '/api/']],
      ['/api/', ['/api/']],
      ['/:tenant/api', ['/acme/api', '/acme/api/']],
    ])('prefix %j: GET %j', async (prefix, paths) => {
      const app = Fastify(options)
      await app.register(plugin, { ...(prefix !== undefined && { prefix }), database: api.database, resources })
      for (const path of paths) {
        const response = await app.inject(path)
        const base = `http://localhost:80${path.replace(/\/?$/, '/')}`
        expect([path, response.statusCode, response.json().data]).toEqual([path, 200, [entry('authors', base)]])
        const rare = await app.inject({ method: 'PROPFIND' as 'GET', url: `${path}authors/`.replace('apia', 'api/a') })
        expect([rare.statusCode, rare.headers.allow]).toEqual([405, 'POST, GET, HEAD, OPTIONS'])
      }
      await app.close()
    })
  })

  test('its links follow baseUrl', async () => {
    const app = Fastify(serverOptions)
    const baseUrl = 'https://example.org/shop/'
    await app.register(plugin, { prefix: '/api', baseUrl, database: api.database, resources })
    expect((await app.inject('/api')).json().data).toEqual([entry('authors', 'https://example.org/shop/api/')])
    await app.close()
  })

  test("leaves the application's own page where it is", async () => {
    const app = Fastify(serverOptions)
    app.get('/', () => 'welcome')
    await app.register(plugin, { database: api.database, resources })
    expect((await app.inject('/')).body).toBe('welcome')
    expect((await app.inject('/authors/')).statusCode).toBe(200)
    await app.close()
  })

  describe.each([
    ['serverOptions', serverOptions],
    ['a plain Fastify', {}],
  ])("%s: what the application answers itself stays, and the API's root is added around it", (_, options) => {
    test.each(['/api', '/api/'])('at %s', async url => {
      for (const method of ['GET', 'POST', 'OPTIONS'] as const) {
        const app = Fastify(options)
        app.route({ method, url, handler: () => 'welcome' })
        await app.register(plugin, { prefix: '/api', database: api.database, resources })
        expect((await app.inject({ method, url })).body).toBe('welcome')
        const put = await app.inject({ method: 'PUT', url })
        expect([put.statusCode, put.headers.allow?.toString().includes(method)]).toEqual([405, true])
        if (method !== 'GET') expect((await app.inject(url)).json().data).toEqual([entry('authors')])
        expect((await app.inject('/api/authors/')).statusCode).toBe(200)
        await app.close()
      }
    })
  })
})

describe('what a plugin that documents routes sees', () => {
  const api = useApi(sqliteDialect, { tables, resources: {} })

  test.each([
    ['serverOptions', serverOptions],
    ['a plain Fastify', {}],
  ])('%s: each endpoint once, and nothing that is none', async (_, options) => {
    const shown: string[] = []
    const app = Fastify(options)
    // As @fastify/swagger collects them.
    app.addHook('onRoute', ({ method, url, schema }: RouteOptions & { schema?: { hide?: boolean } }) => {
      if (!schema?.hide) shown.push(...[method].flat().map(name => `${name} ${url}`))
    })
    await app.register(plugin, {
      prefix: '/api',
      database: api.database,
      resources: { authors: ReadOnlyViewSet(open), batches: BulkOnlyViewSet(open) },
    })
    await app.ready()
    expect(shown.filter(route => !route.startsWith('HEAD ')).toSorted()).toEqual([
      'DELETE /api/batches/bulk-delete/',
      'GET /api/',
      'GET /api/authors/',
      'GET /api/authors/:id/',
      'PATCH /api/batches/bulk-update/',
      'POST /api/authors/export/',
      'POST /api/batches/bulk-create/',
      'POST /api/batches/bulk-delete/',
      'PUT /api/batches/bulk-update/',
    ])
    await app.close()
  })
})
