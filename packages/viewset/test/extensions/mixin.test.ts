import { ne } from 'drizzle-orm'
import Fastify from 'fastify'
import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  type ColumnKit,
  ConfigError,
  CreateModelMixin,
  compose,
  defineMixin,
  FileExportMixin,
  findRecords,
  IsAuthenticated,
  ListModelMixin,
  type Model,
  type ModelRecord,
  type ModelSerializer,
  RetrieveModelMixin,
  type SerializerData,
  setting,
  shared,
  UpdateModelMixin,
} from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { kit as pgKit } from 'viewset/pg'
import { kit as sqliteKit } from 'viewset/sqlite'
import { startApi, type TestApi } from 'viewset/testing'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'

declare module 'viewset' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    ShoutModelMixin: {
      config: {
        /** What stands behind a shouted name. Default one mark. */
        readonly shoutMarks?: string
      }
      methods: {
        shout(): Promise<SerializerData<S> & { readonly shouted: string }>
        markOf(record: ModelRecord<M>): string
      }
    }
    PrefixModelMixin: {
      config: { readonly namePrefix: string }
      methods: object
    }
    LogModelMixin: { config: object; methods: object }
    CloneModelMixin: { config: object; methods: { clone(): Promise<object>; rename(): Promise<object> } }
    RivalModelMixin: { config: object; methods: { shout(): Promise<object> } }
    RefusingMixin: { config: object; methods: object }
    DumpModelMixin: { config: object; methods: object }
    SoberModelMixin: { config: { readonly shoutMarks?: string }; methods: object }
  }
}

/** A setting with a default for projects, something made of it once a resource, a route, and a hook of its own. */
const ShoutModelMixin = defineMixin('ShoutModelMixin', {
  settings: {
    shoutMarks: shared({ ...setting.text, accepts: value => /^!+$/.test(String(value)), expected: 'must be some "!"' }),
  },
  define: ({ model, config }) => ({ marks: config.shoutMarks ?? '!', table: model.name }),
  routes: [
    {
      method: 'GET',
      path: '/:id/shout/',
      action: 'shout',
      describes: ({ config }) => ({ summary: 'Shouts a name.', data: config.serializer.outputSchema() }),
    },
  ],
  methods: (Base, mixin) =>
    class extends Base {
      async shout() {
        const record = await this.getObject()
        const { marks, table } = mixin.own(this)
        const isOwn = mixin.overrides(this, 'markOf')
        return { ...(await this.serialize(record)), shouted: `${table}${marks}${this.markOf(record)}`, is_own: isOwn }
      }

      markOf(_record: object): string {
        return ''
      }
    },
})

/** Two mixins on top of the same hook: each calls the one below. */
const PrefixModelMixin = defineMixin('PrefixModelMixin', {
  extends: [CreateModelMixin],
  settings: { namePrefix: { ...setting.text, required: 'say what new names begin with' } },
  methods: Base =>
    class extends Base {
      override performCreate(values: { readonly name?: string }) {
        return super.performCreate({ ...values, name: `${this.config.namePrefix}${values.name}` })
      }
    },
})

const created: unknown[] = []
const LogModelMixin = defineMixin('LogModelMixin', {
  extends: [CreateModelMixin],
  methods: Base =>
    class extends Base {
      override async performCreate(values: object) {
        const record = await super.performCreate(values)
        created.push(record.getJson())
        return record
      }

      override async create() {
        return { ...(await super.create()), logged: true }
      }
    },
})

/** Another address of an action that another mixin brings. */
const DumpModelMixin = defineMixin('DumpModelMixin', {
  extends: [FileExportMixin],
  routes: [{ method: 'POST', path: '/dump/', action: 'export', writes: false }],
})

/** Actions of somebody's own that write as the standard ones do. */
const CloneModelMixin = defineMixin('CloneModelMixin', {
  extends: [CreateModelMixin, UpdateModelMixin],
  routes: [
    { method: 'POST', path: '/:id/clone/', action: 'clone', status: 201 },
    { method: 'POST', path: '/:id/rename/', action: 'rename' },
  ],
  methods: Base =>
    class extends Base {
      async clone() {
        await this.getObject()
        return this.serialize(await this.createOne(this.request.body as object))
      }

      async rename() {
        return this.serialize(await this.updateOne(await this.getObject(), this.request.body as object))
      }
    },
})

