import { randomUUID } from 'node:crypto'
import { eq, gt, lt } from 'drizzle-orm'
import fc from 'fast-check'
import { type ColumnKit, type ImportFileConfig, importForeignKey, importModel, scoped } from 'viewset'
import { describe, expect, test } from 'vitest'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'

function club(c: ColumnKit, isConditional: boolean) {
  const id = () => c.uuid().primaryKey().$defaultFn(randomUUID)
  const teams = c.table('teams', { id: id(), name: c.text(20).notNull().unique(), room: c.text(2).unique() })
  const members = c.table(
    'members',
    { id: id(), number: c.integer().notNull().unique(), badge: c.text(2), email: c.text(9) },
    t =>
      isConditional
        ? [c.unique([t.badge], { where: gt(t.number, 0) }), c.unique([t.email], { where: lt(t.number, 3) })]
        : [c.unique(t.badge), c.unique(t.email)],
  )
  return { teams, members }
}

type Row = readonly [name: string, room: string, number: number, badge: string, email: string]
const value = fc.constantFrom('', 'x', 'y', 'z')
const row: fc.Arbitrary<Row> = fc.tuple(fc.constantFrom('A', 'B', 'C'), value, fc.constantFrom(1, 2, 3), value, value)

/** Files with which an import was once different. */
const EXAMPLES: [stored: Row[], rows: Row[]][] = [
  [
    [['A', '', 1, 'x', 'z']],
    [
      ['C', 'x', 2, 'x', ''],
      ['B', 'x', 1, '', ''],
      ['A', '', 3, '', 'z'],
      ['A', '', 1, '', ''],
    ],
  ],
]

describeDialects('an import with several unique columns', dialect => {
  describe.each([
    ['without conditions', false],
    ['with conditions', true],
  ])('%s', (_, isConditional) => {
    const tables = club(dialect.kit, isConditional)
    const db = useDatabase(dialect, tables)
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['teams', 'members'],
      models: {
        teams: importModel({ model: tables.teams, fields: ['name', 'room'], uniqueFields: ['name'] }),
        members: importModel({ model: tables.members, fields: ['number', 'badge', 'email'], uniqueFields: ['number'] }),
      },
    }
    const single: ImportFileConfig = { ...config, order: ['members'], models: { members: config.models.members! } }
    const run = (used: ImportFileConfig, rows: readonly Row[], diff = false) =>
      importOnce(used, csv(['name', 'room', 'number', 'badge', 'email'], ...rows), { database: db.database, diff })
    const outcome = async (used: ImportFileConfig, stored: readonly Row[], rows: readonly Row[]) => {
      await db.clear()
      await run({ ...config, chunkSize: 1 }, stored)
      const { created, updated, errors, diff } = await run(used, rows, true)
      return {
        ...{ created, updated, diff },
        // Of two values that are taken, either one may be named.
        failed: errors.map(({ row }) => row),
        teams: await db.rows('teams', 'name', 'room'),
        members: await db.rows('members', 'number', 'badge', 'email'),
      }
    }

    test.each([
      ['of one model', single],
      ['of two models', config],
    ])('%s comes out as one in chunks of a row', (_, used) =>
      fc.assert(
        fc.asyncProperty(
          fc.array(row, { maxLength: 4 }),
          fc.array(row, { minLength: 2, maxLength: 10 }),
          async (stored, rows) => {
            expect(await outcome(used, stored, rows)).toEqual(await outcome({ ...used, chunkSize: 1 }, stored, rows))
          },
        ),
        { numRuns: cases(150), examples: EXAMPLES },
      ),
    )
  })
})

describeDialects('a file that changes the columns of a condition', dialect => {
  const columns = {
    id: dialect.kit.uuid().primaryKey().$defaultFn(randomUUID),
    number: dialect.kit.integer().notNull().unique(),
    badge: dialect.kit.text(2),
    ended: dialect.kit.integer(),
  }
  const members = dialect.kit.table('members', columns, t => [dialect.kit.unique([t.badge], { where: lt(t.ended, 1) })])
  const db = useDatabase(dialect, { members })
  const file = (...fields: ('number' | 'badge' | 'ended')[]): ImportFileConfig => ({
    ...{ fileFormat: 'csv', order: ['members'] },
    models: { members: importModel({ model: members, fields, uniqueFields: ['number'] }) },
  })
  const all = file('number', 'badge', 'ended')
  type Member = readonly [number: number, ended: string, badge: string]
  const number = fc.constantFrom(1, 2, 3, 4)
  const member: fc.Arbitrary<Member> = fc.tuple(number, fc.constantFrom('', '0', '1'), fc.constantFrom('', 'x', 'y'))

  test.each([
    ['with the guarded one', all],
    ['without the guarded one', file('number', 'ended')],
  ])('%s comes out as one in chunks of a row', (_, used) =>
    fc.assert(
      fc.asyncProperty(
        fc.array(member, { maxLength: 5 }),
        fc.array(member, { minLength: 2, maxLength: 8 }),
        async (stored, rows) => {
          const run = (config: ImportFileConfig, given: readonly Member[]) =>
            importOnce(config, csv(['number', 'ended', 'badge'], ...given), { database: db.database })
          const outcome = async (config: ImportFileConfig) => {
            await db.clear()
            await run({ ...all, chunkSize: 1 }, stored)
            const { created, updated, errors } = await run(config, rows)
            const failed = errors.map(({ row }) => row)
            return { created, updated, failed, members: await db.rows('members', 'number', 'badge', 'ended') }
          }
          expect(await outcome(used)).toEqual(await outcome({ ...used, chunkSize: 1 }))
        },
      ),
      { numRuns: cases(100) },
    ),
  )
})

