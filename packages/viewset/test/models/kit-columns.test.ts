import { sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  type ColumnKit,
  createRecord,
  currentDb,
  DataToDataField,
  findRecords,
  importModel,
  insertMany,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess } from '../support/expect.ts'

function models(c: ColumnKit) {
  const readings = c.table('readings', {
    id: c.integer().primaryKey(),
    name: c.text(20),
    level: c.float(),
    takenAt: c.time(),
    tags: c.array(c.text(10, { allowBlank: true })),
    counts: c.array(c.integer()),
    prices: c.array(c.decimal(8, 2)),
    flags: c.array(c.boolean()),
    days: c.array(c.date()),
    moments: c.array(c.timestamp()),
    refs: c.array(c.uuid()),
    sizes: c.array(c.enumeration(['s', 'm'])),
    factors: c.array(c.float()),
    hours: c.array(c.time()),
    bytes: c.binary(8),
  })
  const notes = c.table('notes', {
    id: c.integer().primaryKey(),
    reading: c.foreignKey(readings),
    labels: c.array(c.text()).notNull().default(['new']),
    weight: c.float().notNull().default(1.5),
    opens: c.time().notNull().default('08:00:00'),
  })
  return { readings, notes }
}

const sent = {
  name: 'first',
  level: -0.1,
  taken_at: '10:30',
  tags: ['a', 'b,"c\\ {d}', '', 'NULL', "it's"],
  counts: [1, -2],
  prices: ['29.9', 5, '-0.00'],
  flags: [true, false],
  days: ['2026-01-15'],
  moments: ['2026-01-15T10:30:00'],
  refs: ['00000000-0000-4000-8000-00000000000A'],
  sizes: ['s'],
  factors: [1.5, 1e21],
  hours: ['23:59:59.120'],
  bytes: 'AFz/',
}
const shown = {
  ...sent,
  taken_at: '10:30:00',
  prices: ['29.90', '5.00', '0.00'],
  moments: ['2026-01-15T09:30:00.000000Z'],
  refs: ['00000000-0000-4000-8000-00000000000a'],
  hours: ['23:59:59.12'],
}
const EMPTY = { ...Object.fromEntries(Object.keys(sent).map(key => [key, null])), tags: [], bytes: '' }

