import { sql } from 'drizzle-orm'
import Fastify from 'fastify'
import {
  AllowAny,
  type ApiRequest,
  BaseModelSerializer,
  ComputedOrderingFilter,
  type FieldPath,
  type FilterBackend,
  type FilterContext,
  insertMany,
  type Model,
  type OpenApiDocument,
  type QuerySet,
  queryValue,
  ReadOnlyViewSet,
  setting,
  ValidationError,
} from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { kit as pgKit } from 'viewset/pg'
import { kit as sqliteKit } from 'viewset/sqlite'
import { startApi, type TestApi } from 'viewset/testing'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'

declare module 'viewset' {
  interface FilterTypes<M extends Model, S> {
    NearFilter: {
      /** The column that a request may ask to be near to a number. */
      readonly nearField?: FieldPath<M>
      /** How far is still near. Default 10. */
      readonly nearDistance?: number
    }
  }
}

/** A filter with settings of its own, as a third party writes it: `?near=50`. */
class NearFilter implements FilterBackend {
  static readonly settings = { nearField: setting.text, nearDistance: setting.wholeNumber }
  readonly queryParameters = {
    near: { type: 'integer', minimum: 0, maximum: 999_999_999, description: 'Where stops are near to.' },
  }
  readonly #column
  readonly #distance: number

  constructor({ model, settings: { nearField = 'id', nearDistance = 10 } }: FilterContext) {
    const column = model.byKey.get(nearField)
    if (!column) throw new Error(`no column "${nearField}"`)
    this.#column = column.column
    this.#distance = nearDistance
  }

  filterQueryset(request: ApiRequest, queryset: QuerySet): QuerySet {
    const near = queryValue(request, 'near')
    if (near === undefined) return queryset
    if (!/^\d{1,9}$/.test(near)) throw new ValidationError({ near: ['Enter a whole number.'] })
    const from = sql.param(Number(near) - this.#distance)
    const to = sql.param(Number(near) + this.#distance)
    return queryset.filter(sql`${this.#column} between cast(${from} as integer) and cast(${to} as integer)`)
  }
}

describe.each([
  { name: 'SQLite', kit: sqliteKit, server: () => ({}) },
  { name: 'PostgreSQL', kit: pgKit, server: () => ({ postgres: inject('postgresUrl') }) },
])('a filter of somebody else on $name', ({ kit, server }) => {
  const stops = kit.table('stops', { id: kit.integer().primaryKey(), km: kit.integer().notNull() })
  const config = {
    model: stops,
    serializer: BaseModelSerializer(stops, { fields: ['id', 'km'] }),
    permissionClasses: [AllowAny],
  }
  const filterBackends = [NearFilter, ComputedOrderingFilter]
  let api: TestApi
  beforeAll(async () => {
    api = await startApi({
      ...server(),
      schema: { stops },
      app: async ({ database }) => {
        const app = Fastify(serverOptions)
        const all = {
          stops: ReadOnlyViewSet({ ...config, filterBackends, nearField: 'km', nearDistance: 5 }),
          standard: ReadOnlyViewSet({ ...config, filterBackends }),
        }
        await app.register(resources, { prefix: '/api', database, resources: all, openapi: true })
        return app
      },
    })
    await api.database.transaction(() =>
      insertMany(
        stops,
        [4, 5, 20, 25, 26].map((km, id) => ({ id, km })),
      ),
    )
  })
  afterAll(() => api.close())

  const found = async (path: string) => (await api.get(path)).data<{ readonly id: number }[]>().map(({ id }) => id)

  test('reads the settings of its resource', async () => {
    expect(await found('/stops/?near=20')).toEqual([2, 3])
    expect(await found('/standard/?near=0')).toEqual([0, 1, 2, 3, 4])
  })

  test('refuses what it does not understand, in the envelope', async () => {
    const response = await api.get('/stops/?near=x')
    expect([response.status, response.envelope().errors]).toEqual([400, { near: ['Enter a whole number.'] }])
  })

  test('is described by what it says of its parameters', async () => {
    const { paths } = JSON.parse((await api.get('/openapi.json')).text) as OpenApiDocument
    const [list] = Object.entries(paths).flatMap(([path, { get }]) => (path.endsWith('/stops/') ? [get] : []))
    expect(list?.parameters).toContainEqual({
      name: 'near',
      in: 'query',
      description: 'Where stops are near to.',
      schema: { type: 'integer', minimum: 0, maximum: 999_999_999 },
    })
  })

  test('has its settings checked, and refused where the filter is missing', () => {
    const loose = ReadOnlyViewSet as unknown as (config: object) => unknown
    expect(() => loose({ ...config, filterBackends, nearDistance: 0 })).toThrow(
      'resource of "stops": nearDistance: must be a whole number above 0, not 0',
    )
    expect(() => loose({ ...config, filterBackends, nearFeild: 'km' })).toThrow(
      'resource of "stops": nearFeild: unknown setting; did you mean "nearField"?',
    )
    expect(() => loose({ ...config, filterBackends: [ComputedOrderingFilter], nearField: 'km' })).toThrow(
      /^resource of "stops": nearField: unknown setting/,
    )
    // @ts-expect-error a field that the model does not have
    expect(() => ReadOnlyViewSet({ ...config, filterBackends, nearField: 'kn' })).toThrow('no column "kn"')
  })
})