describeDialects('a row that says the same as a refused one, behind the row that gives the value up,', dialect => {
  const tables = club(dialect.kit, true)
  const db = useDatabase(dialect, tables)
  const config: ImportFileConfig = {
    fileFormat: 'csv',
    order: ['members'],
    models: { members: importModel({ model: tables.members, fields: ['number', 'badge'], uniqueFields: ['number'] }) },
  }
  const run = (...rows: (readonly [number, string])[]) =>
    importOnce(config, csv(['number', 'badge'], ...rows), { database: db.database })

  test('is stored, though a condition decides whether the value is taken', async () => {
    await run([3, 'z'])
    const result = await run([1, 'z'], [3, ''], [1, 'z'])
    expect(result).toMatchObject({ created: 1, updated: 1, errors: [{ row: 2, field: 'badge' }] })
    expect(await db.rows('members', 'number', 'badge')).toEqual([
      ['1', 'z'],
      ['3', null],
    ])
  })
})

describeDialects('a diff', dialect => {
  const tables = club(dialect.kit, true)
  const db = useDatabase(dialect, tables)
  const config: ImportFileConfig = {
    fileFormat: 'csv',
    order: ['members'],
    models: { members: importModel({ model: tables.members, fields: ['number', 'email'], uniqueFields: ['number'] }) },
  }
  const run = (...rows: (readonly [number, string])[]) =>
    importOnce(config, csv(['number', 'email'], ...rows), { database: db.database, diff: true })

  test('lists the change of the first of two equal rows, around a row that gives up their value', async () => {
    await run([3, 'y'], [2, ''])
    expect(await run([2, 'y'], [3, ''], [2, 'y'])).toMatchObject({
      updated: 3,
      diff: {
        rows: [
          { row: 2, action: 'update', changes: { email: [null, 'y'] } },
          { row: 3, action: 'update', changes: { email: ['y', null] } },
        ],
        totals: { update: 2, unchanged: 1 },
      },
    })
  })
})

describeDialects('a table without a unique constraint on the fields that find a record', dialect => {
  const columns = {
    id: dialect.kit.uuid().primaryKey().$defaultFn(randomUUID),
    number: dialect.kit.integer().notNull(),
    badge: dialect.kit.text(2),
    ended: dialect.kit.integer().notNull().default(0),
  }
  const members = dialect.kit.table('members', columns, t => [dialect.kit.unique([t.badge], { where: lt(t.ended, 1) })])
  const db = useDatabase(dialect, { members })
  const model = importModel({
    model: members,
    fields: ['number', 'badge', 'ended'],
    uniqueFields: ['number'],
    matchWithoutIndex: true,
  })
  const config: ImportFileConfig = { fileFormat: 'csv', order: ['members'], models: { members: model } }
  const run = (...rows: (readonly [number, string, number])[]) =>
    importOnce(config, csv(['number', 'badge', 'ended'], ...rows), { database: db.database })

  test('gets one record of two rows that say the same around a row that gives a value up', async () => {
    await run([3, 'z', 0], [4, 'y', 0])
    expect(await run([1, 'z', 1], [3, '', 0], [4, '', 0], [1, 'z', 1])).toMatchObject({
      created: 1,
      updated: 3,
      failed: 0,
    })
    expect(await db.rows('members', 'number')).toEqual([['1'], ['3'], ['4']])
  })
})

