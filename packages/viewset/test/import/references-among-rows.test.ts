import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { type ColumnKit, type ImportFileConfig, importForeignKey, importModel } from 'viewset'
import { expect, test } from 'vitest'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'

/** People with a boss, and tasks of people. Names are unique in `people`, and are not in `guests`. */
function staff(c: ColumnKit) {
  const id = () => c.uuid().primaryKey().$defaultFn(randomUUID)
  const people = c.table('people', {
    ...{ id: id(), code: c.integer().notNull().unique(), name: c.text(9).unique() },
    boss: c.foreignKey('self', { onDelete: 'restrict' }),
  })
  const places = c.table('places', {
    ...{ id: id(), name: c.text(9).notNull().unique(), size: c.integer(), within: c.foreignKey('self') },
  })
  const guests = c.table('guests', { id: id(), code: c.integer().notNull().unique(), name: c.text(9) })
  const tasks = c.table('tasks', {
    ...{ id: id(), title: c.text(9).notNull().unique() },
    ...{ owner: c.foreignKey(people), guest: c.foreignKey(guests, { onDelete: 'set null' }) },
  })
  return { people, guests, tasks, places }
}

type Row = readonly [code: number, name: string, boss: string, title: string, owner: string, gone: string]
const name = fc.constantFrom('', 'x', 'y', 'z')
const row: fc.Arbitrary<Row> = fc.tuple(
  fc.constantFrom(1, 2, 3),
  name,
  name,
  fc.constantFrom('A', 'B', 'C'),
  name,
  fc.constantFrom('', '', '', 'x'),
)
const HEADER = ['code', 'name', 'boss', 'title', 'owner', 'gone']

/** Files with which an import was once different. */
const EXAMPLES: [stored: Row[], rows: Row[]][] = [
  [
    [[1, 'z', '', 'A', '', '']],
    [
      [1, 'x', '', 'B', '', ''],
      [3, 'z', 'z', 'B', 'x', ''],
      [1, 'x', 'x', 'A', 'x', ''],
    ],
  ],
  [
    [],
    [
      [1, 'x', '', 'A', 'y', ''],
      [2, 'y', '', 'C', 'x', ''],
      [1, 'x', '', 'A', '', ''],
      [1, 'x', '', 'A', '', ''],
      [1, '', '', 'A', '', ''],
    ],
  ],
  [
    [],
    [
      [1, 'y', '', 'A', '', ''],
      [1, 'x', 'y', 'A', '', ''],
      [1, 'x', 'y', 'A', '', ''],
    ],
  ],
  [
    [],
    [
      [1, 'y', '', 'A', 'x', ''],
      [3, '', '', 'A', 'y', ''],
      [1, 'y', '', 'A', 'y', ''],
    ],
  ],
  [
    [],
    [
      [1, 'z', 'z', 'A', 'y', ''],
      [3, 'y', 'y', 'C', 'z', ''],
      [1, 'z', 'z', 'B', '', ''],
    ],
  ],
  [
    [],
    [
      [1, 'z', '', 'A', 'y', ''],
      [3, '', '', 'A', 'z', ''],
      [1, 'z', '', 'B', '', ''],
    ],
  ],
  [
    [],
    [
      [1, 'z', 'y', 'A', 'x', ''],
      [1, 'x', 'z', 'A', '', ''],
      [1, 'x', 'z', 'A', 'y', ''],
      [1, 'y', 'y', 'A', '', ''],
      [2, '', 'z', 'C', 'x', ''],
    ],
  ],
  [
    [],
    [
      [1, 'z', '', 'A', 'y', ''],
      [3, 'z', '', 'A', '', ''],
      [3, '', '', 'A', '', ''],
      [1, '', '', 'B', 'z', ''],
      [1, '', '', 'A', '', ''],
    ],
  ],
  [
    [],
    [
      [1, 'x', '', 'A', '', ''],
      [1, '', '', 'A', '', ''],
      [3, '', '', 'A', '', ''],
      [3, 'x', '', 'C', 'x', ''],
      [1, 'x', '', 'A', '', ''],
      [1, '', '', 'A', '', ''],
    ],
  ],
  [
    [[1, 'x', '', 'A', '', '']],
    [
      [1, '', '', 'B', 'y', ''],
      [2, '', '', 'B', 'x', ''],
      [1, '', '', 'A', '', ''],
    ],
  ],
]

