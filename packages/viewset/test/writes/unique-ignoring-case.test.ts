import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { AllowAny, BaseModelSerializer, BaseViewSet, BulkViewSet, insertMany, type SerializerInput } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects, pgDialect, sqliteDialect } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess, nonField } from '../support/expect.ts'

const permissionClasses = [AllowAny]
const TAKEN = ['This field must be unique.']

describeDialects('unique whatever the case', dialect => {
  const c = dialect.kit
  const people = c.table('people', { id: c.integer().primaryKey(), name: c.text(20).notNull() }, t => [
    c.uniqueIgnoringCase(t.name),
  ])
  const api = useApi(dialect, {
    tables: { people },
    resources: {
      people: BulkViewSet({
        model: people,
        serializer: BaseModelSerializer(people, { fields: ['id', 'name'] }),
        permissionClasses,
        filterFields: { name: ['iexact', 'icontains'] },
      }),
    },
  })
  const store = (name: string) => api.post('/people/', { name })

  // A letter has one small letter, wherever it stands: Σ at the end of a word is σ, and İ is i.
  test.each([
    ['Ada', 'ADA'],
    ['Ägir', 'äGIR'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['İzmir', 'İZMİR'],
    ['Ǆ', 'ǆ'],
  ])('%s and %s are one', async (stored, given) => {
    await store(stored)
    expectInvalid(await store(given), { name: TAKEN })
    expectInvalid(await api.post('/people/bulk-create/', [{ name: given }]), { '0.name': TAKEN })
    const twice = [{ name: `${stored} x` }, { name: `${given} X` }]
    expectInvalid(await api.post('/people/bulk-create/', twice), { '1.name': TAKEN })
    const found = await api.get(`/people/?name__iexact=${encodeURIComponent(given)}`)
    expect(found.envelope().count).toBe(1)
  })

  test.each([
    ['Straße', 'STRASSE'],
    ['οδος', 'ΟΔΟΣ'],
    ['ı', 'I'],
  ])('%s and %s are two', async (stored, given) => {
    await store(stored)
    expectSuccess(await store(given), 201, { data: { id: 2, name: given } })
  })

  test('a part is found whatever stands behind it', async () => {
    await store('ΣΟΦΟΣΑ')
    const found = await api.get(`/people/?name__icontains=${encodeURIComponent('ΣΟΦΟΣ')}`)
    expect(found.envelope().count).toBe(1)
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

  test.each([
    ['in the index, for ASCII', 'Ada', 'SEARCH people USING COVERING INDEX people_name_unique'],
    ['in one pass, for other letters', 'Ägir', 'SEARCH _wanted USING AUTOMATIC COVERING INDEX'],
  ])('%s', async (_, name, step) => {
    const statements = await api.statementsOf(() => api.post('/people/bulk-create/', [{ name }]))
    const lookUp = statements.find(statement => statement.startsWith('with "_wanted"'))
    // Where it ran: on the connection that writes.
    const connection = await api.database.driver.begin()
    const plan = await connection.run({ text: `explain query plan ${lookUp}` }, ['[]'])
    await connection.rollback()
    expect(plan.rows.map(row => row.at(-1)).join('\n')).toContain(step)
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
  const pair = 'The fields team, name must make a unique set.'

  test('over a column', async () => {
    await api.post('/members/', { ...ada, badge: 7 })
    expectInvalid(await api.post('/members/', { ...ada, team: 2, code: 'b', badge: 7 }), { badge: TAKEN })
  })

  test('over a number and a text whatever its case: the number has none', async () => {
    await api.post('/members/', ada)
    expectError(await api.post('/members/', { ...ada, code: 'b', name: 'ADA' }), 400, pair, nonField(pair))
    expect((await api.post('/members/', { ...ada, team: 2, code: 'b', name: 'ADA' })).status).toBe(201)
    const lost = await api.post('/racing/', { ...ada, team: 3, code: 'c' })
    expectError(lost, 409, 'The request conflicts with stored data.', nonField(pair))
  })

  test('over two texts, one of which keeps its case: the database alone says so', async () => {
    await api.post('/members/', ada)
    expect((await api.post('/members/', { ...ada, team: 2, code: 'A', name: 'ada' })).status).toBe(201)
    expect((await api.post('/members/', { ...ada, team: 3, name: 'ADA' })).status).toBe(409)
  })
})
