import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { AllowAny, BaseModelSerializer, BulkViewSet, createRecord, findRecords, insertMany } from 'viewset'
import { describe, expect, test } from 'vitest'
import { modelInfo } from '../../src/model/model-info.ts'
import { useApi } from '../support/api.ts'
import { pgDialect, sqliteDialect } from '../support/dialects.ts'
import { expectInvalid, expectSuccess } from '../support/expect.ts'
import { expectDescribed } from '../support/schemas.ts'

const permissionClasses = [AllowAny]

describe("pg: types that are the database's own", () => {
  const mood = pg.pgEnum('userMood', ['happy', 'sad'])
  const serialKind = pg.pgEnum('serial_kind', ['one', 'two'])
  const bytea = pg.customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })
  const shouted = pg.customType<{ data: string }>({
    dataType: () => 'text',
    toDriver: value => value.toUpperCase(),
    fromDriver: value => String(value).toLowerCase(),
  })
  const things = pg.pgTable('things', {
    id: pg.serial().primaryKey(),
    mood: mood(),
    moods: mood().array(),
    kind: serialKind(),
    tags: pg.text().array(),
    point: pg.point(),
    address: pg.inet(),
    span: pg.interval(),
    time: pg.time(),
    matrix: pg.integer().array().array(),
    flags: pg.boolean().array(),
    bigs: pg.bigint({ mode: 'bigint' }).array(),
  })
  const files = pg.pgTable('files', { id: pg.serial().primaryKey(), bytes: bytea(), label: shouted() })
  const keys = [
    'id',
    'mood',
    'moods',
    'kind',
    'tags',
    'point',
    'address',
    'span',
    'time',
    'matrix',
    'flags',
    'bigs',
  ] as const
  const serializer = BaseModelSerializer(things, { fields: keys })
  const api = useApi(pgDialect, {
    tables: { mood, serialKind, things, files },
    resources: {
      things: BulkViewSet({
        model: things,
        serializer,
        permissionClasses,
      }),
      files: BulkViewSet({
        model: files,
        serializer: BaseModelSerializer(files, { fields: ['id', 'label'], extra: { big: () => 9n } }),
        permissionClasses,
      }),
    },
  })
  const full = {
    mood: 'happy',
    moods: ['sad', 'happy'],
    kind: 'two',
    tags: ['a', 'b,"c\\ {d}', '', 'NULL', null],
    point: [1, 2.5],
    address: '10.0.0.1',
    span: '1 day',
    time: '10:30:00',
    matrix: [
      [1, 2],
      [3, null],
    ],
    flags: [true, false],
    bigs: [1, '9007199254740993'],
  }

  test('are written alone and in bulk', async () => {
    const nothing = Object.fromEntries(Object.keys(full).map(key => [key, null]))
    expectSuccess(await api.post('/things/', full), 201, { data: { id: 1, ...full } })
    expectDescribed(serializer, full, (await api.get('/things/1/')).data())
    expectSuccess(await api.post('/things/bulk-create/', [full, {}]), 201, {
      data: [
        { id: 2, ...full },
        { id: 3, ...nothing },
      ],
    })
    expectSuccess(
      await api.patch('/things/bulk-update/', [
        { id: 1, mood: 'sad' },
        { id: 3, ...full },
      ]),
      200,
      {
        data: [
          { id: 1, ...full, mood: 'sad' },
          { id: 3, ...full },
        ],
      },
    )
  })

  test('a value that they cannot hold is 400', async () => {
    for (const [field, value] of [
      ['tags', { a: 1 }],
      ['tags', 5],
      ['point', 'here'],
      ['point', 5],
      ['moods', ['angry']],
      ['address', 'home'],
    ] as const) {
      expect([field, (await api.post('/things/', { [field]: value })).status]).toEqual([field, 400])
      expect([field, (await api.post('/things/bulk-create/', [{ [field]: value }])).status]).toEqual([field, 400])
    }
    expectInvalid(await api.post('/things/', { tags: { a: 1 } }), { tags: ['This value is not valid.'] })
  })

  test("an enum's name keeps its case and its schema", () => {
    const house = pg.pgSchema('house')
    const rooms = house.table('rooms', {
      id: pg.serial().primaryKey(),
      kind: house.enum('roomKind', ['one'])().array(),
    })
    const { byKey } = modelInfo(rooms)
    expect([byKey.get('id')?.sqlType, byKey.get('kind')?.sqlType]).toEqual(['int', '"house"."roomKind"[]'])
  })

  test("a custom type's own function is asked, and bytes stay bytes", async () => {
    const bytes = Buffer.from([0, 92, 255])
    await api.database.transaction(async () => {
      await createRecord(files, { bytes, label: 'one' })
      await insertMany(files, [{ bytes, label: 'two' }])
    })
    expect(await api.rows('files')).toEqual([
      ['1', '\\x005cff', 'ONE'],
      ['2', '\\x005cff', 'TWO'],
    ])
  })

  test('a computed field may return a bigint', async () => {
    expectSuccess(await api.post('/files/', { label: 'three' }), 201, { data: { id: 1, label: 'three', big: 9 } })
  })

  test('without orderingFields, a list can be ordered by what has an order', async () => {
    expect((await api.get('/things/?ordering=mood,-kind,time')).status).toBe(400)
    expect((await api.get('/things/?ordering=mood,-kind,id')).status).toBe(200)
    expect((await api.get('/things/?ordering=point')).status).toBe(400)
  })
})

describe("sqlite: types that are the database's own", () => {
  const things = lite.sqliteTable('things', {
    id: lite.integer().primaryKey(),
    bytes: lite.blob({ mode: 'buffer' }),
    big: lite.blob({ mode: 'bigint' }),
    data: lite.blob({ mode: 'json' }),
  })
  const serializer = BaseModelSerializer(things, { fields: ['id', 'big', 'data'] })
  const api = useApi(sqliteDialect, {
    tables: { things },
    resources: {
      things: BulkViewSet({
        model: things,
        serializer,
        permissionClasses,
      }),
    },
  })

  test('are the same in bulk as alone', async () => {
    const values = { bytes: Buffer.from([0, 92, 255]), big: 2n ** 60n, data: { a: [1] } }
    const records = await api.database.transaction(async () => {
      await createRecord(things, values)
      await insertMany(things, [values, { big: 3n }])
      return findRecords(things)
    })
    expect(records.map(record => ({ ...record }))).toEqual([
      { id: 1, ...values },
      { id: 2, ...values },
      { id: 3, bytes: null, big: 3n, data: null },
    ])
    for (const id of [1, 2, 3]) expectDescribed(serializer, { big: 3 }, (await api.get(`/things/${id}/`)).data())
    expectSuccess(await api.patch('/things/bulk-update/', [{ id: 3, data: { b: 2 } }]), 200, {
      data: [{ id: 3, big: 3, data: { b: 2 } }],
    })
  })

  test('a value that could not be read again is 400', async () => {
    expectInvalid(await api.post('/things/', { big: 'many' }), { big: ['This value is not valid.'] })
    expectInvalid(await api.post('/things/bulk-create/', [{ big: {} }]), { '0.big': ['This value is not valid.'] })
    expect(await api.rows('things')).toEqual([])
  })
})
