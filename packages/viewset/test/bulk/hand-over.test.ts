import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import {
  AllowAny,
  BaseModelSerializer,
  BulkUpsertModelMixin,
  BulkViewSet,
  Conflict,
  findRecords,
  insertMany,
  preSave,
} from 'viewset'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeDialects, pgDialect, sqliteDialect } from '../support/dialects.ts'
import { expectError, expectSuccess, uuid } from '../support/expect.ts'

const permissionClasses = [AllowAny]
const CONFLICT = 'Another record already has this value.'

const UpsertViewSet = BulkViewSet.add(BulkUpsertModelMixin)

describeDialects('unique values of a kind that has no others to spare', dialect => {
  const c = dialect.kit
  const sides = c.table('sides', { id: c.integer().primaryKey(), isLeft: c.boolean().notNull().unique() })
  const serializer = BaseModelSerializer(sides, { fields: ['id', 'isLeft'] })
  const api = useApi(dialect, {
    tables: { sides },
    resources: { sides: BulkViewSet({ model: sides, serializer, permissionClasses }) },
  })

  test('do not change hands: that is refused, and nothing is written', async () => {
    const rows = [
      { id: 1, isLeft: false },
      { id: 2, isLeft: true },
    ]
    await api.database.transaction(() => insertMany(sides, rows))
    const swapped = rows.map(({ id, isLeft }) => ({ id, is_left: !isLeft }))
    expectError(await api.patch('/sides/bulk-update/', swapped), 409, CONFLICT, {
      is_left: ['Another record already has this value.'],
    })
    expect(await api.database.use(() => findRecords(sides))).toMatchObject(rows)
  })
})