const models = (c: ColumnKit) => ({
  pets: c.table('pets', { id: c.integer().primaryKey(), name: c.text(40).notNull(), owner: c.text(40) }),
})

describe.each([
  ['sqlite', sqliteKit],
  ['pg', pgKit],
] as const)('%s: a mixin of somebody else', (name, kit) => {
  const { pets } = models(kit)
  const serializer = BaseModelSerializer(pets, { fields: ['id', 'name'] })
  const config = { model: pets, serializer, permissionClasses: [AllowAny] }
  const ShoutViewSet = compose(ListModelMixin, RetrieveModelMixin, ShoutModelMixin)
  class Loud extends ShoutViewSet.with({ shoutMarks: '!!!' })(config) {
    override markOf({ name: own }: ModelRecord<typeof pets>) {
      return own
    }
  }
  const Logged = BulkViewSet.add(PrefixModelMixin, LogModelMixin)
  class Own extends Logged({ ...config, namePrefix: 'Dr. ' }) {
    override async performCreate(values: { name?: string }) {
      return super.performCreate({ ...values, name: `${values.name}!` })
    }
  }

  let api: TestApi
  beforeAll(async () => {
    api = await startApi({
      schema: { pets },
      ...(name === 'pg' && { postgres: inject('postgresUrl') }),
      app: async ({ database }) => {
        const app = Fastify(serverOptions)
        const all = {
          plain: ShoutViewSet(config),
          loud: Loud,
          logged: Logged({ ...config, namePrefix: 'Mr. ' }),
          own: Own,
          fenced: compose(CloneModelMixin)({
            ...config,
            serializer: BaseModelSerializer(pets, { fields: ['id', 'name', 'owner'] }),
            queryset: () => ne(pets.name, 'Out'),
            fixedValues: () => ({ owner: 'us' }),
            checkScope: 'always',
          }),
          dumped: compose(DumpModelMixin)({ ...config, exportPermissionClasses: [IsAuthenticated] }),
        }
        await app.register(resources, { prefix: '/api', database, resources: all })
        return app
      },
    })
  })
  afterEach(async () => {
    created.length = 0
    await api.database.transaction(async () => {
      for (const pet of await findRecords(pets)) await pet.delete()
    })
  })
  afterAll(() => api.close())

  const add = async (path: string, body: unknown) => (await api.post(`/${path}/`, body)).data()

  test('has a route, a setting, a default for a project, and what is made of them once a resource', async () => {
    const { id } = await add('logged', { name: 'Rex' })
    expect((await api.get(`/plain/${id}/shout/`)).data()).toEqual({
      id,
      name: 'Mr. Rex',
      shouted: 'pets!',
      is_own: false,
    })
    expect((await api.get('/plain/99/shout/')).status).toBe(404)
  })

  test('is told what the class of a resource overrides', async () => {
    const { id } = await add('logged', { name: 'Rex' })
    expect((await api.get(`/loud/${id}/shout/`)).data()).toMatchObject({ shouted: 'pets!!!Mr. Rex', is_own: true })
  })

  test('reaches the mixins below by super, and the class of a resource reaches it', async () => {
    expect(await add('own', { name: 'Rex' })).toMatchObject({ name: 'Dr. Rex!', logged: true })
    expect(created).toMatchObject([{ name: 'Dr. Rex!' }])
  })

  test('brings a hook that every path asks, bulk included', async () => {
    const response = await api.post('/logged/bulk-create/', [{ name: 'Rex' }, { name: 'Fido' }])
    expect(response.data()).toMatchObject([{ name: 'Mr. Rex' }, { name: 'Mr. Fido' }])
    expect(created).toHaveLength(2)
  })

  test('has the permissions of an action at its own address of it', async () => {
    for (const path of ['export', 'dump']) {
      expect((await api.post(`/dumped/${path}/`, { file_type: 'csv' })).status).toBe(401)
    }
  })

  test('writes as the standard actions do, by createOne and updateOne', async () => {
    const { id } = await add('fenced', { name: 'Rex' })
    const cloned = await api.post(`/fenced/${id}/clone/`, { name: 'Copy', owner: 'them' })
    expect(cloned.data()).toMatchObject({ name: 'Copy', owner: 'us' })
    expect((await api.post(`/fenced/${id}/clone/`, { name: 'Out' })).status).toBe(400)
    const renamed = await api.post(`/fenced/${id}/rename/`, { name: 'Max', owner: 'them' })
    expect(renamed.data()).toMatchObject({ name: 'Max', owner: 'us' })
    expect((await api.post(`/fenced/${id}/rename/`, { name: 'Out' })).status).toBe(403)
    expect((await api.database.use(() => findRecords(pets))).map(({ name: own }) => own).sort()).toEqual([
      'Copy',
      'Max',
    ])
  })

  test('is refused where its settings are wrong, by their names', () => {
    const problem = (make: () => unknown) => {
      try {
        return make()
      } catch (error) {
        return error instanceof ConfigError && error.message
      }
    }
    const loose = ShoutViewSet as unknown as (config: object) => unknown
    expect(problem(() => loose({ ...config, shoutMarks: '?' }))).toBe(
      'resource of "pets": shoutMarks: must be some "!"',
    )
    expect(problem(() => loose({ ...config, shoutMark: '!' }))).toBe(
      'resource of "pets": shoutMark: unknown setting; did you mean "shoutMarks"?',
    )
    expect(problem(() => (Logged as unknown as (config: object) => unknown)(config))).toBe(
      'resource of "pets": namePrefix: is required; say what new names begin with',
    )
    expect(problem(() => loose({ ...config, namePrefix: 'x' }))).toBe(
      'resource of "pets": namePrefix: needs PrefixModelMixin, which this viewset does not include',
    )
  })

  test('shares a setting with another mixin, and each has its rule', () => {
    const SoberModelMixin = defineMixin('SoberModelMixin', {
      settings: { shoutMarks: { ...setting.text, accepts: value => value !== '!!!', expected: 'must not be "!!!"' } },
    })
    for (const Sober of [compose(ShoutModelMixin, SoberModelMixin), compose(SoberModelMixin, ShoutModelMixin)]) {
      expect(() => Sober({ ...config, shoutMarks: '!!' })).not.toThrow()
      for (const shoutMarks of ['?', '!!!'])
        expect(() => Sober({ ...config, shoutMarks })).toThrow(/must .*"!" and must|must not .* and must be/)
    }
  })

  test('is refused where it would hide a method of a mixin that it does not know', () => {
    const RivalModelMixin = defineMixin('RivalModelMixin', {
      methods: Base =>
        class extends Base {
          async shout() {
            return {}
          }
        },
    })
    expect(() => compose(ShoutModelMixin, RivalModelMixin)).toThrow(
      'compose: mixins: ShoutModelMixin and RivalModelMixin both have a method "shout"; rename one, or let ' +
        'RivalModelMixin extend the other',
    )
  })

  test('is refused where its class does not extend the one that it is given, or a path is none', () => {
    expect(() => defineMixin('RefusingMixin', { methods: () => class {} as never })).toThrow(
      'mixin RefusingMixin: methods: must return a class that extends the one it is given',
    )
    expect(() =>
      defineMixin('RefusingMixin', { routes: [{ method: 'GET', path: 'x/', action: 'getObject' }] }),
    ).toThrow('mixin RefusingMixin: routes: path "x/" must have a slash at both ends, such as "/:id/touch/"')
  })

  test('is refused where a route has no method', () => {
    expect(() => defineMixin('RefusingMixin', { routes: [{ method: 'GET', path: '/x/', action: 'nothing' }] })).toThrow(
      'mixin RefusingMixin: routes: "nothing" is not among its methods',
    )
  })
})
