import { isNull } from 'drizzle-orm'
import { type ImportFileConfig, importModel } from 'viewset'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeDialects } from '../support/dialects.ts'
import { csv, importOnce, querysetOf, useDatabase } from '../support/imports.ts'

describeDialects('a record that an import does not see', dialect => {
  const c = dialect.kit
  const columns = () => ({
    id: c.integer().primaryKey(),
    code: c.text(10),
    label: c.text(10),
    gone: c.boolean(),
  })
  const free = c.table('free', columns())
  const unique = c.table('constrained', columns(), t => [c.unique(t.code)])
  const pairs = c.table('pairs', columns(), t => [c.unique(t.code, t.label)])
  const db = useDatabase(dialect, { free, unique, pairs })
  type Table = typeof free | typeof unique | typeof pairs
  const run = (model: Table, ...rows: readonly string[][]) => {
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['rows'],
      models: {
        rows: importModel({ model: model as typeof free, fields: ['code', 'label'], uniqueFields: ['code'] }),
      },
    }
    const queryset = querysetOf(db.database, model, isNull(model.gone))
    return importOnce(config, csv(['code', 'label'], ...rows), { database: db.database, queryset })
  }

  test('hinders no row if no constraint says so', async () => {
    await db.run(
      `insert into free (code, label, gone) values ('a', 'old', true), ('a', 'new', null), ('b', 'old', true)`,
    )
    const result = await run(free, ['a', 'x'], ['b', 'y'])
    expect(result).toMatchObject({ created: 1, updated: 1, failed: 0 })
    expect(await db.rows('free', 'code', 'label')).toEqual([
      ['a', 'old'],
      ['a', 'x'],
      ['b', 'old'],
      ['b', 'y'],
    ])
  })

  test('hinders a row if a constraint says so', async () => {
    await db.run(`insert into constrained (code, label, gone) values ('a', 'old', true), ('b', 'old', null)`)
    const result = await run(unique, ['a', 'x'], ['b', 'y'])
    expect(result).toMatchObject({ created: 0, updated: 1, failed: 1 })
    expect(result.errors).toMatchObject([{ row: 2, field: 'code', message: 'Another record already has this value.' }])
  })

  test('hinders no row that leaves a part of what is unique together empty', async () => {
    await db.run(`insert into pairs (code, label, gone) values ('a', null, true), ('b', 'old', true)`)
    const rows = importModel({ model: pairs, fields: ['code', 'label'], uniqueFields: ['code', 'label'] })
    const queryset = querysetOf(db.database, pairs, isNull(pairs.gone))
    const result = await importOnce(
      { fileFormat: 'csv', order: ['rows'], models: { rows } },
      csv(['code', 'label'], ['a', ''], ['b', 'old']),
      { database: db.database, queryset },
    )
    expect(result).toMatchObject({ created: 1, failed: 1 })
    expect(result.errors).toMatchObject([
      { row: 3, message: 'Another record already has these values of code, label.' },
    ])
  })

  const warnings: Error[] = []
  const listen = (warning: Error) => void warnings.push(warning)
  beforeEach(() => process.on('warning', listen))
  afterEach(() => process.off('warning', listen))

  test('unique fields without a constraint are warned of once, unless they are meant', async () => {
    const make = (model: Table, matchWithoutIndex?: boolean) => {
      const rows = importModel({
        model: model as typeof free,
        fields: ['code'],
        uniqueFields: ['code'],
        ...(matchWithoutIndex !== undefined && { matchWithoutIndex }),
      })
      const config: ImportFileConfig = { fileFormat: 'csv', order: ['rows'], models: { rows } }
      return () => importOnce(config, csv(['code'], ['a']), { database: db.database })
    }
    const silent = make(free, true)
    await silent()
    await make(unique)()
    const warning = make(free)
    warnings.splice(0)
    await warning()
    await warning()
    expect(warnings.map(({ message }) => message)).toEqual([
      'ImportService: models.rows.uniqueFields: no unique constraint covers code, so each import locks the table and other writes to it wait. Add a unique constraint, or set matchWithoutIndex: true if this is meant.',
    ])
  })
})
