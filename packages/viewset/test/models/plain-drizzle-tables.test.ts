import { eq, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { AllowAny, BaseModelSerializer, BaseViewSet, createRecord, currentDb, findRecords } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { pgDialect, sqliteDialect } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess, NOW, nonField } from '../support/expect.ts'
import { expectDescribed } from '../support/schemas.ts'

const permissionClasses = [AllowAny]

describe('pg: plain Drizzle tables', () => {
  const mood = pg.pgEnum('mood', ['happy', 'sad'])
  const shops = pg.pgTable('shops', {
    id: pg.serial().primaryKey(),
    label: pg.varchar({ length: 5 }).notNull().unique(),
  })
  const notes = pg.pgTable('notes', {
    id: pg.bigserial({ mode: 'number' }).primaryKey(),
    text: pg.text().notNull(),
    shopId: pg.integer('shop_id').references(() => shops.id, { onDelete: 'cascade' }),
    mood: mood(),
    tags: pg.text().array(),
    size: pg.real(),
    weight: pg.doublePrecision(),
    small: pg.smallint(),
    amount: pg.numeric({ precision: 20, scale: 4 }),
    any: pg.numeric(),
    flag: pg.boolean().default(true),
    data: pg.json(),
    day: pg.date(),
    at: pg.timestamp({ withTimezone: true, mode: 'string' }),
    local: pg.timestamp({ mode: 'string' }),
    created: pg.timestamp({ withTimezone: true }).notNull().defaultNow(),
    code: pg.char({ length: 3 }),
    twice: pg.integer().generatedAlwaysAs(sql`small * 2`),
  })
  const keys = [
    'id',
    'text',
    'shopId',
    'mood',
    'tags',
    'size',
    'weight',
    'small',
    'amount',
    'any',
    'flag',
    'data',
    'day',
    'at',
    'local',
    'created',
    'code',
    'twice',
  ] as const
  const serializer = BaseModelSerializer(notes, { fields: keys, readOnly: ['created'] })
  const api = useApi(pgDialect, {
    tables: { mood, shops, notes },
    resources: {
      notes: BaseViewSet({ model: notes, serializer, permissionClasses }),
      shops: BaseViewSet({
        model: shops,
        serializer: BaseModelSerializer(shops, { fields: ['id', 'label'] }),
        permissionClasses,
      }),
    },
  })
  const full = {
    text: 'Hello',
    shop_id: null,
    mood: 'happy',
    tags: ['a', 'b,"c'],
    size: 1.5,
    weight: 0.1,
    small: 7,
    amount: '1234567890123456.7891',
    any: '1.10',
    flag: false,
    data: { b: 1, a: 2 },
    day: '2026-01-15',
    at: '2026-01-15T10:30:00.123456Z',
    local: '2026-01-15T10:30:00.123456Z',
    code: 'abc',
  }

  test('go through every action', async () => {
    const { code, ...others } = full
    const data = { id: 1, ...others, created: NOW, code, twice: 14 }
    expectSuccess(await api.post('/notes/', full), 201, { data })
    expectDescribed(serializer, full, (await api.get('/notes/1/')).data())
    expectSuccess(await api.get('/notes/1/'), 200, { data })
    expectSuccess(await api.get('/notes/'), 200, { count: 1, data: [{ ...data, index: 1 }] })
    expectSuccess(await api.patch('/notes/1/', { small: 8 }), 200, { data: { ...data, small: 8, twice: 16 } })
    expect((await api.delete('/notes/1/')).status).toBe(204)
  })

  test('fill their own defaults', async () => {
    const nulls = Object.fromEntries(Object.keys(full).map(key => [key, null]))
    const { code, ...others } = { ...nulls, text: 'x', flag: true, code: null }
    expectSuccess(await api.post('/notes/', { text: 'x' }), 201, {
      data: { id: 1, ...others, created: NOW, code, twice: null },
    })
  })

  test('are validated by their columns', async () => {
    expectInvalid(await api.post('/notes/', { small: 40_000, mood: 'angry', shop_id: 9, code: 'abcd', amount: '1e' }), {
      text: ['This field is required.'],
      mood: ['"angry" is not a valid choice. Choose one of: happy, sad.'],
      small: ['Ensure this value is less than or equal to 32767.'],
      amount: ['"1e" is not a number. Write it like 90.5.'],
      code: ['Ensure this field has no more than 3 characters.'],
      shop_id: ['There is no shop with the id "9".'],
    })
    expectInvalid(await api.post('/shops/', { label: 'toolong' }), {
      label: ['Ensure this field has no more than 5 characters.'],
    })
  })

  test('a value that only the database can judge is 400 and never 500', async () => {
    const response = await api.post('/notes/', { text: 'x', tags: { a: 1 } })
    expect(response.status).toBe(400)
    expect(await api.rows('notes')).toEqual([])
  })

  test('unique values are theirs', async () => {
    await api.post('/shops/', { label: 'a' })
    expectInvalid(await api.post('/shops/', { label: 'a' }), { label: ['Another record already has this value.'] })
  })

  test('a record holds the types of its columns', async () => {
    await api.database.transaction(async () => {
      const values = { text: 'x', weight: 0.5, day: '2026-01-15', created: new Date('2026-01-15T10:30:00.123Z') }
      const record = await createRecord(notes, values)
      const [found] = await findRecords(notes, eq(notes.created, values.created))
      const [row] = await currentDb().select().from(notes)
      for (const seen of [record, found]) {
        expect(seen).toMatchObject(values)
        expect({ ...seen }).toMatchObject({ ...row })
      }
    })
  })
})

