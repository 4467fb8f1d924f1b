import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  BulkViewSet,
  importModel,
} from 'viewset'
import { beforeAll, describe, expect, test } from 'vitest'
import { type TestResponse, useApi } from '../support/api.ts'
import { pgDialect, sqliteDialect } from '../support/dialects.ts'
import { expectError, expectInvalid, nonField } from '../support/expect.ts'
import { csv } from '../support/imports.ts'
import { importForm } from '../support/multipart.ts'

const permissionClasses = [AllowAny]
const BAD = ['This value is not valid.']

/** Columns with constraints that only the database knows how to check. */
const tables = {
  pg: pg.pgTable(
    'rooms',
    {
      id: pg.serial().primaryKey(),
      code: pg.text().notNull().unique(),
      floor: pg.integer(),
      opens: pg.integer(),
      closes: pg.integer(),
      note: pg.text(),
      seats: pg.integer(),
    },
    t => [
      pg.check('rooms_floor_range', sql`${t.floor} between 0 and 9`),
      pg.check('rooms_hours', sql`${t.opens} < ${t.closes}`),
      pg.uniqueIndex('rooms_note_once').on(t.note).where(sql`${t.floor} = 1`),
    ],
  ),
  sqlite: lite.sqliteTable(
    'rooms',
    {
      id: lite.integer().primaryKey(),
      code: lite.text().notNull().unique(),
      floor: lite.integer(),
      opens: lite.integer(),
      closes: lite.integer(),
      note: lite.text(),
      seats: lite.integer(),
    },
    t => [
      lite.check('rooms_floor_range', sql`${t.floor} between 0 and 9`),
      lite.check('rooms_hours', sql`${t.opens} < ${t.closes}`),
      lite.uniqueIndex('rooms_note_once').on(t.note).where(sql`${t.floor} = 1`),
    ],
  ),
}

/** What was added in SQL, behind the schema's back. */
const ADDED = {
  pg: [
    'alter table rooms add check (seats > 0)',
    "alter table rooms add constraint odd check (note <> 'code')",
    "update pg_attribute set attnotnull = true where attrelid = 'rooms'::regclass and attname = 'closes'",
  ],
  sqlite: [
    'drop table rooms',
    `create table rooms (id integer primary key, code text not null unique, floor integer, opens integer,
      closes integer not null, note text, seats integer check (seats > 0),
      constraint rooms_floor_range check (floor between 0 and 9), constraint rooms_hours check (opens < closes),
      constraint odd check (note <> 'code'))`,
    'create unique index rooms_note_once on rooms (note) where floor = 1',
  ],
}

for (const dialect of [sqliteDialect, pgDialect]) {
  describe(`${dialect.name}: what only the database refuses`, () => {
    const rooms = tables[dialect.name] as typeof tables.pg
    const fields = ['id', 'code', 'floor', 'opens', 'closes', 'note', 'seats'] as const
    const api = useApi(dialect, {
      tables: { rooms },
      resources: {
        rooms: BulkImportableViewSet.add(BulkUpsertModelMixin)({
          model: rooms,
          serializer: BaseModelSerializer(rooms, { fields }),
          permissionClasses,
          upsertFields: ['code'],
          importFileConfig: {
            fileFormat: 'csv',
            order: ['rooms'],
            models: {
              rooms: importModel({
                model: rooms,
                fields: ['code', 'floor', 'closes', 'seats'],
                uniqueFields: ['code'],
              }),
            },
          },
        }),
      },
    })
    beforeAll(async () => {
      for (const text of ADDED[dialect.name]) await api.database.driver.run({ text }, [])
    })
    const room = { code: 'A', floor: 1, opens: 8, closes: 9, note: 'x', seats: 1 }

    test.each([
      ['a check of one column names it', { floor: 10 }, { floor: BAD }],
      [
        'a check of several columns names them',
        { opens: 10 },
        nonField('The values of opens, closes do not go together.'),
      ],
      ['a check that the schema does not know names its column', { seats: 0 }, { seats: BAD }],
      [
        'NOT NULL that the schema does not know names its column',
        { closes: null },
        { closes: ['This field needs a value: null is not allowed.'] },
      ],
    ])('%s, on every way to write', async (_, wrong, errors) => {
      const { id } = (await api.post('/rooms/', room)).data<{ id: number }>()
      const message = 'non_field_errors' in errors ? errors.non_field_errors[0] : undefined
      const refused = (response: TestResponse) =>
        message === undefined ? expectInvalid(response, errors) : expectError(response, 400, message, errors)
      refused(await api.post('/rooms/', { ...room, code: 'B', floor: 2, ...wrong }))
      refused(await api.patch(`/rooms/${id}/`, wrong))
      refused(await api.post('/rooms/bulk-create/', [{ ...room, code: 'B', floor: 2, ...wrong }]))
      refused(await api.patch('/rooms/bulk-update/', [{ id, ...wrong }]))
      refused(await api.post('/rooms/bulk-upsert/', [{ ...room, ...wrong }]))
      refused(await api.post('/rooms/bulk-upsert/', [{ ...room, code: 'B', floor: 2, ...wrong }]))
      expect((await api.rows('rooms')).length).toBe(1)
    })

    test('a constraint that tells no column belongs to none', async () => {
      expectError(await api.post('/rooms/', { ...room, note: 'code' }), 400, BAD[0] as string, nonField(...BAD))
    })

    test('a partial unique index is looked up before the write', async () => {
      expect((await api.post('/rooms/', room)).status).toBe(201)
      expectInvalid(await api.post('/rooms/', { ...room, code: 'B' }), {
        note: ['Another record already has this value.'],
      })
    })

    test('an import names the column in the row', async () => {
      const file = csv(['code', 'floor', 'closes', 'seats'], ['A', 10, 1, 1], ['B', 1, 1, 0], ['C', 1, null, 1])
      const result = await api.request('POST', '/rooms/import-from-file/', importForm(file))
      expect(result.data<{ errors: object[] }>().errors).toMatchObject([
        { row: 2, field: 'floor', message: BAD[0], model: 'rooms' },
        { row: 3, field: 'seats', message: BAD[0], model: 'rooms' },
        { row: 4, field: 'closes', message: 'This field needs a value: null is not allowed.', model: 'rooms' },
      ])
    })
  })
}

