import { sql } from 'drizzle-orm'
import {
  BaseModelSerializer,
  type ColumnKit,
  CursorPagination,
  currentDb,
  ExpressionField,
  HistoryModelMixin,
  IdToDataField,
  IsAuthenticated,
  importForeignKey,
  importModel,
  LimitOffsetPaginationWithFormat,
  ManyIdOnlyField,
  type PaginationSource,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts'
import { wireName } from '../../src/core/wire-names.ts'
import { has } from '../../src/kinds/kinds.ts'
import { modelInfo } from '../../src/model/model-info.ts'
import { type LookupDefinition, lookups } from '../../src/query/lookups.ts'
import { endpointsOf } from '../../src/viewset/endpoints/endpoints.ts'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { viewWithoutRequest } from '../../src/viewset/make-view.ts'
import type { AnyResourceClass } from '../../src/viewset/mixin.ts'
import { hiddenFields, hideNothing } from '../../src/viewset/reading/hidden-fields.ts'
import { type Method, type TestApi, type TestResponse, useApi } from '../support/api.ts'
import { describeDialects, describeOneDialect, type TestDialect } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { form, importForm } from '../support/multipart.ts'

const models = (c: ColumnKit) => {
  const units = c.table('units', { id: c.uuid().primaryKey(), name: c.text(20).notNull(), code: c.text(20) })
  const staff = c.table('staff', {
    ...c.BaseModelMixin(),
    name: c.text(20).notNull(),
    email: c.text(40).unique(),
    salary: c.decimal(10, 2),
    note: c.text(40),
    badge: c.text(20).unique(),
    born: c.date(),
    seen: c.timestamp(),
    isChief: c.boolean(),
    unit: c.foreignKey(units),
    secondUnit: c.foreignKey(units),
    manager: c.foreignKey('self'),
    mentor: c.foreignKey('self'),
  })
  return { units, staff, ...c.HistoryTable(staff), ...c.JobTables() }
}

/** What one world stores in the fields that the reader may not read. */
interface Secrets {
  readonly salary: string
  readonly note: string
  readonly badge: string
  readonly born: string
  readonly seen: string
  readonly isChief: boolean
  readonly code: string
  readonly secondUnit: string
  readonly manager: string | null
}

const LOW: Secrets = {
  salary: '1000.00',
  note: 'alpha',
  badge: 'b-low',
  born: '1970-01-02',
  seen: '2001-02-03T04:05:06.000000Z',
  isChief: false,
  code: 'code-low',
  secondUnit: uuid(51),
  manager: null,
}
const HIGH: Secrets = {
  salary: '9000.00',
  note: 'omega',
  badge: 'b-high',
  born: '1999-10-11',
  seen: '2020-11-12T13:14:15.000000Z',
  isChief: true,
  code: 'code-high',
  secondUnit: uuid(52),
  manager: uuid(2),
}
/** The second record always has these, so that an order changes with the first one's. */
const MIDDLE: Secrets = {
  salary: '5000.00',
  note: 'beta',
  badge: 'b-mid',
  born: '1980-05-06',
  seen: '2010-07-08T09:10:11.000000Z',
  isChief: false,
  code: 'code-mid',
  secondUnit: uuid(52),
  manager: null,
}
const HIDDEN = ['salary', 'note', 'badge', 'born', 'seen', 'isChief', 'secondUnit', 'manager']
const NESTED = ['unit__code', 'secondUnit__name', 'manager__name', 'manager__salary']
/** A relation to many, which shows only ids. */
const TO_MANY = ['pupils__salary', 'pupils__note', 'pupils__manager__badge']

interface Ask {
  readonly path: string
  readonly method: Method
  readonly body?: unknown
  readonly form?: ReturnType<typeof form>
}

const ADA = { name: 'Ada', email: 'ada@example.org' }
const file = (text: string, ...fields: readonly (readonly [name: string, value: string])[]) =>
  form({ name: 'file', filename: 'staff.csv', content: text }, ...fields.map(([name, value]) => ({ name, value })))
const secretBody = ({ salary, note, badge, born, isChief }: Secrets) => ({
  salary,
  note,
  badge,
  born,
  is_chief: isChief,
})
const csvOf = ({ salary, note, badge, born, isChief, secondUnit }: Secrets) =>
  [
    'name,email,salary,note,badge,born,is_chief,second_unit,unit_code',
    `Ada,ada@example.org,${salary},${note},${badge},${born},${isChief},${secondUnit},code-low`,
    `Cy,cy@example.org,${salary},${note},${badge},${born},${isChief},${secondUnit},code-low`,
    '',
  ].join('\n')

/**
 * The requests of each route, by method and path. A new route has no line here, and fails until it has: it might
 * answer otherwise for other values of a hidden field.
 */
const REQUESTS: Readonly<Record<string, readonly Pick<Ask, 'body' | 'form'>[]>> = {
  'GET /': [{}],
  'POST /': [LOW, HIGH, MIDDLE].map(secrets => ({
    body: { ...ADA, email: 'new@example.org', ...secretBody({ ...secrets, badge: `${secrets.badge}` }) },
  })),
  'GET /:id/': [{}],
  'PUT /:id/': [LOW, HIGH].map(secrets => ({ body: { ...ADA, ...secretBody(secrets) } })),
  'PATCH /:id/': [LOW, HIGH, MIDDLE].map(secrets => ({ body: secretBody(secrets) })),
  'DELETE /:id/': [{}],
  'POST /:id/restore/': [{}],
  'POST /bulk-create/': [LOW, HIGH].map(secrets => ({ body: [{ name: 'New', ...secretBody(secrets) }] })),
  'PUT /bulk-update/': [LOW, HIGH].map(secrets => ({ body: [{ id: uuid(1), ...ADA, ...secretBody(secrets) }] })),
  'PATCH /bulk-update/': [LOW, MIDDLE].map(secrets => ({ body: [{ id: uuid(1), ...secretBody(secrets) }] })),
  'DELETE /bulk-delete/': [{ body: [uuid(1), uuid(9)] }],
  'POST /bulk-delete/': [{ body: [uuid(1), uuid(9)] }],
  'DELETE /bulk-soft-delete/': [{ body: [uuid(1)] }],
  'POST /bulk-soft-delete/': [{ body: [uuid(1)] }],
  'POST /bulk-restore/': [{ body: [uuid(3)] }],
  'POST /bulk-upsert/': [LOW, HIGH].flatMap(secrets => [
    { body: [{ ...ADA, ...secretBody(secrets) }] },
    { body: [{ name: 'New', email: null, ...secretBody(secrets) }] },
  ]),
  'POST /export/': [
    { body: { file_type: 'csv' } },
    ...[...HIDDEN, ...NESTED, 'bonus']
      .map(wireName)
      .flatMap(name => [
        { body: { file_type: 'csv', includes: ['name', name] } },
        { body: { file_type: 'csv', column_config: { [name]: { width: 20 } } } },
      ]),
  ],
  'POST /import-from-file/': [LOW, HIGH].flatMap(secrets => [
    { form: file(csvOf(secrets), ['append_data', 'true'], ['dry_run', 'true'], ['diff', 'true']) },
    { form: file(csvOf(secrets), ['append_data', 'true']) },
    { form: file(csvOf(secrets), ['append_data', 'true'], ['failed_rows', 'true']) },
    { form: file(csvOf(secrets), ['append_data', 'false']) },
    {
      form: file(
        csvOf(secrets),
        ['append_data', 'true'],
        ['mapping', JSON.stringify({ name: 'name', email: 'email', salary: 'salary', note: 'note' })],
      ),
    },
  ]),
  'POST /import-preview/': [{ form: importForm(csvOf(LOW)) }],
  'GET /import-template/': [{}],
  'GET /:id/history/': [{}],
  'GET /:id/history/diff/': [{}],
  'POST /:id/revert/': [{ body: { entry: ':entry' } }, { body: { entry: ':entry', fields: ['name'] } }],
}

/** The settings whose names of fields a request can use. The requests of this test go through all of them. */
const NAMING_FIELDS = [
  'computedOrderingFields',
  'exportFieldConfig',
  'filterBackends',
  'filterFields',
  'importExamples',
  'importFileConfig',
  'importTransforms',
  'lookupField',
  'ordering',
  'orderingFields',
  'parent',
  'searchFields',
  'upsertFields',
]
/** The other settings. A new one belongs here only if it opens no way to ask about a field. */
const OTHERS = [
  'actions',
  'allowExportData',
  'allowUnpaginated',
  'appendEtags',
  'appendIndexes',
  'bulkBatchSize',
  'cacheControl',
  'checkScope',
  'csvBom',
  'csvDelimiter',
  'csvLocale',
  'deletedPermissionClasses',
  'describes',
  'destroyStatus',
  // Only fields that the reader's serializer shows: see reads/chosen-fields.
  'expandableFields',
  'exportFormats',
  'exportPermissionClasses',
  'historyOfDeleted',
  'historyPermissionClasses',
  'fixedValues',
  'idempotency',
  'importBackgroundFrom',
  'importPermissionClasses',
  'undoPermissionClasses',
  'isolation',
  'model',
  'orderingNulls',
  'paginationClass',
  'pdfOptions',
  'permissionClasses',
  'queryset',
  'requireIfMatch',
  'restoreQueryset',
  'returnDataOnCreate',
  'returnDataOnUpdate',
  'serializer',
  'serializers',
  'singleton',
  'softDelete',
  'sparseFields',
  'tenant',
  'unknownParameters',
  'useSaveOnBulkUpdate',
  'verboseName',
  'verboseNamePlural',
  // The count of changes, which every reader may have as the tag.
  'version',
]

const paginations: readonly (readonly [string, PaginationSource | null | undefined])[] = [
  ['staff', undefined],
  [
    'cursor',
    class extends CursorPagination {
      override readonly pageSize = 1
    },
  ],
  [
    'offset',
    class extends LimitOffsetPaginationWithFormat {
      override readonly defaultLimit = 1
    },
  ],
  ['whole', null],
  ['byBadge', undefined],
  ['byNumber', undefined],
  ['staff/:leader/team', undefined],
]

const users = { office: { id: 'kim', roles: ['office'] }, ann: { id: 'ann' }, cleo: { id: 'cleo' } }

/** An API over staff, of whom the reader `ann` may see less than the office. */
function useStaff(dialect: TestDialect) {
  const tables = models(dialect.kit)
  const { units, staff, jobs, jobErrors } = tables
  const info = modelInfo(staff)
  const unitOf = (fields: readonly ('id' | 'name' | 'code')[], name: string) =>
    IdToDataField({ queryset: units, serializer: BaseModelSerializer(units, { name, fields }) })
  const person = IdToDataField({
    queryset: staff,
    serializer: BaseModelSerializer(staff, { name: 'Manager', fields: ['id', 'name', 'salary'] }),
  })
  const unit = unitOf(['id', 'name', 'code'], 'Unit')
  const bonus = ExpressionField({ expression: sql`${staff.salary} * 2`, type: 'float' })
  const pupils = ManyIdOnlyField({ queryset: staff, column: 'mentor', readOnly: true })
  const Full = BaseModelSerializer(staff, {
    fields: ['id', 'name', 'email', 'salary', 'note', 'badge', 'born', 'seen', 'isChief'],
    extra: { bonus, unit, secondUnit: unit, manager: person, pupils },
  })
  const Public = BaseModelSerializer(staff, {
    name: 'PublicStaff',
    fields: ['id', 'name', 'email'],
    extra: { unit: unitOf(['id', 'name'], 'PublicUnit'), pupils },
  })
  /** Writes badges and salaries without reading them. */
  const Clerk = BaseModelSerializer(staff, {
    name: 'ClerkStaff',
    fields: ['id', 'name', 'email', 'badge', 'salary'],
    writeOnly: ['badge', 'salary'],
  })
  const columns = [...info.byKey.values()].filter(({ key }) => ['name', 'email', ...HIDDEN].includes(key))
  const lookupsOf = (column: (typeof columns)[number]) =>
    Object.entries<LookupDefinition>(lookups).flatMap(([name, { needs }]) =>
      name !== 'state' && (needs === null || has(column, needs)) ? [name] : [],
    )
  const settings = (paginationClass: PaginationSource | null | undefined, key: 'email' | 'badge') => ({
    model: staff,
    permissionClasses: [IsAuthenticated],
    ...(paginationClass !== undefined && { paginationClass }),
    filterFields: {
      ...Object.fromEntries(columns.map(column => [column.key, lookupsOf(column)])),
      ...Object.fromEntries([...NESTED, ...TO_MANY].map(path => [path, ['exact', 'isnull', 'in']])),
    },
    searchFields: ['name', 'note', 'unit__code', 'manager__name'],
    orderingFields: ['name', 'email', ...HIDDEN, ...NESTED],
    ordering: ['salary', 'name'],
    computedOrderingFields: {
      pay: sql`${staff.salary} + 1`,
      bonus,
      both: ['name', 'salary'],
      length: sql`length(${staff.name})`,
    },
    exportFieldConfig: { name: 'Name', salary: 'Salary', unit__code: 'Unit code', manager__salary: 'Boss' },
    upsertFields: [key],
    restoreQueryset: () => sql`true`,
    importFileConfig: {
      fileFormat: 'csv',
      order: ['staff'],
      models: {
        staff: importModel({
          model: staff,
          fields: ['name', 'email', 'salary', 'note', 'badge', 'born', 'isChief', 'secondUnit'],
          uniqueFields: [key],
          skipUnchanged: true,
          foreignKeys: { unit: importForeignKey({ model: units, lookupField: 'code', sourceField: 'unit_code' }) },
        }),
      },
    },
    importTransforms: { salary: (value: unknown) => value },
    importExamples: { staff: { salary: 1, name: 'Ada' } },
  })
  const resources = Object.fromEntries(
    paginations.map(([name, pagination]) => {
      const config = settings(pagination, name === 'byBadge' ? 'badge' : 'email')
      // The paths are generated, so their types are texts.
      const Base = FullViewSet.add(HistoryModelMixin)({
        ...config,
        serializer: Full,
        serializers: [Full, Public, Clerk],
        ...(name === 'byNumber' && { lookupField: 'badge' }),
        ...(name.includes(':') && { parent: { field: 'manager', lookupField: 'badge', param: 'leader' } }),
      } as never)
      const Resource = class extends Base {
        override getSerializer() {
          if (this.user?.id === 'cleo') return Clerk
          return this.user?.roles?.includes('office') ? Full : Public
        }
      }
      return [name, Resource as unknown as AnyResourceClass]
    }),
  )
  const queue = new ManualQueue()
  const api = useApi(dialect, {
    tables,
    users,
    resources,
    schema: true,
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })

  const store = (secrets: Secrets) =>
    api.database.transaction(async () => {
      const db = currentDb()
      await db.insert(units).values([
        { id: uuid(51), name: 'North', code: secrets.code },
        { id: uuid(52), name: 'South', code: 'code-mid' },
      ])
      const row = ({ code: _, ...values }: Secrets) => values
      await db
        .insert(staff)
        .values([
          { id: uuid(2), name: 'Bob', email: 'bob@example.org', unit: uuid(51), isActive: true, ...row(MIDDLE) },
        ] as never)
      await db.insert(staff).values([
        { id: uuid(1), ...ADA, unit: uuid(51), mentor: uuid(2), isActive: true, ...row(secrets) },
        { id: uuid(3), name: 'Old', email: 'old@example.org', isActive: false, salary: secrets.salary },
      ] as never)
    })

  /** The answer in a world of its own. */
  async function answerIn(secrets: Secrets, as: keyof typeof users, ask: Ask): Promise<string> {
    await api.clear()
    await store(secrets)
    const answer = await send(api, as, await afterChanges(secrets, ask))
    if (answer.status !== 202) return textOf(answer)
    const { id } = answer.data<JobData>()
    await queue.run(id)
    const job = await api.get(`/jobs/${id}/`, { as })
    const result = await api.get(`/jobs/${id}/file/`, { as })
    return [answer, job, result].map(textOf).join('\n')
  }

  /** The record's history: a change of hidden fields only, one of both kinds, and one of the others. */
  async function afterChanges({ salary, note }: Secrets, ask: Ask): Promise<Ask> {
    if (!/\/(history|revert)\//.test(ask.path)) return ask
    const path = `/staff/${uuid(1)}/`
    for (const body of [{ salary: '1.00' }, { salary, note: `${note}!`, name: 'Ada B' }, { name: 'Ada C' }]) {
      expect((await api.patch(path, body, { as: 'office' })).status).toBe(200)
    }
    const entries = (await api.get(`${path}history/`, { as: 'office' })).data<{ readonly id: number }[]>()
    const [last, second] = [entries[0]?.id, entries[1]?.id]
    const query = ask.path.includes('/diff/') ? `?from=${second}&to=${last}` : ''
    const body = ask.body && JSON.parse(JSON.stringify(ask.body).replace('":entry"', String(second)))
    return { ...ask, path: `${ask.path}${query}`, ...(body && { body }) }
  }

  /** One world answers all requests that only read. */
  async function answersIn(secrets: Secrets, as: keyof typeof users, asks: readonly Ask[]): Promise<readonly string[]> {
    const answers: string[] = []
    const isReading = asks.every(
      ({ path, method }) => method === 'GET' || path.endsWith('/export/') || path.includes('/export/?'),
    )
    if (!isReading || asks.some(({ path }) => path.includes('background') || path.includes('/history/'))) {
      for (const ask of asks) answers.push(await answerIn(secrets, as, ask))
      return answers
    }
    await api.clear()
    await store(secrets)
    for (const ask of asks) answers.push(textOf(await send(api, as, ask)))
    return answers
  }

  /** The answers to the reader, which are those in both worlds. */
  async function expectEqual(asks: readonly Ask[]): Promise<readonly string[]> {
    const [low, high] = [await answersIn(LOW, 'ann', asks), await answersIn(HIGH, 'ann', asks)]
    expect(asks.map((ask, at) => [ask, high[at]])).toEqual(asks.map((ask, at) => [ask, low[at]]))
    expect(low.filter(answer => answer.startsWith('5'))).toEqual([])
    return low
  }
  async function expectDifferent(asks: readonly Ask[]): Promise<void> {
    expect(await answersIn(LOW, 'office', asks)).not.toEqual(await answersIn(HIGH, 'office', asks))
  }

  const valuesOf = (key: string) =>
    [LOW, HIGH].map(secrets => {
      return String(secrets[key as keyof Secrets] ?? uuid(2))
    })
  const listAsks = (query: string): Ask[] =>
    ['staff', 'cursor', 'offset', 'whole'].map(name => ({ method: 'GET', path: `/${name}/?${query}` }))
  const exportAsk = (query: string): Ask => ({
    method: 'POST',
    path: `/staff/export/?${query}`,
    body: { file_type: 'csv' },
  })

  beforeEach(() => store(LOW))

  return { answerIn, api, columns, expectDifferent, expectEqual, exportAsk, listAsks, lookupsOf, resources, valuesOf }
}

describeDialects('a reader learns nothing of a hidden field from', dialect => {
  const { resources, answerIn, expectEqual, expectDifferent } = useStaff(dialect)

  describe('each route', () => {
    const endpoints = endpointsOf('', resources.staff as AnyResourceClass).map(({ method, path }) => ({
      method: method as Method,
      route: path.slice('/'.length),
    }))
    test.each(endpoints)('$method $route', async ({ method, route }) => {
      const requests = REQUESTS[`${method} ${route}`]
      expect(requests, 'the requests of this route').toBeDefined()
      const asks = ['staff', 'byBadge'].flatMap(name =>
        (requests ?? []).map(request => ({ ...request, method, path: `/${name}${route.replace(':id', uuid(1))}` })),
      )
      await expectEqual(asks)
    })

    test.each(['POST /export/', 'POST /import-from-file/'])('%s as a job', async route => {
      const [method = '', path = ''] = route.split(' ')
      const asks = (REQUESTS[route] ?? []).slice(0, 2).map(request => ({
        ...request,
        method: method as Method,
        path: `/staff${path}?background=true`,
      }))
      await expectEqual(asks)
      await expectDifferent(asks)
    })

    test.each(['GET /', 'GET /:id/', 'PATCH /:id/', 'POST /export/', 'POST /import-from-file/', 'GET /:id/history/'])(
      '%s differs for a user who may read it',
      async route => {
        const [method = '', path = ''] = route.split(' ')
        await expectDifferent(
          (REQUESTS[route] ?? []).map(request => ({
            ...request,
            method: method as Method,
            path: `/staff${path.replace(':id', uuid(1))}`,
          })),
        )
      },
    )
  })

  describe('a path with the hidden field: it names no record', () => {
    const endpoints = endpointsOf('', resources.byNumber as AnyResourceClass)
      .map(({ method, path }) => ({ method: method as Method, route: path.slice('/'.length) }))
      // A restore goes by the primary key.
      .filter(({ route }) => route.includes(':id') && !route.includes('restore'))
    test.each(endpoints)('$method $route', async ({ method, route }) => {
      const requests = REQUESTS[`${method} ${route}`] ?? []
      const asks = requests.map(request => ({
        ...request,
        method,
        path: `/byNumber${route.replace(':id', LOW.badge)}`,
      }))
      await expectEqual(asks)
      await expectDifferent(asks)
      expect((await answerIn(LOW, 'ann', asks[0] as Ask)).slice(0, 3)).toBe('404')
    })

    test('of a parent', async () => {
      const ask = { method: 'GET' as const, path: `/staff/${MIDDLE.badge}/team/` }
      expect(await answerIn(HIGH, 'ann', ask)).toBe(
        (await answerIn(HIGH, 'ann', { ...ask, path: '/staff/none/team/' })).replaceAll('none', MIDDLE.badge),
      )
      expect(await answerIn(HIGH, 'office', ask)).toContain('"Ada"')
    })
  })

  test('an import that finds records by a hidden field: it is refused', async () => {
    const ask = { method: 'POST' as const, path: '/byBadge/import-from-file/', form: importForm(csvOf(LOW)) }
    expect((await answerIn(LOW, 'ann', ask)).slice(0, 3)).toBe('403')
  })

  test('a file of a user who may write a field and not read it', async () => {
    const text = `name,email,salary\nAda,ada@example.org,${LOW.salary}\n`
    for (const dryRun of [true, false]) {
      const options = dryRun
        ? ([
            ['dry_run', 'true'],
            ['diff', 'true'],
          ] as const)
        : []
      const sent = file(text, ['append_data', 'true'], ...options)
      const ask: Ask = { method: 'POST', path: '/staff/import-from-file/', form: sent }
      expect(await answerIn(HIGH, 'cleo', ask)).toBe(await answerIn(LOW, 'cleo', ask))
    }
  })

  test('a unique field that a user may write and not read, except that the value is taken', async () => {
    const ask: Ask = { method: 'POST', path: '/staff/', body: { name: 'New', badge: HIGH.badge } }
    expect((await answerIn(LOW, 'cleo', ask)).slice(0, 3)).toBe('201')
    const taken = await answerIn(HIGH, 'cleo', ask)
    expect(taken.slice(0, 3)).toBe('400')
    expect(taken).not.toContain('b-high')
    expect(taken).not.toContain(uuid(1))
  })

  test('an upsert that finds records by a hidden field: it is refused', async () => {
    for (const as of ['ann', 'cleo'] as const) {
      const body = [{ name: 'New', badge: LOW.badge }]
      const answer = await answerIn(LOW, as, { method: 'POST', path: '/byBadge/bulk-upsert/', body })
      expect(answer.slice(0, 3)).toBe('403')
    }
    const ofOffice = await answerIn(LOW, 'office', {
      method: 'POST',
      path: '/byBadge/bulk-upsert/',
      body: [{ name: 'New', badge: LOW.badge }],
    })
    expect(ofOffice).toContain('"updated":1')
  })
})

describeOneDialect('a reader learns nothing of a hidden field from', dialect => {
  const { columns, lookupsOf, resources, api, expectEqual, expectDifferent, valuesOf, listAsks, exportAsk } =
    useStaff(dialect)

  test.each(HIDDEN)('a filter by %s, with each lookup', async key => {
    const column = columns.find(candidate => candidate.key === key)
    if (!column) throw new Error(`There is no ${key}.`)
    const queries = lookupsOf(column).flatMap(lookup => {
      const name = lookup === 'exact' ? column.wire : `${column.wire}__${lookup}`
      const values =
        lookup === 'isnull' ? ['true', 'false'] : lookup === 'range' ? [valuesOf(key).join(',')] : valuesOf(key)
      return values.map(value => `${name}=${encodeURIComponent(value)}`)
    })
    const answers = await expectEqual(queries.flatMap(query => [...listAsks(query).slice(0, 1), exportAsk(query)]))
    expect(answers.filter(answer => !answer.startsWith('400'))).toEqual([])
    await expectDifferent(queries.map(query => exportAsk(query)))
  })

  test('a filter through a relation', async () => {
    const values = ['code-low', 'b-mid', '1000.00', 'beta', 'code-high', 'North', 'South', 'Bob', '5000.00']
    const queries = [...NESTED, ...TO_MANY]
      .map(wireName)
      .flatMap(name => [
        ...values.map(value => `${name}=${value}`),
        ...values.slice(0, 2).map(value => `${name}__in=${value},none`),
        `${name}__isnull=true`,
        `${name}__isnull=false`,
      ])
    await expectEqual(queries.flatMap(query => [...listAsks(query).slice(0, 1), exportAsk(query)]))
    await expectDifferent(queries.map(query => exportAsk(query)))
  })

  test('an ordering, with each pagination', async () => {
    const names = [...HIDDEN, ...NESTED, 'pay', 'bonus', 'both', 'length', 'name'].map(wireName)
    const queries = ['', ...names.flatMap(name => [`ordering=${name}`, `ordering=-${name}`])]
    await expectEqual(queries.flatMap(query => [...listAsks(query), exportAsk(query)]))
    await expectDifferent(queries.map(query => exportAsk(query)))
    expect((await api.get('/staff/?ordering=length', { as: 'ann' })).status).toBe(200)
    const refused = await api.get('/staff/?ordering=zalary', { as: 'ann' })
    expect(refused.text).not.toMatch(/salary|note|badge|pay|bonus|both|chief|second|manager/)
  })

  test('a search', async () => {
    const queries = ['alpha', 'omega', 'a', 'code-low', 'low', 'bob', 'ada'].map(word => `search=${word}`)
    await expectEqual(queries.flatMap(query => [...listAsks(query), exportAsk(query)]))
    await expectDifferent(queries.flatMap(query => listAsks(query)))
  })

  test('a suggestion for an unknown parameter', async () => {
    for (const name of ['salery', 'note__foo', 'is_chief', 'x']) {
      const answer = await api.get(`/staff/?${name}=1`, { as: 'ann' })
      expect(answer.status).toBe(400)
      expect(answer.text.replaceAll(name, '')).not.toMatch(/salary|note|badge|born|seen|chief|second|manager|code/)
    }
  })

  test('the schema document: it does not name the field', async () => {
    const schemaOf = async (as: string) => (await api.get('/schema/', { as })).text
    expect(await schemaOf('ann')).not.toMatch(/salary|badge|born|second_unit|manager|unit__code|"pay"|bonus/)
    expect(await schemaOf('office')).toMatch(/salary.*badge|badge.*salary/)
  })

  test('nothing, unless an operator of the command line asks', () => {
    const view = viewWithoutRequest(resources.staff as AnyResourceClass, api.database, DEFAULT_SETTINGS)
    if (!view) throw new Error('The view needs a request.')
    expect(hiddenFields(view).hidesPath('salary')).toBe(true)
    expect(hiddenFields(hideNothing(view)).hidesPath('salary')).toBe(false)
  })

  test('a setting that this test does not know: there is none', () => {
    const known = [...NAMING_FIELDS, ...OTHERS].sort()
    expect(Object.keys((resources.staff as AnyResourceClass).definition.rules).sort()).toEqual(known)
  })
})

function send(api: TestApi, as: string, { method, path, body, form: sent }: Ask): Promise<TestResponse> {
  return api.request(method, path, { as, ...(body !== undefined && { body }), ...sent })
}

/** Without the names that differ between any two answers: of new records, jobs and times. */
function textOf({ status, headers, text }: TestResponse): string {
  const { date: _, 'x-request-id': __, ...others } = headers as Record<string, unknown>
  return `${status} ${JSON.stringify(others)}\n${text}`
    .replace(/(?!00000000-)[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replace(/_20\d{6}_\d{6}/g, '_TIME')
    .replace(/20(2[4-9]|3\d)-\d\d-\d\d[T_-][\d:.-]+Z?/g, 'TIME')
}
