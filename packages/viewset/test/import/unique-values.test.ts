import { randomUUID } from 'node:crypto'
import { type ColumnKit, Database, type ImportFileConfig, type ImportOptions, importModel } from 'viewset'
import { expect, test } from 'vitest'
import { CountingDriver } from '../support/counting-driver.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'
import { workbook } from '../support/workbook.ts'

const TAKEN = 'Another record already has this value.'

function club(c: ColumnKit) {
  const teams = c.table('teams', { id: c.integer().primaryKey(), name: c.text(20).notNull().unique() })
  /** Found by a number; the address is unique whatever its case, and a badge is within a country. */
  const members = c.table(
    'members',
    {
      id: c.uuid().primaryKey().$defaultFn(randomUUID),
      number: c.integer().notNull().unique(),
      email: c.text(40),
      badge: c.text(20),
      country: c.text(2).notNull().default('DE'),
    },
    t => [c.uniqueIgnoringCase(t.email), c.unique(t.country, t.badge)],
  )
  return { teams, members }
}

describeDialects('unique values in an import', dialect => {
  const tables = club(dialect.kit)
  const { teams, members } = tables
  const db = useDatabase(dialect, tables)
  const memberRows = importModel({
    model: members,
    fields: ['number', 'email', 'badge'],
    uniqueFields: ['number'],
  })
  const config: ImportFileConfig = { fileFormat: ['csv', 'xlsx'], order: ['members'], models: { members: memberRows } }
  const both: ImportFileConfig = {
    ...config,
    order: ['teams', 'members'],
    models: { teams: importModel({ model: teams, fields: ['name'], uniqueFields: ['name'] }), members: memberRows },
  }
  const HEADER = ['number', 'email', 'badge']
  const run = (file: Buffer, options: Partial<ImportOptions> = {}, used = config) =>
    importOnce(used, file, { database: db.database, ...options })
  const emails = () => db.rows('members', 'number', 'email')

  test.each([
    ['an append', { append: true, dryRun: false }],
    ['a replace', { append: false, dryRun: false }],
    ['a dry run', { append: true, dryRun: true }],
  ])('%s refuses what differs only in case from another row of the file', async (_, options) => {
    const rows = [
      [1, 'Zürich@x', ''],
      [2, 'ZÜRICH@X', ''],
    ]
    const expected = { failed: 1, errors: [{ row: 3, field: 'email', message: TAKEN, model: 'members' }] }
    expect(await run(csv(HEADER, ...rows), options)).toMatchObject(expected)
    expect(await run(await workbook({ members: [HEADER, ...rows] }), options)).toMatchObject(expected)
    const flat = rows.map(row => ['Reds', ...row])
    expect(await run(csv(['name', ...HEADER], ...flat), options, both)).toMatchObject(expected)
    expect(await emails()).toEqual(options.append && !options.dryRun ? [['1', 'Zürich@x']] : [])
  })

  test('refuses what differs only in case from a stored record, and takes it for the record that has it', async () => {
    await run(csv(HEADER, [1, 'Zürich@x', '']))
    expect(await run(csv(HEADER, [2, 'ZÜRICH@X', ''], [1, 'zÜRICH@x', '']))).toMatchObject({
      updated: 1,
      errors: [{ row: 2, field: 'email', message: TAKEN, model: 'members' }],
    })
    expect(await emails()).toEqual([['1', 'zÜRICH@x']])
  })

  test('finds records by letters of other scripts whose small letter is one of ASCII', async () => {
    const byEmail = importModel({ model: members, fields: ['number', 'email', 'badge'], uniqueFields: ['email'] })
    const used = { ...config, models: { members: byEmail } }
    await run(csv(HEADER, [1, 'İzmir@x', ''], [2, '\u212aiel@x', '']), {}, used)
    const again = csv(HEADER, [3, 'izmir@x', ''], [4, 'KİEL@x', ''], [5, 'kiel@xx', ''])
    expect(await run(again, {}, used)).toMatchObject({ created: 1, updated: 2, failed: 0 })
    expect(await emails()).toEqual([
      ['3', 'izmir@x'],
      ['4', 'KİEL@x'],
      ['5', 'kiel@xx'],
    ])
    const error = { row: 2, field: 'email', message: TAKEN, model: 'members' }
    expect(await run(csv(HEADER, [6, '\u212aIEL@x', '']))).toMatchObject({ failed: 1, errors: [error] })
  })

  test('looks at the stored part and at the default of what is unique together', async () => {
    await run(csv(HEADER, [1, '', 'Ö1']))
    await db.run(`insert into members (id, number, badge, country) values ('${randomUUID()}', 5, 'Ö2', 'FR')`)
    const message = 'Another record already has these values of country, badge.'
    const error = (row: number) => ({ row, field: 'non_field_errors', message, model: 'members' })
    expect(await run(csv(HEADER, [2, '', 'Ö1'], [3, '', 'Ö2'], [4, '', 'Ö2']))).toMatchObject({
      created: 1,
      errors: [error(2), error(4)],
    })
    expect(await run(csv(HEADER, [5, '', 'Ö1']))).toMatchObject({ updated: 1, failed: 0 })
  })

  test('what a row gives up, a later one can have, and no earlier one', async () => {
    await run(csv(HEADER, [1, 'Ä', ''], [2, 'Ö', ''], [3, 'Ü', '']))
    const swapped = await run(csv(HEADER, [1, 'ö', ''], [2, 'x', ''], [3, 'Ö', ''], [4, 'ü', '']))
    expect(swapped).toMatchObject({
      created: 1,
      updated: 2,
      errors: [{ row: 2, field: 'email', message: TAKEN, model: 'members' }],
    })
    expect(await emails()).toEqual([
      ['1', 'Ä'],
      ['2', 'x'],
      ['3', 'Ö'],
      ['4', 'ü'],
    ])
  })

  test('a row that says again what was refused is stored, if a row between has given the value up', async () => {
    await run(csv(HEADER, [1, 'x', '']))
    const file = csv(HEADER, [2, 'X', ''], [1, 'y', ''], [2, 'X', ''], [3, 'x', ''], [2, 'X', ''])
    const error = (row: number) => ({ row, field: 'email', message: TAKEN, model: 'members' })
    expect(await run(file)).toMatchObject({ created: 1, updated: 2, errors: [error(2), error(5)] })
    expect(await emails()).toEqual([
      ['1', 'y'],
      ['2', 'X'],
    ])
  })

  test('and takes its other unique values before the rows behind it', async () => {
    await run(csv(HEADER, [1, 'x', ''], [2, 'old', ''], [3, '', '']))
    const file = csv(
      HEADER,
      ...[
        [2, 'x', 'b'],
        [4, 'old', ''],
        [1, 'y', ''],
        [2, 'x', 'b'],
        [3, '', 'b'],
        [4, 'old', ''],
      ],
    )
    const { updated, created, errors } = await run(file)
    expect({ updated, created }).toEqual({ updated: 2, created: 1 })
    expect(errors.map(({ row, field }) => [row, field])).toEqual([
      [2, 'email'],
      [3, 'email'],
      [6, 'non_field_errors'],
    ])
    expect(await db.rows('members', 'number', 'email', 'badge')).toEqual([
      ['1', 'y', null],
      ['2', 'x', 'b'],
      ['3', null, null],
      ['4', 'old', null],
    ])
  })

  test('so also with the parents of a flat file, and after many rows that pass values on', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `ä${n}`)
    await run(csv(HEADER, [100, 'x', ''], ...names.map((name, n) => [n, name, ''])))
    const chain = names.map((_, n) => [n, n === 0 ? 'new' : `Ä${n - 1}`, ''])
    const rows = [...chain, [101, 'x', ''], [100, 'y', ''], [101, 'x', '']]
    expect(await run(csv(HEADER, ...rows))).toMatchObject({ updated: 21, created: 1, failed: 1 })
    await db.clear()
    await run(csv(HEADER, [1, 'x', '']))
    const { models, ...common } = both
    const children = { ...common, order: ['members', 'teams'], models }
    const flat = csv(['name', ...HEADER], ['A', 2, 'x', ''], ['B', 1, 'y', ''], ['C', 2, 'x', ''], ['D', 2, 'x', ''])
    const { created, errors } = await run(flat, {}, children)
    expect({ created, rows: errors.map(({ row }) => row) }).toEqual({ created: 3, rows: [2] })
    expect(await db.rows('teams', 'name')).toEqual([['B'], ['C'], ['D']])
  })

  test('a long chain of records passes values on', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `ä${n}`)
    await run(csv(HEADER, ...names.map((name, n) => [n, name, ''])))
    const moved = await run(csv(HEADER, ...names.map((_, n) => [n, n === 0 ? 'new' : `Ä${n - 1}`, ''])))
    expect(moved).toMatchObject({ updated: 20, failed: 0 })
  })

  test('refused rows cost the database no statement each, whatever it knows of its tables', async () => {
    const statementsFor = async (count: number, row: (n: number) => (string | number)[]) => {
      await db.clear()
      await run(csv(HEADER, ...Array.from({ length: 64 }, (_, n) => [n, `e${n}`, `b${n}`])))
      const counting = new CountingDriver(db.database.driver)
      const rows = Array.from({ length: count }, (_, n) => row(n))
      const { failed } = await importOnce(config, csv(HEADER, ...rows), { database: new Database(counting) })
      return { failed, statements: counting.statements.length }
    }
    const cases: ((n: number) => (string | number)[])[] = [
      n => [100 + n, `E${n}`, ''],
      n => [100 + n, '', `b${n}`],
      n => [100 + n, `pair ${n >> 1}`, ''],
      n => [100 + n, 'same', ''],
      // Of what is unique together, the file has a part.
      n => [n, '', `b${63 - n}`],
    ]
    for (const row of cases) {
      const few = await statementsFor(4, row)
      const many = await statementsFor(64, row)
      expect(many.failed).toBeGreaterThan(few.failed)
      expect(many.statements).toBe(few.statements)
    }
  })

  test('and neither do values that one record passes to another', async () => {
    const statementsFor = async (count: number) => {
      await db.clear()
      await run(csv(HEADER, ...Array.from({ length: count }, (_, n) => [n, `e${n}`, ''])))
      const counting = new CountingDriver(db.database.driver)
      const rows = Array.from({ length: count }, (_, n) => [n, n % 2 === 0 ? `new ${n}` : `E${n - 1}`, ''])
      const { updated } = await importOnce(config, csv(HEADER, ...rows), { database: new Database(counting) })
      expect(updated).toBe(count)
      return counting.statements.length
    }
    expect(await statementsFor(64)).toBe(await statementsFor(4))
  })

  test('nor in a flat file, where each of them has a parent that must be undone', async () => {
    const statementsFor = async (count: number, email: (n: number) => string) => {
      await db.clear()
      const counting = new CountingDriver(db.database.driver)
      const rows = Array.from({ length: count }, (_, n) => [`Team ${n}`, n, email(n), ''])
      const { failed } = await importOnce(both, csv(['name', ...HEADER], ...rows), { database: new Database(counting) })
      expect(await db.rows('teams', 'name')).toHaveLength(count - failed)
      return counting.statements.length
    }
    for (const email of [(n: number) => `pair ${n >> 1}`, () => 'same']) {
      expect(await statementsFor(64, email)).toBe(await statementsFor(4, email))
    }
  })
})
