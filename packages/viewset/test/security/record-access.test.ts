import { ne } from 'drizzle-orm'
import * as viewset from 'viewset'
import { AllowAny, compose, defineMixin, importModel, type Mixin, PermissionDenied, type User } from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Endpoint } from '../../src/viewset/endpoints/endpoint.ts'
import { endpointsOf } from '../../src/viewset/endpoints/endpoints.ts'
import type { AnyResourceClass } from '../../src/viewset/mixin.ts'
import type { ResourceConfig } from '../../src/viewset/resource/resource.ts'
import { type Method, type RequestOptions, type TestResponse, useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError, uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { models, seed } from '../support/models.ts'
import { importForm } from '../support/multipart.ts'
import { serializers } from '../support/serializers.ts'
import { TouchModelMixin } from '../support/touch-model-mixin.ts'

/** Whose the record is that a request names: the asking user's, another's, or one that the resource does not show. */
type Kind = 'own' | 'foreign' | 'hidden'

const KINDS: readonly Kind[] = ['own', 'foreign', 'hidden']
const users = { ann: { id: 'ann' }, ben: { id: 'ben' }, root: { id: 'root', roles: ['admin'] } } satisfies Record<
  string,
  User
>
const DENIED = 'You do not have permission to perform this action.'
const EMAIL = 'record@example.org'

/** A request about the record with `id`, and what answers it: status, or a check of the whole answer. */
interface Attempt {
  readonly request: (id: string) => RequestOptions
  readonly allowed: number
  /** Refused by a permission. Default: 403. */
  readonly refused?: (response: TestResponse) => void
  /** About a record that there is not. */
  readonly missing: (response: TestResponse) => void
}

const notFound = (response: TestResponse) =>
  expectError(response, 404, 'There is no such record, or you may not see it.')
const unknownItem = (response: TestResponse) => {
  expect([response.status, Object.keys(JSON.parse(response.text).errors)]).toEqual([400, ['0.id']])
}
const untouched = (response: TestResponse) => {
  expect(response.status).toBe(200)
  expect(response.data()).toEqual({ requested_count: 1, count: 0, missing_ids: [expect.any(String)] })
}
const status = (expected: number) => (response: TestResponse) =>
  expect([response.status, response.text]).toEqual([expected, response.text])
const rowError = (message: string) => (response: TestResponse) => {
  expect(response.status).toBe(207)
  expect(response.data()).toMatchObject({ created: 0, updated: 0, failed: 1, errors: [{ row: 2, message }] })
}

const detail = (body: unknown, allowed: number): Attempt => ({ request: () => ({ body }), allowed, missing: notFound })
const ids = (missing = untouched): Attempt => ({ request: id => ({ body: [id] }), allowed: 200, missing })
const change: Attempt = {
  request: id => ({ body: [{ id, name: 'Changed' }] }),
  allowed: 200,
  missing: unknownItem,
}
const importing = (csv: string, options: { append: boolean; dryRun?: boolean }): Attempt => ({
  request: () => importForm(csv, options),
  allowed: 201,
  // A row that is refused leaves the others alone; a replace that may not delete a record deletes none.
  ...(options.append && { refused: rowError(DENIED) }),
  missing: options.append ? rowError('Another record already has this value.') : status(201),
})
const SAME = `name,email\nChanged,${EMAIL}\n`
const OTHER = 'name,email\nNew,new@example.org\n'

/** What is tried on each route. `null` where no stored record is named. A route without a line fails the test. */
const ATTEMPTS: Readonly<Record<string, Attempt | readonly Attempt[] | null>> = {
  'GET /': null,
  'POST /': null,
  'GET /:id/': detail(undefined, 200),
  'PUT /:id/': detail({ name: 'Changed' }, 200),
  'PATCH /:id/': detail({ name: 'Changed' }, 200),
  'DELETE /:id/': detail(undefined, 204),
  'POST /:id/custom/': detail({}, 200),
  'POST /:id/restore/': detail({}, 200),
  'POST /:id/touch/': detail({}, 202),
  'POST /bulk-create/': null,
  'PUT /bulk-update/': change,
  'PATCH /bulk-update/': change,
  'DELETE /bulk-delete/': ids(),
  'POST /bulk-delete/': ids(),
  'DELETE /bulk-soft-delete/': ids(),
  'POST /bulk-soft-delete/': ids(),
  'POST /bulk-restore/': ids(),
  'POST /bulk-upsert/': {
    request: () => ({ body: [{ name: 'Changed', email: EMAIL }] }),
    allowed: 200,
    missing: status(400),
  },
  'POST /export/': null,
  'POST /import-from-file/': [
    importing(SAME, { append: true }),
    importing(SAME, { append: true, dryRun: true }),
    importing(OTHER, { append: false }),
    importing(OTHER, { append: false, dryRun: true }),
  ],
  'POST /import-preview/': null,
  'GET /import-template/': null,
  'GET /import-mappings/': null,
  'POST /import-mappings/': null,
  'DELETE /import-mappings/:mapping/': null,
}

interface Owned {
  readonly createdBy: string | null
}

const mayUse = (user: User | null, record: Owned) =>
  record.createdBy === user?.id || (user?.roles?.includes('admin') ?? false)

interface GuardView {
  readonly user: User | null
}

declare module 'viewset' {
  interface MixinTypes<M extends viewset.Model, S extends viewset.ModelSerializer<M>> {
    GuardMixin: { config: object; methods: { checkObjectPermissions(record: viewset.ModelRecord<M>): Promise<void> } }
  }
}

async function guard(this: GuardView, record: Owned): Promise<void> {
  if (!mayUse(this.user, record)) throw new PermissionDenied()
}

const GuardMixin = defineMixin('GuardMixin', {
  methods: Base =>
    class extends Base {
      override checkObjectPermissions(record: object): Promise<void> {
        return guard.call(this, record as Owned)
      }
    },
})

type Factory = (config: ResourceConfig) => AnyResourceClass

const mixins: readonly Mixin[] = [...FullViewSet.mixins, TouchModelMixin]
// What their types say depends on the model; here each is called in the same way.
const make = compose(...mixins) as unknown as Factory
const makeGuarded = compose(...mixins, GuardMixin) as unknown as Factory

/** The ways in which a resource can say who may use which record. */
const GUARDS: Readonly<Record<string, (config: ResourceConfig) => AnyResourceClass>> = {
  'a permission': config =>
    make({
      ...config,
      permissionClasses: [
        { hasPermission: () => true, hasObjectPermission: ({ user }, record: Owned) => mayUse(user, record) },
      ],
    }),
  'a class of permissions': config => {
    class MayUse {
      hasPermission = () => true
      hasObjectPermission({ user }: { readonly user: User | null }, record: Owned) {
        return mayUse(user, record)
      }
    }
    return make({ ...config, permissionClasses: [MayUse] })
  },
  'a method of the class': config => {
    class Guarded extends make(config) {
      override async checkObjectPermissions(record: object) {
        await guard.call(this, record as Owned)
      }
    }
    return Guarded
  },
  'a property of the class': config => {
    class Guarded extends make(config) {
      override checkObjectPermissions = async (record: object) => guard.call(this, record as Owned)
    }
    return Guarded
  },
  'a mixin': makeGuarded,
}

describeOneDialect('who may use a record is asked on every route:', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const { AuthorSerializer } = serializers(tables)
  const config: ResourceConfig & viewset.SettingsOf<'BulkUpsertModelMixin' | 'FileImportMixin'> = {
    model: authors,
    serializer: AuthorSerializer,
    permissionClasses: [AllowAny],
    queryset: () => ne(authors.id, uuid(3)),
    actions: {
      custom: { method: 'POST', detail: true, handler: (view: viewset.GenericViewSet) => view.getObject() },
    },
    upsertFields: ['email'],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['authors'],
      models: { authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
    },
  }
  const guarded = Object.entries(GUARDS).map(([by, factory]) => ({ by, resource: factory(config) }))
  const resources = Object.fromEntries(guarded.map(({ resource }, index) => [`authors-${index}`, resource]))
  const api = useApi(dialect, {
    tables,
    users,
    resources,
    // What is a property of the class is not known before there is a view.
    openapi: { errors: { 403: 'The record belongs to somebody else.' } },
  })

  test('no action of the package is left out', () => {
    // test/history asks the routes of a history, which needs a table.
    const known = Object.values(viewset).flatMap(value =>
      typeof value === 'object' && value !== null && value !== viewset.HistoryModelMixin && 'routes' in value
        ? (value as Mixin).routes
        : [],
    )
    const routes = [...known.map(({ method, path }) => `${method} ${path}`), 'POST /:id/custom/']
    expect(Object.keys(ATTEMPTS)).toEqual(expect.arrayContaining([...new Set(routes)]))
    expect(endpointsOf('', resources['authors-0'] as AnyResourceClass, { importMappings: {} }).map(routeOf)).toEqual(
      expect.arrayContaining([...new Set(routes)]),
    )
  })

  describe.each(guarded.map(({ by }, index) => ({ by, name: `authors-${index}` })))('$by', ({ name }) => {
    const endpoints = endpointsOf('', resources[name] as AnyResourceClass)
    const cases = endpoints.flatMap(endpoint => {
      const attempts = ATTEMPTS[routeOf(endpoint)]
      if (attempts === undefined) throw new Error(`${routeOf(endpoint)} has no line in ATTEMPTS.`)
      const all = attempts === null ? [] : [attempts].flat()
      return all.flatMap((attempt, variant) =>
        KINDS.map(kind => ({ route: routeOf(endpoint), variant, kind, attempt, method: endpoint.method as Method })),
      )
    })

    beforeEach(() => seed(api.database, tables, { authors: [] }))

    test.each(cases)('$route ($variant) of a record that is $kind', async ({ route, kind, attempt, method }) => {
      const id = kind === 'hidden' ? uuid(3) : uuid(1)
      const createdBy = kind === 'foreign' ? 'ben' : 'ann'
      await seed(api.database, tables, { authors: [{ id, name: 'Record', email: EMAIL, createdBy }] })
      const path = `/${name}${route.slice(route.indexOf('/')).replace(':id', id)}`
      const before = await api.rows('authors')
      const asAnn = await api.request(method, path, { ...attempt.request(id), as: 'ann' })
      if (kind === 'hidden') attempt.missing(asAnn)
      else if (kind === 'own') status(attempt.allowed)(asAnn)
      else if (attempt.refused) attempt.refused(asAnn)
      else expectError(asAnn, 403, DENIED)
      const isReplace = kind === 'hidden' && asAnn.status === 201
      if (kind !== 'own' && !isReplace) expect(await api.rows('authors')).toEqual(before)
      if (kind === 'foreign') {
        status(attempt.allowed)(await api.request(method, path, { ...attempt.request(id), as: 'root' }))
      }
      if (kind === 'hidden') expect(await api.rows('authors')).toEqual(expect.arrayContaining([...before]))
    })
  })
})

function routeOf({ method, path }: Endpoint): string {
  return `${method} ${path.slice('/'.length)}`
}