describeDialects('an import of a table with an index that no model tells of', dialect => {
  const { number, text } = { number: () => dialect.kit.integer().notNull().unique(), text: () => dialect.kit.text(2) }
  const members = dialect.kit.table('members', {
    id: dialect.kit.uuid().primaryKey().$defaultFn(randomUUID),
    number: number(),
    badge: text(),
  })
  const db = useDatabase(dialect, { members }, ['create unique index one_badge on members (badge) where number > 0'])
  const config: ImportFileConfig = {
    fileFormat: 'csv',
    order: ['members'],
    models: { members: importModel({ model: members, fields: ['number', 'badge'], uniqueFields: ['number'] }) },
  }
  const run = (...rows: (readonly [number, string])[]) =>
    importOnce(config, csv(['number', 'badge'], ...rows), { database: db.database, diff: true })

  test('writes a second, different row of a record before the rows behind it', async () => {
    const given = await run([1, 'x'], [1, 'y'], [2, 'x'])
    expect(given).toMatchObject({ created: 2, updated: 1, failed: 0, diff: { totals: { create: 2, update: 1 } } })
    await db.clear()
    const taken = await run([1, 'x'], [1, 'y'], [2, 'y'], [3, 'z'])
    expect(taken).toMatchObject({ created: 2, updated: 1, errors: [{ row: 4, field: 'badge' }] })
    expect(await db.rows('members', 'number', 'badge')).toEqual([
      ['1', 'y'],
      ['3', 'z'],
    ])
  })
})

describeDialects('a file whose rows look up the teams that it writes', dialect => {
  const { kit: c } = dialect
  const id = () => c.uuid().primaryKey().$defaultFn(randomUUID)
  const teams = c.table('teams', {
    id: id(),
    name: c.text(20).notNull().unique(),
    code: c.text(2).unique(),
    open: c.integer(),
  })
  const members = c.table('members', { id: id(), number: c.integer().notNull().unique(), team: c.foreignKey(teams) })
  const db = useDatabase(dialect, { teams, members })
  type Item = readonly [name: string, code: string, open: string, number: number, lookup: string]
  const name = fc.constantFrom('A', 'B', 'C')
  const items = (lookup: fc.Arbitrary<string>) =>
    fc.tuple(name, fc.constantFrom('', 'x', 'y'), fc.constantFrom('', '0', '1'), fc.constantFrom(1, 2, 3), lookup)
  const isOpen = scoped(teams, () => eq(teams.open, 1))
  /** A team that a row behind its member opens, or closes. */
  const behind = (before: string, after: string): [Item[], Item[]] => [
    [],
    [
      ['B', '', before, 1, ''],
      ['A', '', '', 1, 'B'],
      ['B', '', after, 3, ''],
    ],
  ]
  const EXAMPLES_OF_TEAMS = [behind('0', '1'), behind('1', '0')]

  test.each([
    ['by name', 'name', teams, 'update'],
    ['by name in a scope', 'name', isOpen, 'update'],
    ['by code', 'code', teams, 'update'],
    ['by code in a scope', 'code', isOpen, 'update'],
    ['by code, of which stored ones are skipped', 'code', teams, 'skip'],
    ['by name in a scope, of which stored ones are skipped', 'name', isOpen, 'skip'],
  ] as const)('%s comes out as one in chunks of a row', (_, lookupField, model, onExisting) => {
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['teams', 'members'],
      models: {
        teams: importModel({ model: teams, fields: ['name', 'code', 'open'], uniqueFields: ['name'], onExisting }),
        members: importModel({
          model: members,
          fields: ['number', 'lookup'],
          uniqueFields: ['number'],
          foreignKeys: { team: importForeignKey({ model, lookupField, sourceField: 'lookup' }) },
        }),
      },
    }
    const item = items(lookupField === 'name' ? fc.constantFrom('', 'A', 'B', 'C') : fc.constantFrom('', 'x', 'y'))
    const run = (used: ImportFileConfig, rows: readonly Item[]) =>
      importOnce(used, csv(['name', 'code', 'open', 'number', 'lookup'], ...rows), { database: db.database })
    return fc.assert(
      fc.asyncProperty(
        fc.array(item, { maxLength: 3 }),
        fc.array(item, { minLength: 2, maxLength: 7 }),
        async (stored, rows) => {
          const outcome = async (used: ImportFileConfig) => {
            await db.clear()
            await run({ ...config, chunkSize: 1 }, stored)
            const { created, updated, errors } = await run(used, rows)
            const names = new Map((await db.rows('teams', 'id', 'name')).map(([key, text]) => [key, text]))
            const linked = await db.rows('members', 'number', 'team_id')
            return {
              ...{ created, updated },
              failed: [...new Set(errors.map(({ row }) => row))],
              teams: await db.rows('teams', 'name', 'code', 'open'),
              members: linked.map(([number, team]) => [number, names.get(team)]),
            }
          }
          expect(await outcome(config)).toEqual(await outcome({ ...config, chunkSize: 1 }))
        },
      ),
      { numRuns: cases(50), examples: EXAMPLES_OF_TEAMS },
    )
  })
})