describeDialects('float, time, array and binary columns', dialect => {
  const tables = models(dialect.kit)
  const { readings, notes } = tables
  const fields = [
    'id',
    'name',
    'level',
    'takenAt',
    'tags',
    'counts',
    'prices',
    'flags',
    'days',
    'moments',
    'refs',
    'sizes',
    'factors',
    'hours',
    'bytes',
  ] as const
  const serializer = BaseModelSerializer(readings, { fields })
  const api = useApi(dialect, {
    tables,
    settings: { COMMON: { TIME_ZONE: 'Europe/Berlin' } },
    resources: {
      readings: BulkImportableViewSet({
        model: readings,
        serializer,
        permissionClasses: [AllowAny],
        importPermissionClasses: [AllowAny],
        filterFields: {
          level: ['exact', 'gte', 'in'],
          takenAt: ['exact', 'lt', 'range'],
          tags: ['isnull'],
          bytes: ['isnull'],
        },
        importFileConfig: {
          fileFormat: ['csv', 'xlsx'],
          order: ['readings'],
          models: {
            readings: importModel({
              model: readings,
              fields: fields.filter(field => field !== 'id'),
              uniqueFields: ['name'],
            }),
          },
        },
      }),
      notes: BulkImportableViewSet({
        model: notes,
        serializer: BaseModelSerializer(notes, {
          fields: ['id', 'labels', 'weight', 'opens'],
          extra: { reading: DataToDataField({ queryset: readings, serializer }) },
        }),
        permissionClasses: [AllowAny],
        importPermissionClasses: [AllowAny],
        importFileConfig: {
          fileFormat: 'csv',
          order: ['notes'],
          models: { notes: importModel({ model: notes, fields: ['id', 'labels'], uniqueFields: ['id'] }) },
        },
      }),
    },
  })

  test('are written and shown by every action', async () => {
    const created = await api.post('/readings/', sent)
    expectSuccess(created, 201, { data: { id: 1, ...shown } })
    expectSuccess(await api.get('/readings/1/'), 200, { data: { id: 1, ...shown } })
    expectSuccess(await api.post('/readings/bulk-create/', [sent, { tags: [], bytes: '' }]), 201, {
      data: [
        { id: 2, ...shown },
        { id: 3, ...EMPTY },
      ],
    })
    expectSuccess(await api.patch('/readings/2/', { tags: ['x'], bytes: '/w==', level: 2 }), 200, {
      data: { id: 2, ...shown, tags: ['x'], bytes: '/w==', level: 2 },
    })
    expectSuccess(await api.patch('/readings/bulk-update/', [{ id: 3, ...sent }]), 200, {
      data: [{ id: 3, ...shown }],
    })
    const list = (await api.get('/readings/?ordering=id')).data<{ id: number }[]>()
    expect(list.map(({ id }) => id)).toEqual([1, 2, 3])
    expect(list[2]).toEqual({ id: 3, ...shown, index: 3 })
  })

  test('nested in another record, and with their defaults', async () => {
    expectSuccess(await api.post('/notes/', { reading: sent }), 201, {
      data: { id: 1, labels: ['new'], weight: 1.5, opens: '08:00:00', reading: { id: 1, ...shown } },
    })
    expectSuccess(await api.post('/notes/bulk-create/', [{ reading: sent, labels: ['a'], weight: 2 }]), 201, {
      data: [{ id: 2, labels: ['a'], weight: 2, opens: '08:00:00', reading: { id: 2, ...shown } }],
    })
  })

  test('a database fills their defaults in by itself', async () => {
    await api.database.transaction(() => currentDb().insert(notes).values({ weight: 3 }))
    expectSuccess(await api.get('/notes/1/'), 200, {
      data: { id: 1, labels: ['new'], weight: 3, opens: '08:00:00', reading: null },
    })
  })

  test('what is no such value is 400', async () => {
    const wrong = {
      level: '1.5',
      taken_at: '24:00',
      tags: ['a', 5, null, 'much too long'],
      counts: 'one',
      sizes: ['l'],
      prices: [1.234],
      bytes: 'not base64',
    }
    expectInvalid(await api.post('/readings/', wrong), {
      level: ['"1.5" is in quotes. Send the number without quotes.'],
      taken_at: ['"24:00" is not a time of day. Write it like 10:30.'],
      'tags.1': ['5 is not a text. Send a text in quotes.'],
      'tags.2': ['This field needs a value: null is not allowed.'],
      'tags.3': ['Ensure this field has no more than 10 characters.'],
      counts: ['Send a list of items.'],
      'prices.0': ['Ensure that there are no more than 2 decimal places.'],
      'sizes.0': ['"l" is not a valid choice. Choose one of: s, m.'],
      bytes: ['This is not valid base64.'],
    })
    expectInvalid(await api.post('/readings/', { bytes: 'AAAAAAAAAAAA' }), {
      bytes: ['Ensure this field has no more than 8 bytes.'],
    })
  })

  test('are filtered and ordered by', async () => {
    await api.post('/readings/bulk-create/', [
      { name: 'a', level: 1.5, taken_at: '08:00', tags: ['x'], bytes: 'AA==' },
      { name: 'b', level: 2, taken_at: '08:00:00.5' },
      { name: 'c', level: -1, taken_at: '22:15' },
    ])
    const names = async (query: string) =>
      (await api.get(`/readings/?ordering=name&${query}`)).data<{ name: string }[]>().map(({ name }) => name)
    expect(await names('level=1.5')).toEqual(['a'])
    expect(await names('level__gte=1.5')).toEqual(['a', 'b'])
    expect(await names('level__in=-1,2')).toEqual(['b', 'c'])
    expect(await names('taken_at=08:00:00.50')).toEqual(['b'])
    expect(await names('taken_at__lt=08:00:01')).toEqual(['a', 'b'])
    expect(await names('taken_at__range=08:00:00.1,23:00')).toEqual(['b', 'c'])
    expect(await names('tags__isnull=false')).toEqual(['a'])
    expect(await names('bytes__isnull=true')).toEqual(['b', 'c'])
    const ordered = (await api.get('/readings/?ordering=-taken_at,level')).data<{ name: string }[]>()
    expect(ordered.map(({ name }) => name)).toEqual(['c', 'b', 'a'])
    expect((await api.get('/readings/?ordering=tags')).status).toBe(400)
    expectError(await api.get('/readings/?taken_at=noon'), 400, 'Enter a time of day, such as 10:30.', {
      taken_at: ['Enter a time of day, such as 10:30.'],
    })
  })

  test.each(['csv', 'xlsx'])('what is exported as %s can be imported again', async fileType => {
    await api.post('/readings/', sent)
    await api.post('/readings/', { name: 'second', tags: [] })
    const before = (await api.get('/readings/')).data<Record<string, unknown>[]>()
    const includes = Object.keys(sent)
    const file = await api.post('/readings/export/', { file_type: fileType, includes })
    expect(file.status).toBe(200)
    await api.clear()
    const body = new FormData()
    body.set('file', new Blob([new Uint8Array(file.bytes)]), `readings.${fileType}`)
    body.set('append_data', 'true')
    const imported = await api.post('/readings/import-from-file/', body)
    expect(imported.data()).toMatchObject({ created: 2, errors: [] })
    const after = (await api.get('/readings/')).data<Record<string, unknown>[]>()
    expect(after.map(({ id: _, ...rest }) => rest)).toEqual(before.map(({ id: _, ...rest }) => rest))
  })

  test("a template's example can be imported", async () => {
    const template = await api.get('/readings/import-template/')
    const body = new FormData()
    body.set('file', new Blob([new Uint8Array(template.bytes)]), 'template.csv')
    body.set('append_data', 'true')
    expect((await api.post('/readings/import-from-file/', body)).data()).toMatchObject({ created: 1, errors: [] })
  })

  describe('in code', () => {
    test('bytes are bytes, lists are lists, and a change inside of one is a change', async () => {
      const bytes = new Uint8Array([0, 92, 255])
      await api.database.transaction(async () => {
        await createRecord(readings, { bytes, tags: ['a'], prices: ['1.00'], level: 0.5, takenAt: '10:30:00' })
        const [row] = await currentDb().select().from(readings)
        expect(row).toMatchObject({ bytes, tags: ['a'], prices: ['1.00'], level: 0.5, takenAt: '10:30:00' })
        const [record] = await findRecords(readings)
        expect(record).toMatchObject({ bytes, tags: ['a'], prices: ['1.00'], level: 0.5, takenAt: '10:30:00' })
        record?.tags?.push('b')
        record?.bytes?.fill(7)
        await record?.save()
      })
      expect((await api.get('/readings/1/')).data()).toMatchObject({ tags: ['a', 'b'], bytes: 'BwcH', level: 0.5 })
    })

    test('numbers beyond all others are kept, of one record and of many', async () => {
      const values = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
      const levels = async () => (await findRecords(readings)).map(({ level }) => level)
      await api.database.use(async () => {
        for (const level of values) await createRecord(readings, { level })
        await insertMany(
          readings,
          values.map(level => ({ level })),
        )
        expect(await levels()).toEqual([...values, ...values])
      })
    })

    if (dialect.name === 'pg')
      test('bytes are read whatever a session writes them as', async () => {
        const bytes = new Uint8Array([0, 92, 120, 65, 255])
        await api.database.transaction(async () => {
          await currentDb().execute(sql`set local bytea_output = 'escape'`)
          expect((await createRecord(readings, { bytes })).bytes).toEqual(bytes)
          expect((await currentDb().select().from(readings))[0]?.bytes).toEqual(bytes)
        })
      })

    test.each([
      [
        'array(bigint)',
        (c: ColumnKit) => c.array(c.bigint() as never),
        'array: of: cannot be of bigint; use c.json() instead',
      ],
      [
        'array(no column)',
        (c: ColumnKit) => c.array({} as never),
        'array: of: must be a column of the same kit: c.array(c.text())',
      ],
      ['binary(0)', (c: ColumnKit) => c.binary(0), 'binary: length: must be a whole number of bytes above 0, not 0'],
      [
        'array(text by code point)',
        (c: ColumnKit) => c.array(c.text({ collation: 'codepoint' })),
        'array: of: cannot be of a text with a collation of its own',
      ],
    ])('%s is a ConfigError', (_, make, message) => {
      expect(() => make(dialect.kit)).toThrow(message)
    })
  })
})
