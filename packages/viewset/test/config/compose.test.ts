import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  CreateListViewSet,
  CreateModelMixin,
  compose,
  createRecord,
  DestroyModelMixin,
  IsAdminUser,
  ListModelMixin,
  type ModelRecord,
  NotFound,
  ReadOnlyViewSet,
  type Reply,
  RetrieveModelMixin,
  StandardPageNumberPagination,
  UpdateModelMixin,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { type Method, useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess, ID, uuid } from '../support/expect.ts'
import { models, seed, users } from '../support/models.ts'
import { TouchModelMixin } from '../support/touch-model-mixin.ts'

class TinyPages extends StandardPageNumberPagination {
  override readonly pageSize = 1
}

describeOneDialect('viewsets', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const serializer = BaseModelSerializer(authors, { fields: ['id', 'name', 'email'] })
  const common = { model: authors, serializer, permissionClasses: [AllowAny] }
  type Author = ModelRecord<typeof authors>

  class Overridden extends BaseViewSet({ ...common, ordering: 'name' }) {
    override async performCreate(values: { name?: string }) {
      return super.performCreate({ ...values, email: `${values.name}@example.org` })
    }
    override async performUpdate(author: Author, values: { name?: string }) {
      const updated = await super.performUpdate(author, values)
      await createRecord(authors, { name: `copy of ${updated.name}`.slice(0, 20) })
      return updated
    }
    override async performDestroy(author: Author) {
      if (author.name === 'Immortal') throw new NotFound('There is no way.')
      await super.performDestroy(author)
    }
    override async list() {
      const page = await super.list()
      return page.map(item => ({ ...item, name: `${item.index}. ${item.name}` }))
    }
    override async retrieve() {
      return { ...(await super.retrieve()), email: 'hidden' }
    }
  }

  class Replying extends BaseViewSet(common) {
    override async finalize(reply: Reply) {
      return reply.with({ headers: { ...reply.headers, 'x-action': this.action }, message: `Done: ${this.method}` })
    }
    override async initial() {
      await super.initial()
      if (this.query.stop !== undefined) throw new NotFound('Stopped.')
    }
  }

  const Shared = BaseViewSet.with({ paginationClass: TinyPages, destroyStatus: 200, returnDataOnCreate: false })
  // As a project writes it whose compiler takes undefined for a setting that is left out.
  const unsaid: object = { allowUnpaginated: undefined, exportPermissionClasses: undefined }
  const Guarded = BaseViewSet.with({ allowUnpaginated: false, exportPermissionClasses: [IsAdminUser] }).with(unsaid)
  const Twice = Shared.with({ appendIndexes: false })
  const api = useApi(dialect, {
    tables,
    users,
    resources: {
      base: BaseViewSet(common),
      readonly: ReadOnlyViewSet(common),
      'create-list': CreateListViewSet(common),
      list: compose(ListModelMixin)(common),
      create: compose(CreateModelMixin)(common),
      retrieve: compose(RetrieveModelMixin)(common),
      update: compose(UpdateModelMixin)(common),
      destroy: compose(DestroyModelMixin)(common),
      'two-of-them': compose(RetrieveModelMixin, DestroyModelMixin)(common),
      nothing: compose()({ ...common, actions: { ping: { method: 'GET', detail: false, handler: () => 'pong' } } }),
      touchable: compose(TouchModelMixin)({ ...common, touchAnswer: 'thanks' }),
      overridden: Overridden,
      replying: Replying,
      shared: Twice({ ...common, destroyStatus: 204 }),
      guarded: Guarded({ ...common, ...unsaid }),
      camelCase: ReadOnlyViewSet(common),
      'deep/er': ReadOnlyViewSet(common),
    },
  })
  const seedAuthors = (...names: string[]) =>
    seed(api.database, tables, { authors: names.map((name, i) => ({ id: uuid(i + 1), name })) })
  const requests: Record<string, readonly [Method, string, unknown?]> = {
    list: ['GET', '/'],
    create: ['POST', '/', { name: 'Eve' }],
    retrieve: ['GET', `/${uuid(1)}/`],
    update: ['PUT', `/${uuid(1)}/`, { name: 'Eve' }],
    partial: ['PATCH', `/${uuid(1)}/`, { name: 'Eve' }],
    destroy: ['DELETE', `/${uuid(1)}/`],
  }

  test.each<[string, string[]]>([
    ['base', ['list', 'create', 'retrieve', 'update', 'partial', 'destroy']],
    ['readonly', ['list', 'retrieve']],
    ['create-list', ['list', 'create']],
    ['list', ['list']],
    ['create', ['create']],
    ['retrieve', ['retrieve']],
    ['update', ['update', 'partial']],
    ['destroy', ['destroy']],
    ['two-of-them', ['retrieve', 'destroy']],
    ['nothing', []],
  ])('%s offers %j and nothing else', async (resource, offered) => {
    for (const [action, [method, path, body]] of Object.entries(requests)) {
      await api.clear()
      await seedAuthors('Ada')
      const { status } = await api.request(method, `/${resource}${path}`, { body })
      if (offered.includes(action))
        expect([action, status]).toEqual([action, { create: 201, destroy: 204 }[action] ?? 200])
      else expect([action, [404, 405].includes(status)]).toEqual([action, true])
    }
  })

  test('a resource of custom actions alone has these', async () => {
    expectSuccess(await api.get('/nothing/ping/'), 200, { data: 'pong' })
  })

  test('a resource is registered under any name', async () => {
    expectSuccess(await api.get('/camelCase/'), 200, { count: 0, data: [] })
    expectSuccess(await api.get('/deep/er/'), 200, { count: 0, data: [] })
  })

  test('a mixin of a third party brings routes, methods and settings', async () => {
    await seedAuthors('Ada')
    expectSuccess(await api.post(`/touchable/${uuid(1)}/touch/`), 202, { data: 'thanks' })
    expectError(await api.post(`/touchable/${uuid(9)}/touch/`), 404, 'There is no such record, or you may not see it.')
  })

  describe('an override', () => {
    test('of performCreate adds values', async () => {
      expectSuccess(await api.post('/overridden/', { name: 'Ada' }), 201, {
        data: { id: ID, name: 'Ada', email: 'Ada@example.org' },
      })
    })

    test('of performUpdate writes in the same transaction', async () => {
      await seedAuthors('Ada')
      expectSuccess(await api.patch(`/overridden/${uuid(1)}/`, { name: 'Eve' }), 200, {
        data: { id: uuid(1), name: 'Eve', email: null },
      })
      expect(await api.rows('authors')).toHaveLength(2)
    })

    test('of performDestroy may refuse', async () => {
      await seedAuthors('Immortal', 'Mortal')
      expectError(await api.delete(`/overridden/${uuid(1)}/`), 404, 'There is no way.')
      expect((await api.delete(`/overridden/${uuid(2)}/`)).status).toBe(204)
    })

    test('of list changes the items and keeps the page', async () => {
      await seedAuthors('Ada', 'Bob')
      expectSuccess(await api.get('/overridden/?page_size=1&page=2'), 200, {
        count: 2,
        previous: 'http://localhost:80/api/overridden/?page_size=1',
        data: [{ id: uuid(2), name: '2. Bob', email: null, index: 2 }],
      })
    })

    test('of retrieve changes the data', async () => {
      await seedAuthors('Ada')
      expectSuccess(await api.get(`/overridden/${uuid(1)}/`), 200, {
        data: { id: uuid(1), name: 'Ada', email: 'hidden' },
      })
    })

    test("still meets the serializer's rules", async () => {
      expectInvalid(await api.post('/overridden/', {}), { name: ['This field is required.'] })
    })
  })

  test('finalize changes what every action answers, and initial runs before it', async () => {
    await seedAuthors('Ada')
    const response = await api.get(`/replying/${uuid(1)}/`)
    expectSuccess(response, 200, { data: { id: uuid(1), name: 'Ada', email: null }, message: 'Done: GET' })
    expect(response.headers['x-action']).toBe('retrieve')
    const created = await api.post('/replying/', { name: 'Eve' })
    expectSuccess(created, 201, { data: { id: ID, name: 'Eve', email: null }, message: 'Done: POST' })
    expectError(await api.get('/replying/?stop'), 404, 'Stopped.')
  })

  test("with() gives defaults that a resource's own settings override", async () => {
    await seedAuthors('Ada', 'Bob')
    const next = 'http://localhost:80/api/shared/?page=2'
    expectSuccess(await api.get('/shared/'), 200, { count: 2, next, data: [{ id: uuid(1), name: 'Ada', email: null }] })
    expectSuccess(await api.post('/shared/', { name: 'Eve' }), 201, { data: {} })
    expect((await api.delete(`/shared/${uuid(1)}/`)).status).toBe(204)
  })

  test('a setting that is undefined leaves the default of with() as it is', async () => {
    expect((await api.get('/guarded/?paginated=false')).status).toBe(403)
    expect((await api.post('/guarded/export/', { file_type: 'csv' })).status).toBe(401)
  })
})
