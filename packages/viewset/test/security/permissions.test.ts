import {
  AllowAny,
  BaseViewSet,
  type Download,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  NotAuthenticated,
  type Permission,
  PermissionDenied,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { type Method, type TestResponse, useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError, expectSuccess, uuid } from '../support/expect.ts'
import { models, seed, users } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const IsStaff: Permission = { hasPermission: ({ user }) => user?.roles?.includes('staff') ?? false }
const IsCreator: Permission<{ createdBy: string | null }> = {
  hasPermission: () => true,
  hasObjectPermission: ({ user, method }, record) => method === 'GET' || record.createdBy === user?.id,
}
const ReadsOnly: Permission = { hasPermission: ({ action }) => action === 'list' || action === 'retrieve' }

function expectNotAuthenticated(response: TestResponse, message = 'Authentication credentials were not provided.') {
  expectError(response, 401, message)
  expect(response.headers['www-authenticate']).toBe('Bearer')
}
function expectDenied(response: TestResponse, message = 'You do not have permission to perform this action.') {
  expectError(response, 403, message)
  expect(response.headers).not.toHaveProperty('www-authenticate')
}

interface Exporting {
  export(): Promise<Download>
}

describeOneDialect('permissions', dialect => {
  const tables = models(dialect.kit)
  const { AuthorReference } = serializers(tables)
  const common = { model: tables.authors, serializer: AuthorReference }
  const ping = { method: 'POST', detail: false, handler: () => 'pong' } as const
  const api = useApi(dialect, {
    tables,
    users,
    resources: {
      staff: BaseViewSet({
        ...common,
        permissionClasses: [IsStaff],
        actions: { ping, open: { ...ping, permissionClasses: [AllowAny] } },
      }),
      known: BaseViewSet({ ...common, permissionClasses: [IsAuthenticated] }),
      readable: BaseViewSet({ ...common, permissionClasses: [IsAuthenticatedOrReadOnly] }),
      own: BaseViewSet({ ...common, permissionClasses: [IsCreator] }),
      both: BaseViewSet({ ...common, permissionClasses: [IsAuthenticated, IsStaff] }),
      reports: BaseViewSet({
        ...common,
        permissionClasses: [AllowAny],
        exportPermissionClasses: [IsStaff],
        actions: {
          report: {
            method: 'POST',
            detail: false,
            describes: { fileTypes: ['text/csv'], errors: { 403: 'The user may not export.' } },
            handler: view => (view as unknown as Exporting).export(),
          },
        },
      }),
      'reads-only': BaseViewSet({ ...common, permissionClasses: [ReadsOnly] }),
      question: BaseViewSet({ ...common, permissionClasses: [({ user }) => user !== null] }),
      later: BaseViewSet({ ...common, permissionClasses: [async ({ user }) => user !== null] }),
      reason: BaseViewSet({
        ...common,
        permissionClasses: [
          ({ user }) => {
            if (user === null) throw new NotAuthenticated('Log in first.', 'Basic realm="shop"')
            throw new PermissionDenied('The shop is closed.')
          },
        ],
      }),
    },
  })
  const seedAuthors = () =>
    seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada', createdBy: users.ann.id }] })
  const routes: readonly (readonly [Method, string, unknown, number])[] = [
    ['GET', '/', undefined, 200],
    ['POST', '/', { name: 'Eve' }, 201],
    ['GET', `/${uuid(1)}/`, undefined, 200],
    ['PUT', `/${uuid(1)}/`, { name: 'Eve' }, 200],
    ['PATCH', `/${uuid(1)}/`, { name: 'Eve' }, 200],
    ['DELETE', `/${uuid(1)}/`, undefined, 204],
    ['POST', '/ping/', undefined, 200],
  ]

  describe.each(routes)('%s /staff%s', (method, path, body, status) => {
    test('is 401 for nobody', async () => {
      await seedAuthors()
      expectNotAuthenticated(await api.request(method, `/staff${path}`, { body }))
      expect(await api.rows('authors')).toHaveLength(1)
    })

    test('is 403 for somebody without the permission', async () => {
      await seedAuthors()
      expectDenied(await api.request(method, `/staff${path}`, { body, as: 'ben' }))
      expect(await api.rows('authors')).toHaveLength(1)
    })

    test(`is ${status} for somebody with it`, async () => {
      await seedAuthors()
      expect((await api.request(method, `/staff${path}`, { body, as: 'ann' })).status).toBe(status)
    })

    test('is 401 with credentials that are not valid', async () => {
      await seedAuthors()
      expectNotAuthenticated(
        await api.request(method, `/staff${path}`, { body, as: 'mallory' }),
        'The token is not valid.',
      )
    })
  })

  test('bad credentials are refused where anonymous access is allowed', async () => {
    expectNotAuthenticated(await api.get('/readable/', { as: 'mallory' }), 'The token is not valid.')
  })

  test('a refused request asks no database', async () => {
    const statements = await api.statementsOf(async () => {
      for (const [method, path, body] of routes) await api.request(method, `/staff${path}`, { body })
    })
    expect(statements).toEqual([])
  })

  test('whether a record exists is not told to those who may not ask', async () => {
    expectDenied(await api.get(`/staff/${uuid(99)}/`, { as: 'ben' }))
    expectDenied(await api.get('/staff/abc/', { as: 'ben' }))
  })

  test('the payload is not looked at before the permission', async () => {
    expectDenied(await api.post('/staff/', { name: 5 }, { as: 'ben' }))
  })

  test('an action that exports by the standard method asks who may export', async () => {
    const body = { file_type: 'csv' }
    expectNotAuthenticated(await api.post('/reports/report/', body))
    expectDenied(await api.post('/reports/report/', body, { as: 'ben' }))
    expect((await api.post('/reports/report/', body, { as: 'ann' })).status).toBe(200)
  })

  test('a custom action may have permissions of its own', async () => {
    expectSuccess(await api.post('/staff/open/'), 200, { data: 'pong' })
    expectNotAuthenticated(await api.post('/staff/ping/'))
  })

  test('IsAuthenticated wants anybody who is somebody', async () => {
    expectNotAuthenticated(await api.get('/known/'))
    expectSuccess(await api.get('/known/', { as: 'ben' }), 200, { count: 0, data: [] })
  })

  test('IsAuthenticatedOrReadOnly lets nobody write but everybody read', async () => {
    expectSuccess(await api.get('/readable/'), 200, { count: 0, data: [] })
    expect((await api.request('HEAD', '/readable/')).status).toBe(200)
    expectNotAuthenticated(await api.post('/readable/', { name: 'Eve' }))
    expect((await api.post('/readable/', { name: 'Eve' }, { as: 'ben' })).status).toBe(201)
  })

  test('all of several permissions must agree', async () => {
    expectNotAuthenticated(await api.get('/both/'))
    expectDenied(await api.get('/both/', { as: 'ben' }))
    expectSuccess(await api.get('/both/', { as: 'ann' }), 200, { count: 0, data: [] })
  })

  test('a permission sees the action', async () => {
    expectSuccess(await api.get('/reads-only/'), 200, { count: 0, data: [] })
    expectDenied(await api.post('/reads-only/', { name: 'Eve' }, { as: 'ann' }))
  })

  test.each(['question', 'later'])('a permission may be just a function, also an asynchronous one (%s)', async name => {
    expectNotAuthenticated(await api.get(`/${name}/`))
    expectSuccess(await api.get(`/${name}/`, { as: 'ben' }), 200, { count: 0, data: [] })
  })

  test('a permission may say why and how to authenticate', async () => {
    const response = await api.get('/reason/')
    expectError(response, 401, 'Log in first.')
    expect(response.headers['www-authenticate']).toBe('Basic realm="shop"')
    expectDenied(await api.get('/reason/', { as: 'ann' }), 'The shop is closed.')
  })

  describe('of one record', () => {
    test.each(['PUT', 'PATCH', 'DELETE'] as const)('are asked by %s once the record is found', async method => {
      await seedAuthors()
      const options = method === 'DELETE' ? {} : { body: { name: 'Eve' } }
      expectNotAuthenticated(await api.request(method, `/own/${uuid(1)}/`, options))
      expectDenied(await api.request(method, `/own/${uuid(1)}/`, { ...options, as: 'ben' }))
      expectError(
        await api.request(method, `/own/${uuid(9)}/`, { ...options, as: 'ben' }),
        404,
        'There is no such record, or you may not see it.',
      )
      expectSuccess(await api.get(`/own/${uuid(1)}/`), 200, { data: { id: uuid(1), name: 'Ada' } })
      const status = method === 'DELETE' ? 204 : 200
      expect((await api.request(method, `/own/${uuid(1)}/`, { ...options, as: 'ann' })).status).toBe(status)
    })
  })
})
