import { randomUUID } from 'node:crypto'
import { type ColumnKit, Database, type ImportFileConfig, importForeignKey, importModel } from 'viewset'
import { expect, test } from 'vitest'
import { CountingDriver } from '../support/counting-driver.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'

const TAKEN = 'Another record already has this value.'

function club(c: ColumnKit) {
  const teams = c.table('teams', {
    id: c.uuid().primaryKey().$defaultFn(randomUUID),
    name: c.text(20).notNull().unique(),
    room: c.integer(),
  })
  const members = c.table('members', {
    id: c.uuid().primaryKey().$defaultFn(randomUUID),
    number: c.integer().notNull().unique(),
    badge: c.text(20),
    home: c.foreignKey(teams),
  })
  return { teams, members }
}

/** No model tells of them: what they refuse is found by writing it. */
const INDEXES = [
  'create unique index one_room on teams (room) where room > 0',
  'create unique index one_badge on members (badge) where number > 0',
]

describeDialects('a row of an import that fails after its first record is stored', dialect => {
  const tables = club(dialect.kit)
  const { teams, members } = tables
  const db = useDatabase(dialect, tables, INDEXES)
  const config: ImportFileConfig = {
    fileFormat: 'csv',
    order: ['teams', 'members'],
    models: {
      teams: importModel({ model: teams, fields: ['name', 'room'], uniqueFields: ['name'] }),
      members: importModel({ model: members, fields: ['number', 'badge'], uniqueFields: ['number'] }),
    },
  }
  type Row = readonly [name: string, room: number, number: number, badge: string]
  const run = (rows: readonly Row[], { database = db.database, append = true, dryRun = false } = {}) =>
    importOnce(config, csv(['name', 'room', 'number', 'badge'], ...rows), { database, append, dryRun })
  const error = (row: number, field: string, model: string) => ({ row, field, message: TAKEN, model })

  test.each([
    ['an append', { append: true, dryRun: false }],
    ['a replace', { append: false, dryRun: false }],
    ['a dry run', { append: true, dryRun: true }],
  ])('in %s is in the way of none after it', async (_, options) => {
    const result = await run(
      [
        ['A', 1, 1, 'x'],
        ['B', 2, 2, 'x'],
        ['C', 2, 3, 'y'],
        ['D', 2, 4, 'z'],
      ],
      options,
    )
    expect(result).toMatchObject({ failed: 2, errors: [error(3, 'badge', 'members'), error(5, 'room', 'teams')] })
  })

  test('does not keep the place of a row which says the same after one that was in its way', async () => {
    const result = await run([
      ['A', 1, 1, 'x'],
      ['B', 2, 2, 'x'],
      ['C', 2, 3, 'y'],
      ['B', 2, 4, 'z'],
    ])
    expect(result).toMatchObject({ failed: 2, errors: [error(3, 'badge', 'members'), error(5, 'room', 'teams')] })
  })

  test('nor what a row before another had, which needs what is undone', async () => {
    const home = importForeignKey({ model: teams, lookupField: 'name', sourceField: 'home' })
    const { models, ...common } = config
    const homes = { ...common, models: { ...models, members: { ...models.members!, foreignKeys: { home } } } }
    const file = csv(
      ['name', 'room', 'number', 'badge', 'home'],
      ['Z', '', 10, 'x', ''],
      ['A', '', 1, 'x', ''],
      // Written at first, with the team of the row before, and not when that is gone.
      ['B', '', 2, 'y', 'A'],
      ['C', '', 3, 'y', ''],
    )
    const { created, errors } = await importOnce(homes, file, { database: db.database })
    expect(created).toBe(2)
    expect(errors.map(({ row, field }) => [row, field])).toEqual([
      [3, 'badge'],
      [4, 'home'],
    ])
  })

  test('nor in a model that the file has twice, as a parent and as a child', async () => {
    const rooms = importModel({ model: teams, fields: ['name', 'room'], uniqueFields: ['name'] })
    const { errors } = await importOnce(
      { fileFormat: 'csv', order: ['parents', 'children'], models: { parents: rooms, children: rooms } },
      csv(
        ['parents.name', 'parents.room', 'children.name', 'children.room'],
        ['P0', 1, 'C0', 2],
        ['P1', 3, 'C1', 2],
        ['P2', 4, 'C2', 3],
      ),
      { database: db.database },
    )
    expect(errors.map(({ row }) => row)).toEqual([3])
  })

  test('costs no more statements for each row, however many there are', async () => {
    const statementsFor = async (count: number) => {
      await db.clear()
      const counting = new CountingDriver(db.database.driver)
      // Half of the rooms are taken, of what is left most by a row that fails.
      const rows = Array.from({ length: count }, (_, n): Row => [`T${n}`, 1 + (n >> 1), n + 1, `b${n % 20}`])
      const { failed } = await run(rows, { database: new Database(counting) })
      expect(failed).toBe(count - 20)
      return counting.statements.length / count
    }
    expect(await statementsFor(160)).toBeLessThan(1.5 * (await statementsFor(40)))
  })
})
