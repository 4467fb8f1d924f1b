import { and, eq, type SQL, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkRestoreModelMixin,
  BulkUpsertModelMixin,
  Database,
  importModel,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { CountingDriver } from '../support/counting-driver.ts'
import { describeDialects, pgDialect, sqliteDialect, type TestDialect } from '../support/dialects.ts'
import { expectError, expectInvalid, nonField } from '../support/expect.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'
import { importForm } from '../support/multipart.ts'
import { problemOf } from '../support/problem.ts'

const TAKEN = ['Another record already has this value.']
const TWICE = ['Another item of this request has the same value.']

/** The same index, declared by the kit, and by a builder of Drizzle with columns and with their names. */
const declarations = [
  { by: 'the kit', isKit: true },
  { by: 'a Drizzle builder', isKit: false },
  { by: 'a Drizzle builder in plain SQL', isKit: false, where: sql`is_active and "enabled"` },
]

const cases = [sqliteDialect, pgDialect].flatMap(dialect =>
  declarations.map(declaration => ({ dialect, name: dialect.name, ...declaration })),
)

function badgesOf({ kit: c, name }: TestDialect, isKit: boolean, written?: SQL) {
  return c.table(
    'badges',
    {
      id: c.integer().primaryKey(),
      ...c.SoftDeleteMixin(),
      enabled: c.boolean().notNull().default(true),
      code: c.text(20).notNull(),
      room: c.integer(),
      place: c.integer(),
    },
    t => {
      if (isKit) {
        const where = and(eq(t.isActive, true), eq(t.enabled, true))
        return [c.unique([t.code], { where }), c.unique([t.room, t.place], { where })]
      }
      const { uniqueIndex } = name === 'pg' ? pg : lite
      const where = written ?? sql`${t.isActive} and ${t.enabled}`
      return [
        uniqueIndex('badges_code')
          .on(t.code as never)
          .where(where),
        uniqueIndex('badges_place')
          .on(t.room as never, t.place as never)
          .where(where),
      ]
    },
  )
}

describe.each(cases)('$name: unique among active records by $by', ({ dialect, isKit, where }) => {
  const badges = badgesOf(dialect, isKit, where)
  const fields = ['id', 'code', 'room', 'place', 'enabled'] as const
  const serializer = BaseModelSerializer(badges, { fields })
  const Badges = BulkImportableViewSet.add(
    BulkUpsertModelMixin,
    BulkRestoreModelMixin,
  )({
    model: badges,
    serializer,
    permissionClasses: [AllowAny],
    importPermissionClasses: [AllowAny],
    upsertFields: ['code'],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['badges'],
      models: { badges: importModel({ model: badges, fields: ['code', 'room', 'place'], uniqueFields: ['code'] }) },
    },
  })
  const api = useApi(dialect, { tables: { badges }, resources: { badges: Badges } })
  const post = (body: object) => api.post('/badges/', body)
  const all = async () => (await api.get('/badges/?ordering=id')).data() as readonly Record<string, unknown>[]

  test('a create names the field, and a deleted record leaves its value', async () => {
    await post({ code: 'a' })
    expectInvalid(await post({ code: 'a' }), { code: TAKEN })
    expect((await post({ code: 'a', enabled: false })).status).toBe(201)
    await api.post('/badges/bulk-soft-delete/', [1])
    expect((await post({ code: 'a' })).status).toBe(201)
    expectInvalid(await post({ code: 'a' }), { code: TAKEN })
  })

  test('a set of columns is compared among the same records', async () => {
    await post({ code: 'a', room: 1, place: 1 })
    await post({ code: 'b', room: 1, place: 1, enabled: false })
    const message = 'Another record already has these values of room, place.'
    expectError(await post({ code: 'c', room: 1, place: 1 }), 400, message, nonField(message))
    expect((await post({ code: 'c', room: 1 })).status).toBe(201)
  })

  test('a change names the field that was sent', async () => {
    await post({ code: 'a' })
    await post({ code: 'b' })
    await post({ code: 'a', enabled: false })
    expectInvalid(await api.patch('/badges/2/', { code: 'a' }), { code: TAKEN })
    expectInvalid(await api.patch('/badges/3/', { enabled: true }), {
      enabled: ['Another record has the same code.'],
    })
    expect((await api.patch('/badges/3/', { enabled: true, code: 'c' })).status).toBe(200)
  })

  test('a bulk names the item and the field, also of two items that want one value', async () => {
    await post({ code: 'a' })
    await post({ code: 'a', enabled: false })
    const created = await api.post('/badges/bulk-create/', [{ code: 'x' }, { code: 'a' }, { code: 'x' }])
    expectInvalid(created, { '1.code': TAKEN, '2.code': TWICE })
    expect((await api.post('/badges/bulk-create/', [{ code: 'x' }, { code: 'x', enabled: false }])).status).toBe(201)
    expectInvalid(await api.patch('/badges/bulk-update/', [{ id: 2, enabled: true }]), {
      '0.enabled': ['Another record has the same code.'],
    })
  })

  test('an upsert finds the active record, and creates one where there is none', async () => {
    await post({ code: 'a', enabled: false })
    await post({ code: 'a' })
    await post({ code: 'b', enabled: false })
    const upserted = await api.post('/badges/bulk-upsert/', [
      { code: 'a', room: 5 },
      { code: 'b', room: 6 },
    ])
    expect(upserted.data()).toMatchObject({ created: 1, updated: 1 })
    expect((await all()).map(({ code, room, enabled }) => [code, room, enabled])).toEqual([
      ['a', null, false],
      ['a', 5, true],
      ['b', null, false],
      ['b', 6, true],
    ])
  })

  test('an import finds the active record, and creates one where there is none', async () => {
    await post({ code: 'a', enabled: false })
    await post({ code: 'a' })
    await post({ code: 'b', enabled: false })
    await post({ code: 'c', room: 1, place: 1 })
    const file = importForm(csv(['code', 'room', 'place'], ['a', 5, 5], ['b', 6, 6], ['d', 1, 1]))
    const imported = await api.request('POST', '/badges/import-from-file/', file)
    expect(imported.data()).toMatchObject({ created: 1, updated: 1, failed: 1 })
    expect(imported.data().errors).toMatchObject([
      { row: 4, message: expect.stringContaining('Another record already has these values of room, place.') },
    ])
  })

  test('a restore that would collide is a 409 with the field', async () => {
    await post({ code: 'a' })
    await api.post('/badges/bulk-soft-delete/', [1])
    await post({ code: 'a' })
    expectError(await api.post('/badges/bulk-restore/', [1]), 409, 'Another record already has this value.', {
      code: TAKEN,
    })
  })
})

