import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  BulkUpsertModelMixin,
  BulkViewSet,
  insertMany,
  type SerializerInput,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects, pgDialect, sqliteDialect } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess, nonField } from '../support/expect.ts'

const permissionClasses = [AllowAny]
const TAKEN = ['Another record already has this value.']
const TWICE = ['Another item of this request has the same value.']

describeDialects('unique whatever the case', dialect => {
  const c = dialect.kit
  const people = c.table('people', { id: c.integer().primaryKey(), name: c.text(20).notNull() }, t => [
    c.uniqueIgnoringCase(t.name),
  ])
  const api = useApi(dialect, {
    tables: { people },
    resources: {
      people: BulkViewSet.add(BulkUpsertModelMixin)({
        model: people,
        serializer: BaseModelSerializer(people, { fields: ['id', 'name'] }),
        permissionClasses,
        filterFields: { name: ['iexact', 'contains', 'icontains', 'istartswith', 'iendswith'] },
        searchFields: ['name'],
        upsertFields: ['name'],
      }),
    },
  })
  const store = (name: string) => api.post('/people/', { name })

  // A letter has one small letter, wherever it stands: ς at the end of a word is σ, and İ is i.
  test.each([
    ['Ada', 'ADA'],
    ['Ägir', 'äGIR'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['Οδος', 'ΟΔΟΣ'],
    ['ΓΙΩΡΓΟΣ', 'Γιωργος'],
    ['Σίσυφος', 'ςίΣυφοσ'],
    ['İzmir', 'İZMİR'],
    ['Ǆ', 'ǆ'],
    ['İzmir', 'izmir'],
    ['izmir', 'İZMİR'],
    ['Eskİ Kİlİk', 'ESKI kilik'],
    ['\u212aelvin', 'kelvin'],
    ['A\u212a', 'aK'],
    ['Mİ\u212aİ Äk', 'miki ä\u212a'],
  ])('%s and %s are one', async (stored, given) => {
    await store(stored)
    expectInvalid(await store(given), { name: TAKEN })
    expectInvalid(await api.post('/people/bulk-create/', [{ name: given }]), { '0.name': TAKEN })
    const twice = [{ name: `${stored} x` }, { name: `${given} X` }]
    expectInvalid(await api.post('/people/bulk-create/', twice), { '1.name': TWICE })
    const found = await api.get(`/people/?name__iexact=${encodeURIComponent(given)}`)
    expect(found.envelope().count).toBe(1)
  })

  test.each([
    ['Straße', 'STRASSE'],
    ['οδος', 'ΟΔΟΙ'],
    ['ı', 'I'],
    ['İi', 'ik'],
    ['kİ', 'ki.'],
  ])('%s and %s are two', async (stored, given) => {
    await store(stored)
    expectSuccess(await store(given), 201, { data: { id: 2, name: given } })
  })

  test('a record keeps a name that another one may not take', async () => {
    await store('İzmir')
    await store('Ada')
    expectSuccess(await api.patch('/people/1/', { name: 'izmir' }), 200, { data: { id: 1, name: 'izmir' } })
    expectInvalid(await api.patch('/people/2/', { name: 'İZMİR' }), { name: TAKEN })
    expectSuccess(await api.patch('/people/1/', { name: '\u212azmir' }), 200, { data: { id: 1, name: '\u212azmir' } })
    expectInvalid(await api.patch('/people/2/', { name: 'kzmir' }), { name: TAKEN })
    expectInvalid(await api.patch('/people/bulk-update/', [{ id: 2, name: 'KZMIR' }]), { '0.name': TAKEN })
  })

  test('an upsert takes it for the record that has it', async () => {
    await store('İzmir')
    await store('\u212aIel')
    const upserted = await api.post('/people/bulk-upsert/', [{ name: 'izmir' }, { name: 'kİEL' }, { name: 'Kielce' }])
    expect(upserted.data()).toEqual({ created: 1, updated: 2 })
    expect((await api.get('/people/?ordering=id')).data()).toEqual([
      { index: 1, id: 1, name: 'izmir' },
      { index: 2, id: 2, name: 'kİEL' },
      { index: 3, id: 3, name: 'Kielce' },
    ])
  })

  test('a part is found whatever stands behind it', async () => {
    await store('ΣΟΦΟΣΑ')
    const found = await api.get(`/people/?name__icontains=${encodeURIComponent('ΣΟΦΟΣ')}`)
    expect(found.envelope().count).toBe(1)
  })

  test('a sigma at the end of a word is found as any other sigma', async () => {
    for (const name of ['Γιωργος', 'ΓΙΩΡΓΟΣ 2', 'Γιωργοσ_3', 'Γιωργον']) await store(name)
    const find = async (lookup: string, text: string) => {
      const found = await api.get(`/people/?ordering=id&${lookup}=${encodeURIComponent(text)}`)
      return found.data<{ name: string }[]>().map(({ name }) => name)
    }
    for (const text of ['ΓΙΩΡΓΟΣ', 'γιωργος', 'Γιωργοσ']) {
      const all = ['Γιωργος', 'ΓΙΩΡΓΟΣ 2', 'Γιωργοσ_3']
      expect(await find('name__iexact', text)).toEqual(['Γιωργος'])
      expect(await find('name__icontains', text)).toEqual(all)
      expect(await find('name__istartswith', text)).toEqual(all)
      expect(await find('name__iendswith', text)).toEqual(['Γιωργος'])
      expect(await find('search', text)).toEqual(all)
    }
    expect(await find('name__icontains', 'ς_')).toEqual(['Γιωργοσ_3'])
    expect(await find('name__contains', 'ς')).toEqual(['Γιωργος'])
  })

  if (dialect.name === 'pg') {
    test('the constraint of the database knows a sigma at the end of a word', async () => {
      await store('ΓΙΩΡΓΟΣ')
      const beside = api.database.driver.run({ text: `insert into people (id, name) values (9, 'Γιωργος')` }, [])
      await expect(beside).rejects.toThrow('people_name_unique')
    })
  }
})

const pgTowns = pg.pgTable('towns', { id: pg.serial().primaryKey(), name: pg.text().notNull() }, t => [
  pg.uniqueIndex('towns_name').on(sql`lower(${t.name})`),
])

describe('pg: an index over lower of a plain Drizzle table serves its lookups', () => {
  const api = useApi(pgDialect, {
    tables: { towns: pgTowns },
    resources: {
      towns: BulkViewSet({
        model: pgTowns,
        serializer: BaseModelSerializer(pgTowns, { fields: ['id', 'name'] }),
        permissionClasses,
        filterFields: { name: ['iexact'] },
      }),
    },
  })

  test.each(['Πάτρα', 'Άργος'])('%s', async name => {
    await api.post('/towns/', { name })
    const statements = await api.statementsOf(async () => {
      expect((await api.post('/towns/', { name: name.toUpperCase() })).status).toBe(name === 'Πάτρα' ? 400 : 201)
      expect((await api.get(`/towns/?name__iexact=${encodeURIComponent(name)}`)).status).toBe(200)
    })
    const usesOther = statements.filter(statement => statement.includes('translate('))
    expect(usesOther.length > 0).toBe(name === 'Άργος')
  })
})

// Each row of the table with each row of the body would be 100 million comparisons for 1,000 items and 100,000 rows.
describe('sqlite: what is unique whatever the case is looked up', () => {
  const people = sqliteDialect.kit.table(
    'people',
    { id: sqliteDialect.kit.integer().primaryKey(), name: sqliteDialect.kit.text(20).notNull() },
    t => [sqliteDialect.kit.uniqueIgnoringCase(t.name)],
  )
  const api = useApi(sqliteDialect, {
    tables: { people },
    resources: {
      people: BulkViewSet({
        model: people,
        serializer: BaseModelSerializer(people, { fields: ['id', 'name'] }),
        permissionClasses,
      }),
    },
  })

  /** How SQLite runs the statements of a request that look for names, on the connection that writes. */
  const plansOf = async (request: () => Promise<unknown>) => {
    const statements = await api.statementsOf(request)
    const lookUps = new Set(statements.filter(statement => statement.includes('"_range"')))
    expect(lookUps.size).toBe(1)
    const connection = await api.database.driver.begin()
    try {
      const plans = [...lookUps].map(async text => {
        const none = Array.from(text.matchAll(/[?]/g), () => '[]')
        const { rows } = await connection.run({ text: `explain query plan ${text}` }, none)
        return rows.map(row => row.at(-1)).join('\n')
      })
      return (await Promise.all(plans)).join('\n')
    } finally {
      await connection.rollback()
    }
  }

  test.each(['Ada', 'Kiki', 'Zürich'])('%s in ranges of the index', async name => {
    const inIndex = /SEARCH (people|_other) USING (COVERING )?INDEX people_name_unique \(<expr>>\? AND <expr><\?\)/
    const single = await plansOf(() => api.post('/people/', { name }))
    expect(single).toMatch(inIndex)
    expect(single).not.toMatch(/SCAN (people|_other)/)
    const bulk = await plansOf(() => api.post('/people/bulk-create/', [{ name: `${name} 2` }]))
    expect(bulk).toMatch(inIndex)
    expect(bulk).not.toContain('SCAN people')
  })
})

const pgMembers = pg.pgTable(
  'members',
  {
    id: pg.serial().primaryKey(),
    team: pg.integer().notNull(),
    badge: pg.integer(),
    code: pg.text().notNull(),
    name: pg.text().notNull(),
  },
  t => [
    pg.uniqueIndex('by_team').on(t.team, sql`lower(${t.name})`),
    pg.uniqueIndex('by_code').on(t.code, sql`lower(${t.name})`),
    pg.uniqueIndex('by_badge').on(t.badge),
  ],
)
const liteMembers = lite.sqliteTable(
  'members',
  {
    id: lite.integer().primaryKey(),
    team: lite.integer().notNull(),
    badge: lite.integer(),
    code: lite.text().notNull(),
    name: lite.text().notNull(),
  },
  t => [
    lite.uniqueIndex('by_team').on(t.team, sql`lower(${t.name})`),
    lite.uniqueIndex('by_code').on(t.code, sql`lower(${t.name})`),
    lite.uniqueIndex('by_badge').on(t.badge),
  ],
)

describe.each([
  { dialect: pgDialect, members: pgMembers },
  { dialect: sqliteDialect, members: liteMembers },
])('$dialect.name: the unique indexes of a plain Drizzle table', ({ dialect, members }) => {
  const serializer = BaseModelSerializer(members, { fields: ['id', 'team', 'badge', 'code', 'name'] })
  const common = { model: members, serializer, permissionClasses }
  /** Loses the race against itself. */
  class Racing extends BaseViewSet(common) {
    override async performCreate(values: SerializerInput<typeof serializer>) {
      await insertMany(members, [{ ...values, code: 'other' } as typeof members.$inferInsert])
      return super.performCreate(values)
    }
  }
  const api = useApi(dialect, { tables: { members }, resources: { members: BaseViewSet(common), racing: Racing } })
  const ada = { team: 1, code: 'a', name: 'Ada' }
  const pair = 'Another record already has these values of team, name.'

  test('over a column', async () => {
    await api.post('/members/', { ...ada, badge: 7 })
    expectInvalid(await api.post('/members/', { ...ada, team: 2, code: 'b', badge: 7 }), { badge: TAKEN })
  })

  test('over a number and a text whatever its case: the number has none', async () => {
    await api.post('/members/', ada)
    expectError(await api.post('/members/', { ...ada, code: 'b', name: 'ADA' }), 400, pair, nonField(pair))
    expect((await api.post('/members/', { ...ada, team: 2, code: 'b', name: 'ADA' })).status).toBe(201)
    const lost = await api.post('/racing/', { ...ada, team: 3, code: 'c' })
    expectError(lost, 409, 'Another record already has these values of team, name.', nonField(pair))
  })

  test('over a number and a text: letters outside of ASCII, also where only the number changes', async () => {
    await api.post('/members/', { ...ada, name: 'İlk' })
    await api.post('/members/', { ...ada, team: 2, code: 'b', name: 'ilk' })
    await api.post('/members/', { ...ada, team: 3, code: 'c', name: 'Ägir' })
    await api.post('/members/', { ...ada, team: 4, code: 'd', name: 'äGIR' })
    expectError(await api.post('/members/', { ...ada, code: 'e', name: 'IL\u212a' }), 400, pair, nonField(pair))
    expectError(await api.patch('/members/2/', { team: 1 }), 400, pair, nonField(pair))
    expectError(await api.patch('/members/4/', { team: 3 }), 400, pair, nonField(pair))
    expect((await api.patch('/members/4/', { team: 2 })).status).toBe(200)
  })

  test('over two texts, one of which keeps its case: the database alone says so', async () => {
    await api.post('/members/', ada)
    expect((await api.post('/members/', { ...ada, team: 2, code: 'A', name: 'ada' })).status).toBe(201)
    expect((await api.post('/members/', { ...ada, team: 3, name: 'ADA' })).status).toBe(409)
  })
})

const pgStreets = pg.pgTable(
  'streets',
  { id: pg.serial().primaryKey(), town: pg.text().notNull(), name: pg.text().notNull() },
  t => [pg.uniqueIndex('by_both').on(sql`lower(${t.town})`, sql`lower(${t.name})`)],
)
const liteStreets = lite.sqliteTable(
  'streets',
  { id: lite.integer().primaryKey(), town: lite.text().notNull(), name: lite.text().notNull() },
  t => [lite.uniqueIndex('by_both').on(sql`lower(${t.town})`, sql`lower(${t.name})`)],
)

describe.each([
  { dialect: pgDialect, streets: pgStreets },
  { dialect: sqliteDialect, streets: liteStreets },
])('$dialect.name: two texts that are unique together whatever their case', ({ dialect, streets }) => {
  const api = useApi(dialect, {
    tables: { streets },
    resources: {
      streets: BulkViewSet({
        model: streets,
        serializer: BaseModelSerializer(streets, { fields: ['id', 'town', 'name'] }),
        permissionClasses,
      }),
    },
  })

  test.each([
    ['izmir', 'kordon'],
    ['İZMİR', '\u212aordon'],
    ['izmİr', '\u212aORDON'],
    ['IZMIR', 'KORDON'],
  ])('%s, %s', async (town, name) => {
    const pair = 'Another record already has these values of town, name.'
    await api.post('/streets/bulk-create/', [
      { town: 'İzmir', name: 'Kordon' },
      { town: 'Ikız', name: 'Kordon' },
    ])
    expectError(await api.post('/streets/', { town, name }), 400, pair, nonField(pair))
    expect((await api.post('/streets/bulk-create/', [{ town, name }])).status).toBe(400)
    expect((await api.post('/streets/', { town, name: `${name} 2` })).status).toBe(201)
    expectError(await api.patch('/streets/3/', { name }), 400, pair, nonField(pair))
    expect((await api.patch('/streets/3/', { town: 'Ikız' })).status).toBe(200)
    expectError(await api.patch('/streets/3/', { name: 'KORDON' }), 400, pair, nonField(pair))
  })
})
