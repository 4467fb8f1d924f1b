import { allRecords, type ImportFileConfig, importForeignKey, importModel, scoped } from 'viewset'
import { expect, test } from 'vitest'
import { describeDialects } from '../support/dialects.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'

describeDialects('no row with an empty part of its key is matched or stored', dialect => {
  const c = dialect.kit
  const owners = c.table('owners', { id: c.integer().primaryKey(), name: c.text(20).notNull().unique() })
  const items = c.table('items', {
    id: c.integer().primaryKey(),
    tenant: c.text(10).notNull().default('t'),
    number: c.text(20, { allowBlank: true }).notNull().default('none'),
    code: c.text(20, { allowBlank: true }).notNull().default(''),
    place: c.text(20),
    size: c.integer(),
    owner: c.foreignKey(owners),
    label: c.text(20),
  })
  const db = useDatabase(dialect, { owners, items })
  const owner = importForeignKey({ model: owners, lookupField: 'name', sourceField: 'owner_name' })
  const run = (models: ImportFileConfig['models'], ...rows: readonly (readonly string[])[]) =>
    importOnce({ fileFormat: 'csv', order: ['items'], models }, csv(...rows), { database: db.database })
  const empty = (row: number, field: string) => ({
    row,
    field,
    column: field,
    message: 'This cell is empty, and a value is required.',
    model: 'items',
  })
  const labels = () => db.rows('items', 'label')

  test('a blank text is no part, though the column allows blanks', async () => {
    const model = importModel({
      model: items,
      fields: ['size', 'code', 'label'],
      uniqueFields: ['size', 'code'],
    })
    const rows = [
      ['1', '', 'a'],
      ['1', ' ', 'b'],
      ['1', 'x', 'c'],
    ]
    const result = await run({ items: model }, ['size', 'code', 'label'], ...rows)
    expect(result).toMatchObject({ created: 1, updated: 0, failed: 2 })
    expect(result.errors).toEqual([empty(2, 'code'), empty(3, 'code')])
    expect(await labels()).toEqual([['c']])
  })

  test('a constant is no part that the row gives', async () => {
    const model = importModel({
      model: items,
      fields: ['place', 'label'],
      uniqueFields: ['tenant', 'place'],
      constantFields: { tenant: 'a' },
    })
    const rows = [
      ['', 'a'],
      ['', 'b'],
      ['x', 'c'],
    ]
    const result = await run({ items: model }, ['place', 'label'], ...rows)
    expect(result).toMatchObject({ created: 1, updated: 0, failed: 2 })
    expect(result.errors).toEqual([empty(2, 'place'), empty(3, 'place')])
  })

  test('a fixed value is no part that the row gives', async () => {
    const model = importModel({
      model: scoped(items, () => allRecords, { fixedValues: () => ({ tenant: 'b' }) }),
      fields: ['place', 'label'],
      uniqueFields: ['tenant', 'place'],
    })
    const result = await run({ items: model }, ['place', 'label'], ['', 'a'], ['x', 'c'])
    expect(result.errors).toEqual([empty(2, 'place')])
    expect(await db.rows('items', 'tenant', 'label')).toEqual([['b', 'c']])
  })

  test('a key that is fixed to nothing is that of the one record which has nothing', async () => {
    const model = importModel({
      model: scoped(items, () => allRecords, { fixedValues: () => ({ place: null }) }),
      fields: ['label'],
      uniqueFields: ['place'],
    })
    await db.run("insert into items (place, label) values ('x', 'other'), (null, 'old')")
    expect(await run({ items: model }, ['label'], ['new'])).toMatchObject({ created: 0, updated: 1, failed: 0 })
    expect(await labels()).toEqual([['new'], ['other']])
    await db.run("insert into items (label) values ('one'), ('more')")
    const message = 'Several records have the same place. Correct them, so that only one has it.'
    expect((await run({ items: model }, ['label'], ['newer'])).errors).toMatchObject([{ row: 2, message }])
  })

  test('a default is no part that the row gives', async () => {
    const model = importModel({ model: items, fields: ['number', 'label'], uniqueFields: ['number'] })
    const result = await run({ items: model }, ['number', 'label'], ['', 'a'], ['', 'b'], ['none', 'c'])
    expect(result.errors).toEqual([empty(2, 'number'), empty(3, 'number')])
    expect(await labels()).toEqual([['c']])
  })

  test('a part that may be null or has a default may be empty beside one that the row gives', async () => {
    const model = importModel({
      model: items,
      fields: ['number', 'place', 'label'],
      uniqueFields: ['number', 'place', 'owner'],
      foreignKeys: { owner },
    })
    const header = ['number', 'place', 'owner_name', 'label']
    const rows = [
      ['', 'x', '', 'a'],
      ['none', 'x', '', 'b'],
      ['1', '', '', 'c'],
      ['', '', '', 'd'],
    ]
    const result = await run({ items: model }, header, ...rows)
    expect(result).toMatchObject({ created: 2, updated: 1, failed: 1 })
    expect(result.errors).toEqual([empty(5, 'number')])
    expect(await db.rows('items', 'number', 'place', 'label')).toEqual([
      ['1', null, 'c'],
      ['none', 'x', 'b'],
    ])
  })

  test('a key that is made for each record may be empty', async () => {
    const model = importModel({ model: items, fields: ['id', 'label'], uniqueFields: ['id'] })
    expect(await run({ items: model }, ['id', 'label'], ['', 'a'], ['', 'b'])).toMatchObject({ created: 2, failed: 0 })
  })

  test('a row that deletes its record needs its key as well', async () => {
    const model = importModel({
      model: items,
      fields: ['place', 'label'],
      uniqueFields: ['place'],
      deleteWhen: { sourceField: 'gone', equals: ['x'] },
    })
    await db.run("insert into items (label) values ('kept')")
    const result = await run({ items: model }, ['place', 'label', 'gone'], ['', '', 'x'])
    expect(result.errors).toEqual([empty(2, 'place')])
    expect(await labels()).toEqual([['kept']])
  })
})