describeDialects('an import by more columns than are unique among active records', dialect => {
  const c = dialect.kit
  const tags = c.table(
    'tags',
    {
      id: c.integer().primaryKey(),
      code: c.text(20).notNull(),
      room: c.text(20).notNull(),
      enabled: c.boolean().notNull(),
    },
    t => [c.unique([t.code], { where: eq(t.enabled, true) })],
  )
  const db = useDatabase(dialect, { tags })

  test('keeps other imports away by a lock: the index says nothing of inactive records', async () => {
    const model = importModel({
      model: tags,
      fields: ['code', 'room', 'enabled'],
      uniqueFields: ['code', 'room'],
      matchWithoutIndex: true,
    })
    const driver = new CountingDriver(db.database.driver)
    const config = { fileFormat: 'csv', order: ['tags'], models: { tags: model } } as const
    await importOnce(config, csv(['code', 'room', 'enabled'], ['a', 'r', 'false']), { database: new Database(driver) })
    const locks = driver.statements.filter(text => /^lock table "tags"/i.test(text))
    // SQLite has one writer at a time anyway.
    expect(locks).toHaveLength(dialect.name === 'pg' ? 1 : 0)
    expect(await db.rows('tags', 'code')).toEqual([['a']])
  })
})

describe('a kit refuses', () => {
  test('the Drizzle builder of another database', () => {
    const { kit: c } = sqliteDialect
    const table = c.table('things', { code: c.text() }, t => [pg.check('mine', sql`${t.code} <> ''`)])
    expect(problemOf(() => BaseModelSerializer(table, { fields: ['code'] }))).toContain(
      'must be those of the kit, or of the Drizzle builders of the same database',
    )
  })
})