describeDialects('rows that refer to records of other rows', dialect => {
  const tables = staff(dialect.kit)
  const { people, guests, tasks, places } = tables
  const db = useDatabase(dialect, tables)
  const byName = (model: typeof people | typeof guests, sourceField: string) =>
    importForeignKey({ model, lookupField: 'name', sourceField })
  const file = (models: ImportFileConfig['models']): ImportFileConfig => ({
    ...{ fileFormat: 'csv', order: Object.keys(models), models },
  })
  const coded = importModel({ model: people, fields: ['code', 'name'], uniqueFields: ['code'] })
  const named = importModel({ model: people, fields: ['code', 'name'], uniqueFields: ['name'] })
  const guest = importModel({ model: guests, fields: ['code', 'name'], uniqueFields: ['code'] })
  const bosses = { boss: byName(people, 'boss') }
  const owned = (sourceField: string) =>
    importModel({
      model: tasks,
      fields: ['title', 'owner'],
      uniqueFields: ['title'],
      foreignKeys: { owner: byName(people, sourceField) },
    })
  const visited = (sourceField: string) =>
    importModel({
      model: tasks,
      fields: ['title', 'guest'],
      uniqueFields: ['title'],
      foreignKeys: { guest: byName(guests, sourceField) },
    })
  const outcome = async (
    config: ImportFileConfig,
    stored: readonly Row[],
    rows: readonly Row[],
    chunkSize?: number,
  ) => {
    const run = (used: ImportFileConfig, given: readonly Row[]) =>
      importOnce(used, csv(HEADER, ...given), { database: db.database })
    await db.clear()
    await run({ ...config, chunkSize: 1 }, stored)
    const result = await run({ ...config, ...(chunkSize !== undefined && { chunkSize }) }, rows)
    const { created, updated, deleted, skipped, errors } = result
    const read = async (text: string) => {
      const { rows: found } = await db.database.driver.run({ text: `${text} order by 1, 2, 3` }, [])
      return found.map(line => line.map(value => (value === null ? null : String(value))))
    }
    return {
      ...{ created, updated, deleted, skipped },
      failed: errors.map(error => error.row),
      people: await read('select p.code, p.name, b.code from people p left join people b on b.id = p.boss_id'),
      guests: await read('select code, name, 0 from guests'),
      places: await read('select p.name, p.size, w.name from places p left join places w on w.id = p.within_id'),
      tasks: await read(
        'select t.title, p.code, g.code from tasks t left join people p on p.id = t.owner_id left join guests g on g.id = t.guest_id',
      ),
    }
  }

  test.each<[string, ImportFileConfig]>([
    ['by a key, to an earlier model', file({ people: named, tasks: owned('owner') })],
    ['by another column, to an earlier model', file({ people: coded, tasks: owned('owner') })],
    ['by a column that is not unique', file({ guests: guest, tasks: visited('owner') })],
    ['of the same row, by a column that is not unique', file({ guests: guest, tasks: visited('name') })],
    ['by a key, to the same model', file({ people: { ...named, foreignKeys: bosses } })],
    ['by another column, to the same model', file({ people: { ...coded, foreignKeys: bosses } })],
    [
      'with deletions',
      file({
        people: { ...named, foreignKeys: bosses, deleteWhen: { sourceField: 'gone', equals: ['x'] } },
      }),
    ],
    [
      'with deletions of the last model',
      file({
        guests: guest,
        tasks: { ...visited('owner'), deleteWhen: { sourceField: 'gone', equals: ['x'] } },
      }),
    ],
    [
      'in a file with a model twice',
      {
        ...file({
          outer: importModel({ model: places, fields: ['name'], uniqueFields: ['name'] }),
          inner: importModel({
            ...{ model: places, fields: ['name', 'size'], uniqueFields: ['name'] },
            foreignKeys: { within: importForeignKey({ model: places, lookupField: 'name', sourceField: 'owner' }) },
          }),
        }),
        headers: { boss: 'outer.name', name: 'inner.name', code: 'size' },
      },
    ],
  ])('%s: come out as in chunks of a row', (_, config) =>
    fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 3 }),
        fc.array(row, { minLength: 2, maxLength: 9 }),
        async (stored, rows) => {
          expect(await outcome(config, stored, rows)).toEqual(await outcome(config, stored, rows, 1))
        },
      ),
      { numRuns: cases(100), examples: EXAMPLES },
    ),
  )
})