describeDialects('unique values that change hands in one request', dialect => {
  const c = dialect.kit
  const lists = c.table('lists', { id: c.integer().primaryKey(), name: c.text(20).notNull() })
  /** Each kind of column that a unique constraint may stand on. */
  const slots = c.table(
    'slots',
    {
      id: c.uuid().primaryKey(),
      nullable: c.text(20).unique(),
      code: c.text(2).notNull().unique(),
      name: c.text().notNull(),
      rank: c.integer().notNull().unique(),
      big: c.bigint().notNull().unique(),
      weight: c.decimal(6, 2).notNull().unique(),
      token: c.uuid().notNull().unique(),
      day: c.date().notNull().unique(),
      at: c.timestamp().notNull().unique(),
      list: c.foreignKey(lists).notNull(),
      place: c.integer().notNull(),
      shelf: c.text(10).notNull(),
      label: c.text(10).notNull(),
    },
    t => [c.uniqueIgnoringCase(t.name), c.unique(t.list, t.place), c.unique(t.shelf, t.label)],
  )
  const fields = [
    'id',
    'nullable',
    'code',
    'name',
    'rank',
    'big',
    'weight',
    'token',
    'day',
    'at',
    'list',
    'place',
    'shelf',
    'label',
  ] as const
  const common = {
    model: slots,
    serializer: BaseModelSerializer(slots, { fields }),
    permissionClasses,
    upsertFields: ['token'] as const,
  }
  class Lenient extends UpsertViewSet(common) {
    override async performBulkUpdate(changes: Parameters<InstanceType<typeof Base>['performBulkUpdate']>[0]) {
      try {
        return await super.performBulkUpdate(changes)
      } catch (error) {
        if (!(error instanceof Conflict)) throw error
        return super.performBulkUpdate([])
      }
    }
  }
  const Base = UpsertViewSet(common)
  class Own extends UpsertViewSet(common) {
    override async performUpdate(...args: Parameters<InstanceType<typeof Base>['performUpdate']>) {
      return super.performUpdate(...args)
    }
  }
  const api = useApi(dialect, {
    tables: { lists, slots },
    resources: {
      slots: Base,
      saved: UpsertViewSet({ ...common, useSaveOnBulkUpdate: true }),
      own: Own,
      lenient: Lenient,
    },
  })
  const row = (n: number) => ({
    id: uuid(n),
    nullable: `n${n}`,
    code: `c${n}`,
    name: `Name ${n}`,
    rank: n,
    big: BigInt(n),
    weight: `${n}.00`,
    token: uuid(100 + n),
    day: `2026-01-0${n}`,
    at: `2026-01-0${n}T00:00:00.000000Z`,
    list: 1,
    place: n,
    shelf: 'top',
    label: `l${n}`,
  })
  const stored = async (field: keyof ReturnType<typeof row>) => {
    const rows = await api.database.use(() => findRecords(slots))
    return rows.toSorted((a, b) => a.id.localeCompare(b.id)).map(found => String(found[field]))
  }
  beforeEach(async () => {
    await api.database.transaction(async () => {
      await insertMany(lists, [{ id: 1, name: 'One' }])
      await insertMany(slots, [row(1), row(2), row(3)])
    })
  })
  const disconnect: (() => void)[] = []
  afterEach(() => {
    for (const stop of disconnect.splice(0)) stop()
  })
  const ok = (response: TestResponse) => expect(`${response.status} ${response.text}`).toMatch(/^200 /)
  const json = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value)

  const KINDS = ['nullable', 'code', 'name', 'rank', 'big', 'weight', 'token', 'day', 'at', 'place', 'label'] as const

  describe.each(['slots', 'saved', 'own'])('%s', resource => {
    const update = (items: readonly object[]) => api.patch(`/${resource}/bulk-update/`, items)

    test.each(KINDS)('two records swap their %s', async field => {
      const [a, b, c3] = await stored(field)
      ok(
        await update([
          { id: uuid(1), [field]: json(row(2)[field]) },
          { id: uuid(2), [field]: json(row(1)[field]) },
        ]),
      )
      expect(await stored(field)).toEqual([b, a, c3])
    })

    test.each(KINDS)('%s goes round, in whatever order the items stand', async field => {
      const [a, b, c3] = await stored(field)
      const items = [1, 2, 3].map(n => ({ id: uuid(n), [field]: json(row((n % 3) + 1)[field]) }))
      ok(await update(items))
      expect(await stored(field)).toEqual([b, c3, a])
      ok(await update([1, 2, 3].map(n => ({ id: uuid(n), [field]: json(row(n)[field]) })).toReversed()))
      expect(await stored(field)).toEqual([a, b, c3])
    })

    test('what a record keeps of such values, it keeps', async () => {
      const items = [
        { id: uuid(1), shelf: 'top', label: 'l2' },
        { id: uuid(2), shelf: 'top', label: 'l1' },
      ]
      ok(await update(items))
      expect(await stored('shelf')).toEqual(['top', 'top', 'top'])
      expect(await stored('label')).toEqual(['l2', 'l1', 'l3'])
    })

    test.each([
      [1, 3],
      [3, 1],
    ])('what record %i gives up, record %i takes', async (giver, taker) => {
      const given = row(giver)
      ok(
        await update([
          { id: uuid(taker), rank: giver, nullable: given.nullable },
          { id: uuid(giver), rank: 9, nullable: null },
        ]),
      )
      expect((await stored('rank'))[taker - 1]).toBe(String(giver))
      ok(
        await update([
          { id: uuid(giver), code: 'zz' },
          { id: uuid(taker), code: given.code },
        ]),
      )
      expect((await stored('code'))[taker - 1]).toBe(given.code)
    })

    test('several constraints at once, as a PUT sends them', async () => {
      const wire = ({ big, ...others }: ReturnType<typeof row>) => ({ ...others, big: Number(big) })
      const items = [1, 2, 3].map(n => ({ ...wire(row((n % 3) + 1)), id: uuid(n) }))
      ok(await api.put(`/${resource}/bulk-update/`, items))
      for (const field of KINDS) expect(await stored(field)).toEqual([2, 3, 1].map(n => String(row(n)[field])))
    })

    test('a value that nobody gives up is refused, and nothing is written', async () => {
      const before = await api.rows('slots')
      const items = [
        { id: uuid(1), rank: 2 },
        { id: uuid(2), code: 'c1' },
      ]
      const response = await update(items)
      expect([400, 409]).toContain(response.status)
      expect(response.text).toContain('Another record already has this value.')
      expect(await api.rows('slots')).toEqual(before)
    })
  })

  test('the number of statements does not grow with that of the items', async () => {
    const many = (length: number) =>
      Array.from({ length }, (_, i) => ({ ...row(1), id: uuid(1000 + i), ...unique(10 + i) }))
    const unique = (n: number) => ({
      nullable: null,
      code: String.fromCharCode(0x4e00 + n),
      name: `Many ${n}`,
      rank: n,
      big: BigInt(n),
      weight: `${n}.50`,
      token: uuid(5000 + n),
      day: new Date(Date.UTC(2030, 0, n)).toISOString().slice(0, 10),
      at: new Date(Date.UTC(2030, 0, n)).toISOString(),
      place: n,
      label: `m${n}`,
    })
    const rotate = async (length: number) => {
      await api.clear()
      await api.database.transaction(async () => {
        await insertMany(lists, [{ id: 1, name: 'One' }])
        await insertMany(slots, many(length))
      })
      const items = Array.from({ length }, (_, i) => ({ id: uuid(1000 + i), rank: 10 + ((i + 1) % length) }))
      return (await api.statementsOf(async () => ok(await api.patch('/slots/bulk-update/', items)))).length
    }
    expect(await rotate(900)).toBe(await rotate(5))
  })

  test.each(['slots', 'own'])('an upsert hands over, too, also to new records: %s', async resource => {
    const wire = ({ big, ...others }: ReturnType<typeof row>) => ({ ...others, big: Number(big) })
    const items = [
      { ...wire(row(4)), code: 'c2' },
      { ...wire(row(1)), rank: 2 },
      { ...wire(row(2)), rank: 1, code: 'zz' },
    ]
    ok(await api.post(`/${resource}/bulk-upsert/`, items))
    expect(await stored('rank')).toEqual(['2', '1', '3', '4'])
    expect(await stored('code')).toEqual(['c1', 'zz', 'c3', 'c2'])
  })

  test('in save mode the signals see what was stored and what will be', async () => {
    const seen: string[] = []
    disconnect.push(
      preSave(slots, ({ record, values }) => {
        seen.push(`${record?.nullable}>${values.nullable}`)
      }),
    )
    const items = [
      { id: uuid(1), nullable: 'n2' },
      { id: uuid(2), nullable: 'n1' },
    ]
    ok(await api.patch('/saved/bulk-update/', items))
    expect(seen).toEqual(['n1>n2', 'n2>n1'])
  })

  test('a hook that outlives a refusal finds the records as they were', async () => {
    const { driver } = api.database
    await api.database.transaction(() => insertMany(lists, [{ id: 2, name: 'Two' }]))
    const before = await api.rows('slots')
    // Known to the database alone, so validation lets the second place 3 pass.
    await driver.run({ text: 'create unique index places on slots (place)' }, [])
    const items = [
      { id: uuid(1), code: 'c2', list: 2, place: 3 },
      { id: uuid(2), code: 'c1' },
    ]
    try {
      expectError(await api.patch('/slots/bulk-update/', items), 409, CONFLICT, {
        place: ['Another record already has this value.'],
      })
      expectSuccess(await api.patch('/lenient/bulk-update/', items), 200, { data: [] })
      expect(await api.rows('slots')).toEqual(before)
    } finally {
      await driver.run({ text: 'drop index places' }, [])
    }
  })
})

