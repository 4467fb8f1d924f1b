import * as viewset from 'viewset'
import { AllowAny, importModel } from 'viewset'
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../src/viewset/endpoints/endpoint.ts'
import { endpointsOf } from '../../src/viewset/endpoints/endpoints.ts'
import type { AnyResourceClass, Mixin } from '../../src/viewset/mixin.ts'
import { type Method, useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { models, seed } from '../support/models.ts'
import { importForm } from '../support/multipart.ts'
import { ROUTE_REQUESTS, type RouteRequest } from '../support/route-requests.ts'
import { accepts, schemaErrors } from '../support/schemas.ts'
import { serializers } from '../support/serializers.ts'

/** Answers of a preview and of an import have most to show of a file with mistakes. */
const REQUESTS: Readonly<Record<string, Partial<RouteRequest>>> = {
  ...ROUTE_REQUESTS,
  'POST /import-from-file/': { form: importForm('name,email\nNew,new@example.org\n,bad\n') },
  'POST /import-preview/': { form: importForm('Name,emial,x\nNew,new@example.org\n,bad\n') },
}

describeOneDialect('a route describes itself:', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const { AuthorSerializer } = serializers(tables)
  const config = {
    model: authors,
    serializer: AuthorSerializer,
    permissionClasses: [AllowAny],
    searchFields: ['name'],
    upsertFields: ['email'],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['authors'],
      models: { authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
    },
  } as const
  const resources = {
    full: FullViewSet(config),
    quiet: FullViewSet({ ...config, returnDataOnCreate: false, returnDataOnUpdate: false, destroyStatus: 200 }),
  }
  const api = useApi(dialect, { tables, resources })
  const bodiesOf = (resource: object) => (route: string) =>
    endpointsOf('full', resource as AnyResourceClass)
      .find(endpoint => routeOf(endpoint) === route)
      ?.describe?.().body ?? {}
  const routeOf = ({ method, path }: Endpoint) => `${method} ${path.replace(/^\/\w+/, '')}`

  test('no route of the package is left out', () => {
    // test/history and test/import/saved-mappings ask the routes that need a table.
    const mixins = Object.values(viewset).flatMap(value =>
      'extend' in Object(value) && value !== viewset.HistoryModelMixin ? [value as Mixin] : [],
    )
    const always = mixins.flatMap(mixin => mixin.routes).filter(({ option }) => option === undefined)
    const routes = always.map(({ method, path }) => `${method} ${path}`)
    expect(Object.keys(REQUESTS)).toEqual(expect.arrayContaining([...new Set(routes)]))
    expect(endpointsOf('full', resources.full as unknown as AnyResourceClass).map(routeOf)).toEqual(
      expect.arrayContaining([...new Set(routes)]),
    )
  })

  describe.each(Object.entries(resources))('of %s', (name, resource) => {
    const endpoints = endpointsOf(name, resource as unknown as AnyResourceClass)

    test.each(endpoints.map(endpoint => ({ route: routeOf(endpoint), endpoint })))(
      '$route',
      async ({ route, endpoint }) => {
        await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada', email: 'ada@example.org' }] })
        const { body, form } = REQUESTS[route] ?? {}
        const description = endpoint.describe?.()
        expect(description?.summary).toMatch(/^[A-Z].*[a-zA-Z]$/)
        if (body !== undefined) expect(schemaErrors(description?.body ?? {}, body)).toEqual([])
        else if (!form) expect(description?.body).toBeUndefined()

        const path = `/${name}${route.split(' ')[1]?.replace(':id', uuid(1))}`
        const response = await api.request(endpoint.method as Method, path, { body, ...form })
        expect(response.status).toBeLessThan(300)
        if (description?.fileTypes) expect(description.fileTypes).toContain(response.headers['content-type'])
        else if (response.status !== 204) {
          const { data } = response.envelope()
          expect([data, schemaErrors(description?.data ?? { type: 'null' }, data)]).toEqual([data, []])
        }
      },
    )
  })

  test('a list names the parameters that its pages and filters read', () => {
    const [list] = endpointsOf('full', resources.full as unknown as AnyResourceClass).filter(
      endpoint => routeOf(endpoint) === 'GET /',
    )
    expect(Object.keys(list?.describe?.().query ?? {})).toEqual([
      'paginated',
      'page',
      'page_size',
      'search',
      'ordering',
    ])
  })

  test('an export names the parameters of its filters, and an item of a list its position', () => {
    const endpoints = endpointsOf('full', resources.full as unknown as AnyResourceClass)
    const descriptionOf = (route: string) => endpoints.find(endpoint => routeOf(endpoint) === route)?.describe?.()
    expect(Object.keys(descriptionOf('POST /export/')?.query ?? {})).toEqual(['search', 'ordering', 'background'])
    expect(JSON.stringify(descriptionOf('GET /')?.data)).toContain('"index"')
    expect(JSON.stringify(descriptionOf('GET /:id/')?.data)).not.toContain('"index"')
  })

  test('a description takes what the route takes', async () => {
    const bodyOf = bodiesOf(resources.full)
    for (const body of [
      {
        file_type: 'csv',
        includes: ['email', 'name'],
        column_config: { name: { width: 5, header: 'N', align: 'right' } },
      },
      { file_type: 'csv', includes: null, column_config: null, data: null, filename: null, title: null },
      { file_type: 'csv', data: [{ name: 'Ada' }], filename: 'authors', title: 'Authors' },
    ]) {
      expect([schemaErrors(bodyOf('POST /export/'), body), (await api.post('/full/export/', body)).status]).toEqual([
        [],
        200,
      ])
    }
  })

  test('what a resource limits is said', () => {
    const limited = bodiesOf(FullViewSet({ ...config, bulkBatchSize: 2, allowExportData: false }))
    expect(limited('POST /bulk-delete/')).toMatchObject({ minItems: 1, maxItems: 2 })
    expect(limited('PATCH /bulk-update/')).toMatchObject({ minItems: 1, maxItems: 2 })
    expect(bodiesOf(resources.full)('POST /bulk-delete/')).not.toHaveProperty('maxItems')
    expect(accepts(limited('POST /export/'), { file_type: 'csv', data: [{ name: 'Ada' }] })).toBe(false)
  })

  test('what several routes answer with has one name', () => {
    const titles = endpointsOf('full', resources.full as unknown as AnyResourceClass).flatMap(endpoint => {
      const title = endpoint.describe?.().data?.title
      return typeof title === 'string' ? [title] : []
    })
    expect(new Set(titles)).toEqual(
      new Set(['Author', 'DeleteReport', 'ImportPreview', 'UpsertReport', 'ImportResult']),
    )
  })

  test('a description refuses what the route refuses', async () => {
    const bodyOf = bodiesOf(resources.full)
    for (const [route, body] of [
      ['POST /', {}],
      ['POST /bulk-create/', { name: 'New' }],
      ['PATCH /bulk-update/', [{ name: 'New' }]],
      ['DELETE /bulk-delete/', [true]],
      ['DELETE /bulk-delete/', []],
      ['POST /bulk-create/', []],
      ['POST /export/', { file_type: 'doc' }],
      ['POST /export/', { file_type: 'csv', includes: ['nothing'] }],
      ['POST /export/', { file_type: 'csv', includes: [] }],
      ['POST /export/', { file_type: 'csv', column_config: { nothing: {} } }],
      ['POST /export/', { file_type: 'csv', column_config: { name: { width: 0 } } }],
      ['POST /export/', { file_type: 'csv', column_config: { name: { size: 5 } } }],
      ['POST /export/', { file_type: 'csv', filename: ' ' }],
      ['POST /export/', { file_type: 'csv', data: [5] }],
    ] as const) {
      expect([route, accepts(bodyOf(route), body)]).toEqual([route, false])
    }
  })
})