/** What `currentDb()` is on SQLite; its type is PostgreSQL's, for portable models. */
type LiteDatabase = lite.BaseSQLiteDatabase<'async', unknown>

describe('sqlite: plain Drizzle tables', () => {
  const shops = lite.sqliteTable('shops', {
    id: lite.integer().primaryKey(),
    label: lite.text({ length: 5 }).notNull().unique(),
  })
  const notes = lite.sqliteTable('notes', {
    id: lite.integer().primaryKey({ autoIncrement: true }),
    text: lite.text().notNull(),
    shopId: lite.integer('shop_id').references(() => shops.id, { onDelete: 'cascade' }),
    mood: lite.text({ enum: ['happy', 'sad'] }),
    size: lite.real(),
    small: lite.integer(),
    amount: lite.numeric(),
    flag: lite.integer({ mode: 'boolean' }).default(true),
    data: lite.text({ mode: 'json' }),
    created: lite.integer({ mode: 'timestamp' }),
    big: lite.blob({ mode: 'bigint' }),
    twice: lite.integer().generatedAlwaysAs(sql`small * 2`),
  })
  const keys = ['id', 'text', 'shopId', 'mood', 'size', 'small', 'amount', 'flag', 'data', 'created', 'twice'] as const
  const serializer = BaseModelSerializer(notes, { fields: keys, readOnly: ['created'] })
  const api = useApi(sqliteDialect, {
    tables: { shops, notes },
    resources: {
      notes: BaseViewSet({
        model: notes,
        serializer,
        permissionClasses,
      }),
      created: BaseViewSet({
        model: notes,
        serializer: BaseModelSerializer(notes, { fields: ['id', 'text', 'created'] }),
        permissionClasses,
      }),
    },
  })
  const full = {
    text: 'Hello',
    shop_id: null,
    mood: 'happy',
    size: 1.5,
    small: 7,
    amount: '1.1',
    flag: false,
    data: { b: 1, a: [2] },
  }

  test('go through every action', async () => {
    const data = { id: 1, ...full, created: null, twice: 14 }
    expectSuccess(await api.post('/notes/', full), 201, { data })
    expectDescribed(serializer, full, (await api.get('/notes/1/')).data())
    expectSuccess(await api.get('/notes/1/'), 200, { data })
    expectSuccess(await api.get('/notes/'), 200, { count: 1, data: [{ ...data, index: 1 }] })
    expectSuccess(await api.patch('/notes/1/', { small: 8 }), 200, { data: { ...data, small: 8, twice: 16 } })
    expect((await api.delete('/notes/1/')).status).toBe(204)
    expectError(await api.get('/notes/1/'), 404, 'There is no such record, or you may not see it.')
  })

  test('are validated by their columns', async () => {
    expectInvalid(await api.post('/notes/', { small: 'x', mood: 'angry', shop_id: 9 }), {
      text: ['This field is required.'],
      mood: ['"angry" is not a valid choice. Choose one of: happy, sad.'],
      small: ['"x" is not a whole number. Write it like 42.'],
      shop_id: ['There is no shop with the id "9".'],
    })
  })

  test('a whole number in a REAL column stays a number', async () => {
    expect((await api.post('/notes/', { text: 'x', size: 2 })).data().size).toBe(2)
  })

  test('an own kind of column takes what its type says, else 400', async () => {
    for (const created of ['yesterday', 5, {}, [], true]) {
      const response = await api.post('/created/', { text: 'x', created })
      expect([response.status, JSON.parse(response.text)]).toMatchObject([400, { success: false, data: null }])
    }
    expect(nonField('x')).toEqual({ non_field_errors: ['x'] })
    expect(await api.rows('notes')).toEqual([])
  })

  test('a record holds the types of its columns', async () => {
    await api.database.transaction(async () => {
      const values = { text: 'x', size: 2, big: 2n ** 60n, created: new Date('2026-01-15T10:30:00Z') }
      const record = await createRecord(notes, values)
      const [found] = await findRecords(notes, eq(notes.created, values.created))
      const [row] = await (currentDb() as unknown as LiteDatabase).select().from(notes)
      for (const seen of [record, found]) {
        expect(seen).toMatchObject(values)
        expect({ ...seen }).toMatchObject({ ...row })
      }
    })
  })
})