const partial = {
  pg: pg.pgTable(
    'seats',
    {
      id: pg.integer().primaryKey(),
      label: pg.text().notNull(),
      row: pg.integer().notNull(),
      taken: pg.boolean().notNull(),
    },
    t => [
      pg.uniqueIndex('seats_label_taken').on(t.label).where(sql`${t.taken}`),
      pg.uniqueIndex('seats_row_once').on(t.row),
      pg.check('seats_row_small', sql`${t.row} between 1 and 3`),
    ],
  ),
  sqlite: lite.sqliteTable(
    'seats',
    {
      id: lite.integer().primaryKey(),
      label: lite.text().notNull(),
      row: lite.integer().notNull(),
      taken: lite.integer({ mode: 'boolean' }).notNull(),
    },
    t => [
      lite.uniqueIndex('seats_label_taken').on(t.label).where(sql`${t.taken}`),
      lite.uniqueIndex('seats_row_once').on(t.row),
      lite.check('seats_row_small', sql`${t.row} between 1 and 3`),
    ],
  ),
}

for (const dialect of [sqliteDialect, pgDialect]) {
  describe(`${dialect.name}: what a unique index over some rows keeps`, () => {
    const seats = partial[dialect.name] as typeof partial.pg
    const common = {
      model: seats,
      serializer: BaseModelSerializer(seats, { fields: ['id', 'label', 'row', 'taken'] }),
      permissionClasses,
    }
    const api = useApi(dialect, {
      tables: { seats },
      resources: { seats: BulkViewSet(common), saved: BulkViewSet({ ...common, useSaveOnBulkUpdate: true }) },
    })
    beforeEach(() =>
      api.database.transaction(() =>
        insertMany(seats, [
          { id: 1, label: 'A', row: 1, taken: true },
          { id: 2, label: 'B', row: 2, taken: true },
          { id: 3, label: 'A', row: 3, taken: false },
        ]),
      ),
    )

    test.each(['seats', 'saved'])('changes hands as well: %s', async resource => {
      const items = [
        { id: 1, label: 'B' },
        { id: 2, label: 'A' },
      ]
      expect((await api.patch(`/${resource}/bulk-update/`, items)).status).toBe(200)
      expect((await api.get('/seats/?ordering=id')).data<{ label: string }[]>().map(({ label }) => label)).toEqual([
        'B',
        'A',
        'A',
      ])
    })

    test.each(['seats', 'saved'])('a check that leaves no value to part with: %s answers 409', async resource => {
      const before = await api.rows('seats')
      const items = [
        { id: 1, row: 2 },
        { id: 2, row: 1 },
      ]
      expectError(await api.patch(`/${resource}/bulk-update/`, items), 409, CONFLICT, {
        // Records that are saved one by one say which one it was.
        [resource === 'saved' ? '0.row' : 'row']: ['Another record already has this value.'],
      })
      expect(await api.rows('seats')).toEqual(before)
    })
  })
}
