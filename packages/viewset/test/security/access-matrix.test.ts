import { randomBytes } from 'node:crypto'
import { SignJWT, UnsecuredJWT } from 'jose'
import * as viewset from 'viewset'
import { allRecords, type Permission } from 'viewset'
import { bearerJwt } from 'viewset/auth'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Endpoint } from '../../src/viewset/endpoints/endpoint.ts'
import { endpointsOf } from '../../src/viewset/endpoints/endpoints.ts'
import type { AnyResourceClass } from '../../src/viewset/mixin.ts'
import type { ResourceConfig } from '../../src/viewset/resource/resource.ts'
import { type Method, useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError, uuid } from '../support/expect.ts'
import { type Models, models, seed } from '../support/models.ts'
import { ROUTE_REQUESTS, type RouteRequest } from '../support/route-requests.ts'
import { serializers } from '../support/serializers.ts'

/** What a permitted user sends to each route. */
const REQUESTS: Readonly<Record<string, RouteRequest>> = { ...ROUTE_REQUESTS, 'POST /:id/custom/': { status: 200 } }

/** The settings that turn routes on, by the mixin that reads them. */
const settings = ({ authors }: Models): Readonly<Record<string, object>> => ({
  BulkUpsertModelMixin: { upsertFields: ['email'] },
  BulkRestoreModelMixin: { restoreQueryset: () => allRecords },
  FileImportMixin: {
    importFileConfig: {
      fileFormat: 'csv',
      order: ['authors'],
      models: { authors: viewset.importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
    },
  },
})

type Factory = ((config: ResourceConfig) => AnyResourceClass) & Pick<AnyResourceClass, 'mixins'>

const factories = Object.entries(viewset).flatMap(([name, value]) =>
  // What their types say depends on the model; here each is called in the same way.
  typeof value === 'function' && 'mixins' in value ? [[name, value as unknown as Factory] as const] : [],
)

const secret = randomBytes(32)
const IsStaff: Permission = { hasPermission: ({ user }) => user?.roles?.includes('staff') ?? false }
const tokenOf = (...roles: string[]) => new SignJWT({ roles }).setSubject(uuid(901)).setExpirationTime('1h')
const sign = (token: SignJWT, key = secret) => token.setProtectedHeader({ alg: 'HS256' }).sign(key)

const BAD_TOKENS = [
  ['no token at all', async () => 'garbage'],
  ["somebody else's signature", () => sign(tokenOf('staff'), randomBytes(32))],
  ['an expired token', () => sign(tokenOf('staff').setExpirationTime('-1h'))],
  ['alg: none', async () => new UnsecuredJWT({ roles: ['staff'] }).setSubject('x').setExpirationTime('1h').encode()],
] as const

describeOneDialect('every route of', dialect => {
  const tables = models(dialect.kit)
  const { AuthorSerializer } = serializers(tables)
  const resources = Object.fromEntries(
    factories.map(([name, factory]) => [
      name,
      factory({
        model: tables.authors,
        serializer: AuthorSerializer,
        permissionClasses: [IsStaff],
        actions: { custom: { method: 'POST', detail: true, handler: () => 'done' } },
        ...Object.assign({}, ...factory.mixins.map(mixin => settings(tables)[mixin.name])),
      }),
    ]),
  )
  const { importMappings } = dialect.kit.ImportMappingTable()
  const api = useApi(dialect, {
    tables: { ...tables, importMappings },
    resources,
    importMappings: { table: importMappings },
    authenticate: bearerJwt({ secret }),
  })
  const allEndpoints = (resource: AnyResourceClass) => endpointsOf('', resource, { importMappings })
  beforeEach(() =>
    seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada', email: 'ada@example.org', isActive: true }] }),
  )

  test('all viewset classes is asked', () => {
    expect(factories.map(([name]) => name)).toEqual(expect.arrayContaining(['BaseViewSet', 'BulkOnlyViewSet']))
    for (const [name] of factories) {
      const { mixins } = resources[name] as AnyResourceClass
      const routes = mixins.flatMap(mixin => mixin.routes).map(({ method, path }) => `${method} ${path}`)
      expect(allEndpoints(resources[name] as AnyResourceClass).map(routeOf)).toEqual([...routes, 'POST /:id/custom/'])
    }
  })

  describe.each(Object.entries(resources))('%s', (name, resource) => {
    const endpoints = allEndpoints(resource).flatMap(endpoint => {
      const { body, form, status } = REQUESTS[routeOf(endpoint)] ?? { status: Number.NaN }
      const request = { method: endpoint.method as Method, path: pathOf(name, endpoint), body, form, status }
      return endpoint.method === 'GET' ? [request, { ...request, method: 'HEAD' as const }] : [request]
    })

    test.each(endpoints)('$method $path: 401, 403, $status', async ({ method, path, body, form, status }) => {
      const ask = (token?: string) =>
        api.request(method, path, {
          body,
          ...form,
          headers: { ...form?.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
        })
      const before = await api.rows('authors')

      const anonymous = await ask()
      expect(anonymous.status).toBe(401)
      expect(anonymous.headers['www-authenticate']).toBe('Bearer')
      for (const [what, token] of BAD_TOKENS) {
        const response = await ask(await token())
        expect([what, response.status]).toEqual([what, 401])
        expect(response.headers['www-authenticate']).toMatch(/^Bearer error="invalid_token"/)
      }
      const stranger = await ask(await sign(tokenOf('guest')))
      if (method === 'HEAD') expect([stranger.status, stranger.text]).toEqual([403, ''])
      else expectError(stranger, 403, 'You do not have permission to perform this action.')
      expect(await api.rows('authors')).toEqual(before)

      const permitted = await ask(await sign(tokenOf('staff')))
      expect([permitted.status, permitted.text]).toEqual([status, permitted.text])
    })
  })
})

function routeOf({ method, path }: Endpoint): string {
  return `${method} ${path.slice('/'.length)}`
}

function pathOf(name: string, { path }: Endpoint): string {
  return `/${name}${path.slice('/'.length).replace(':id', uuid(1)).replace(':mapping', 'a'.repeat(64))}`
}