describe('pg: types that code knows less of', () => {
  const mood = pg.pgEnum('weather', ['sun', 'rain'])
  const things = pg.pgTable('things', {
    id: pg.serial().primaryKey(),
    opens: pg.time(),
    closes: pg.time({ withTimezone: true }),
    address: pg.inet(),
    network: pg.cidr(),
    device: pg.macaddr(),
    lasts: pg.interval(),
    rests: pg.interval(),
    place: pg.point(),
    days: pg.date().array(),
    moods: mood().array(),
    name: pg.text(),
  })
  const serializer = BaseModelSerializer(things, {
    fields: [
      'id',
      'opens',
      'closes',
      'address',
      'network',
      'device',
      'lasts',
      'rests',
      'place',
      'days',
      'moods',
      'name',
    ],
  })
  const api = useApi(pgDialect, {
    tables: { mood, things },
    resources: { things: BulkViewSet({ model: things, serializer, permissionClasses }) },
  })
  const time = (value: unknown) => [`${JSON.stringify(value)} is not a time of day. Write it like 10:30.`]
  const ZONED = ['"10:61+01:00" is not a time of day. Write it like 10:30+01:00.']
  const address = (value: string) => [`"${value}" is not an IP address. Write it like 192.0.2.1.`]

  test.each([
    [{ opens: '25:00' }, { opens: time('25:00') }],
    [{ opens: '10' }, { opens: time('10') }],
    [{ opens: 10 }, { opens: time(10) }],
    [{ opens: '10:00+02' }, { opens: time('10:00+02') }],
    [{ closes: '10:61+01:00' }, { closes: ZONED }],
    [{ address: '1.2.3' }, { address: address('1.2.3') }],
    [{ address: '1.2.3.4/33' }, { address: address('1.2.3.4/33') }],
    [{ network: 'net' }, { network: address('net') }],
    [{ device: '08:00:2b' }, { device: ['"08:00:2b" is not a MAC address. Write it like 08:00:2b:01:02:03.'] }],
  ])('%j is refused by validation, an item by its index', async (wrong, errors) => {
    const [[field, messages] = ['', []]] = Object.entries(errors)
    expectInvalid(await api.post('/things/', wrong), errors)
    expectInvalid(await api.post('/things/bulk-create/', [{}, wrong]), { [`1.${field}`]: messages })
    const { id } = (await api.post('/things/', {})).data<{ id: number }>()
    expectInvalid(await api.patch(`/things/${id}/`, wrong), errors)
    expectInvalid(await api.patch('/things/bulk-update/', [{ id, ...wrong }]), { [`0.${field}`]: messages })
  })

  test('what they accept is stored', async () => {
    const sent = {
      opens: '23:59:59.123456',
      closes: '10:00:00+02',
      address: '::1',
      network: '10.0.0.0/8',
      device: '08:00:2b:01:02:03',
      lasts: '01:30:00',
    }
    const { id, ...stored } = (await api.post('/things/', sent)).data<{ id: number }>()
    expect(stored).toMatchObject(sent)
    expect(
      (await api.patch(`/things/${id}/`, { opens: '10:30', address: '10.0.0.1/24', closes: '10:00Z' })).data(),
    ).toMatchObject({
      opens: '10:30:00',
      address: '10.0.0.1/24',
      closes: '10:00:00+00',
    })
  })

  test.each([
    [{ lasts: 'long', rests: '1 day' }, 'lasts'],
    [{ lasts: '1 day', rests: 'long' }, 'rests'],
    [{ network: '10.0.0.1/8' }, 'network'],
    [{ days: ['2026-02-30'] }, 'days'],
    [{ moods: ['snow'] }, 'moods'],
  ])('%j, which only the database understands, is refused with the name of its column', async (wrong, field) => {
    const errors = { [field]: BAD }
    expectInvalid(await api.post('/things/', wrong), errors)
    expectInvalid(await api.post('/things/bulk-create/', [{ name: 'x' }, wrong]), errors)
    const { id } = (await api.post('/things/', {})).data<{ id: number }>()
    expectInvalid(await api.patch(`/things/${id}/`, wrong), errors)
    expectInvalid(await api.patch('/things/bulk-update/', [{ id, ...wrong }]), errors)
  })
})
