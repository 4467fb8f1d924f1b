import { setTimeout as wait } from 'node:timers/promises'
import { writeXlsx } from 'hucre/xlsx'
import { type ImportFileConfig, importModel, type PrepareRow, skipRow, ValidationError } from 'viewset'
import { expect, test, vi } from 'vitest'
import { describeDialects } from '../support/dialects.ts'
import { atlasModels, geography } from '../support/import-models.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'
import { workbook } from '../support/workbook.ts'

describeDialects('prepareRow', dialect => {
  const tables = geography(dialect.kit)
  const { countries, people, samples } = tables
  const db = useDatabase(dialect, tables)

  const countriesWith = (prepareRow: PrepareRow): ImportFileConfig => ({
    fileFormat: ['csv', 'xlsx'],
    order: ['countries'],
    models: { countries: importModel({ model: countries, fields: ['iso2', 'name'], uniqueFields: ['iso2'] }) },
    prepareRow,
  })
  const run = (prepareRow: PrepareRow, file: Buffer, options = {}) =>
    importOnce(countriesWith(prepareRow), file, { database: db.database, ...options })

  test('sees all cells of a row by header, those that nobody reads too, and where they stand', async () => {
    const seen: unknown[] = []
    const see: PrepareRow = (row, context) => {
      seen.push([{ ...row }, context])
      return row
    }
    const file = csv(
      ['Iso2', 'NAME', 'Note', '', 'Note'],
      ['DE', 'Germany', 'x', '', 'z'],
      [],
      ['FR', 'France', '', 'y'],
    )
    expect(await run(see, file)).toEqual({
      success: true,
      processed: 2,
      failed: 0,
      errors: [],
      created: 2,
      updated: 0,
      skipped: 0,
      ignoredColumns: ['Note', '(column 4)', 'Note'],
    })
    const germany = { Iso2: 'DE', iso2: 'DE', NAME: 'Germany', name: 'Germany', Note: 'x', '(column 4)': null }
    const france = { ...germany, Iso2: 'FR', iso2: 'FR', NAME: 'France', name: 'France', Note: null, '(column 4)': 'y' }
    expect(seen).toEqual([
      [germany, { rowNumber: 2, sheet: '', view: undefined, warn: expect.any(Function) }],
      [france, { rowNumber: 4, sheet: '', view: undefined, warn: expect.any(Function) }],
    ])
  })

  test('changes cells by the name that the file has for them, or by their own', async () => {
    const file = csv(['ISO2', 'Name'], ['de', 'Germany'], ['fr', 'France'], ['it', 'Italy'])
    const change: PrepareRow = (row, { rowNumber }) => {
      const iso2 = String(row.ISO2).toUpperCase()
      if (rowNumber === 2) return { ...row, ISO2: iso2 }
      if (rowNumber === 3) return { ...row, iso2 }
      row.iso2 = iso2
      return row
    }
    expect(await run(change, file)).toMatchObject({ created: 3, failed: 0 })
    expect(await db.rows('countries', 'iso2')).toEqual([['DE'], ['FR'], ['IT']])
  })

  test('feeds columns that the file does not have, in any spelling', async () => {
    const file = csv(['Code and name'], ['DE Germany'], ['FR France'])
    const split: PrepareRow = (row, { rowNumber }) => {
      const [code, name] = String(row['Code and name']).split(' ')
      return rowNumber === 2 ? { iso2: code, name } : { ' ISO2': code, Name: name }
    }
    expect(await run(split, file)).toMatchObject({ created: 2, failed: 0, ignoredColumns: ['Code and name'] })
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([
      ['DE', 'Germany'],
      ['FR', 'France'],
    ])
  })

  test('what neither the file nor the hook gives is an error of the row; what the hook leaves out is empty', async () => {
    const file = csv(['iso2'], ['DE'], ['FR'], ['IT'])
    const hook: PrepareRow = (row, { rowNumber }) => {
      if (rowNumber === 2) return { ...row, name: 'Germany' }
      return rowNumber === 3 ? row : { name: 'Italy' }
    }
    expect(await run(hook, file)).toMatchObject({
      created: 1,
      failed: 2,
      errors: [
        { row: 3, field: 'name', message: 'The column "name" is missing.' },
        { row: 4, field: 'iso2', column: 'iso2', message: 'This cell is empty, and a value is required.' },
      ],
    })
  })

  test('leaves rows out, which are counted, and of which nothing is written', async () => {
    const file = csv(['iso2', 'name'], ['DE', 'Germany'], ['--', 'Total'], ['FR', 'France'], ['wrong', ''])
    const skip: PrepareRow = row => (row.iso2 === '--' ? skipRow : row)
    expect(await run(skip, file)).toMatchObject({ processed: 4, created: 2, updated: 0, skipped: 1, failed: 1 })
    for (const chunkSize of [1, 2, 3]) {
      const config = { ...countriesWith(skip), chunkSize }
      const again = await importOnce(config, file, { database: db.database })
      expect(again).toMatchObject({ processed: 4, created: 0, updated: 2, skipped: 1, failed: 1 })
    }
    expect(await run(skip, file, { append: false })).toMatchObject({ skipped: 1, failed: 1, created: 0, deleted: 0 })
    expect(await db.rows('countries', 'iso2')).toEqual([['DE'], ['FR']])
  })

  test('a replace of which all rows are left out replaces nothing', async () => {
    await run(row => row, csv(['iso2', 'name'], ['DE', 'Germany']))
    await expect(run(() => skipRow, csv(['iso2', 'name'], ['FR', 'France']), { append: false })).rejects.toMatchObject({
      status: 400,
      message: 'All rows that would replace something were skipped, so nothing was replaced.',
    })
    expect(await db.rows('countries', 'iso2')).toEqual([['DE']])
  })

  test('nor does one of a workbook whose other sheets are stored', async () => {
    const models = {
      people: importModel({ model: people, fields: ['name'], uniqueFields: ['name'] }),
      samples: importModel({ model: samples, fields: ['code'], uniqueFields: ['code'] }),
    }
    const config: ImportFileConfig = { fileFormat: 'xlsx', order: ['people', 'samples'], models }
    const { database } = db
    await importOnce(config, await workbook({ people: [['name'], ['Ann']], samples: [['code'], ['a']] }), { database })
    const file = await workbook({ people: [['name'], ['Ben']], samples: [['code'], ['b']] })
    const leaving = {
      hook: { ...config, prepareRow: (row, { sheet }) => (sheet === 'samples' ? skipRow : row) },
      policy: { ...config, models: { ...models, samples: { ...models.samples, onMissing: 'skip' } } },
    } satisfies Record<string, ImportFileConfig>
    for (const left of Object.values(leaving)) {
      await expect(importOnce(left, file, { database, append: false })).rejects.toMatchObject({
        message: 'All rows that would replace something were skipped, so nothing was replaced.',
      })
    }
    expect(await db.rows('samples', 'code')).toEqual([['a']])
    expect(await db.rows('people', 'name')).toEqual([['Ann']])
  })

  test('refuses rows in its own words, by field or header; other faults have an id, and are logged once', async () => {
    const file = csv(['Iso2', 'name', 'Note'], ...['A', 'B', 'C', 'D', 'E', 'F'].map(code => [code, code, code]))
    const refuse: PrepareRow = row => {
      if (row.Iso2 === 'A') throw new ValidationError({ iso2: ['Too short.', 'Too dull.'], Note: ['Not here.'] })
      if (row.Iso2 === 'B') throw new ValidationError('Not today.')
      if (row.Iso2 === 'C') throw new ValidationError({ colour: ['Which one?'] })
      if (row.Iso2 === 'F') return undefined as unknown as Record<string, unknown>
      if (row.Iso2 !== 'D') throw new Error('secret')
      return row
    }
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const result = await run(refuse, file)
    const logged = log.mock.calls.map(([first]) => String(first))
    log.mockRestore()
    expect(logged).toEqual([
      expect.stringMatching(/^viewset: prepareRow of an import failed \(error id [0-9a-f-]{36}\)$/),
    ])
    const id = /error id (.*)\)/.exec(logged[0] ?? '')?.[1]
    const told = `This row is not acceptable. Please quote error id ${id}.`
    expect(result).toMatchObject({ created: 1, failed: 5, skipped: 0 })
    expect(result.errors).toEqual([
      { row: 2, field: 'iso2', column: 'Iso2', message: 'Too short.', model: 'countries' },
      { row: 2, field: 'iso2', column: 'Iso2', message: 'Too dull.', model: 'countries' },
      { row: 2, field: 'Note', column: 'Note', message: 'Not here.', model: 'countries' },
      { row: 3, field: 'non_field_errors', message: 'Not today.', model: 'countries' },
      { row: 4, field: 'colour', message: 'Which one?', model: 'countries' },
      { row: 6, field: 'non_field_errors', message: told, model: 'countries' },
      { row: 7, field: 'non_field_errors', message: told, model: 'countries' },
    ])
  })

  test('may look things up: rows wait for one another, and queries see what the import has written', async () => {
    const order: number[] = []
    const lookUp: PrepareRow = async (row, { rowNumber }) => {
      await wait(rowNumber === 2 ? 5 : 0)
      order.push(rowNumber)
      if (row.iso2 === '--') return skipRow
      if (row.iso2 === '!!') throw new ValidationError({ iso2: ['Nobody knows it.'] })
      return { ...row, name: `${row.name}!` }
    }
    const file = csv(['iso2', 'name'], ['DE', 'Germany'], ['--', 'Total'], ['!!', 'Moon'], ['FR', 'France'])
    expect(await run(lookUp, file)).toMatchObject({ created: 2, skipped: 1, failed: 1 })
    expect(order).toEqual([2, 3, 4, 5])
    expect(await db.rows('countries', 'name')).toEqual([['France!'], ['Germany!']])
  })

  test('is told the sheet of a workbook; cells that it does not touch keep their type', async () => {
    const sheets: string[] = []
    const config: ImportFileConfig = {
      fileFormat: 'xlsx',
      order: ['people', 'samples'],
      models: {
        people: importModel({ model: people, fields: ['name'], uniqueFields: ['name'] }),
        samples: importModel({ model: samples, fields: ['code', 'day', 'number'], uniqueFields: ['code'] }),
      },
      prepareRow(row, { sheet, rowNumber }) {
        sheets.push(`${sheet} ${rowNumber} ${row.day ?? ''}`)
        return sheet === 'samples' ? { ...row, number: 7 } : row
      },
    }
    const file = Buffer.from(
      await writeXlsx({
        sheets: [
          { name: 'people', rows: [['name'], ['Ann']] },
          {
            name: 'samples',
            rows: [
              ['code', 'day'],
              ['a', new Date(Date.UTC(2026, 0, 15))],
            ],
          },
        ],
      }),
    )
    expect(await importOnce(config, file, { database: db.database })).toMatchObject({ created: 2, failed: 0 })
    expect(sheets).toEqual(['people 2 ', 'samples 2 2026-01-15'])
    expect(await db.rows('samples', 'number')).toEqual([['7']])
  })

  test('the cells of a flat file feed several models, each by its own name', async () => {
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['countries', 'regions', 'cities'],
      models: atlasModels(tables),
      prepareRow: row => {
        if (row.place === 'nowhere') throw new ValidationError({ 'regions.name': ['Not there.'], plate: ['Not so.'] })
        return { ...row, 'countries.name': row.land, 'regions.name': row.place, 'cities.name': row.place, area: 1 }
      },
    }
    const file = csv(
      ['iso2', 'land', 'place', 'district', 'plate', 'population', 'kind', 'mayor'],
      ['DE', 'Germany', 'Bremen', '', '', '5', '', ''],
      ['DE', 'Germany', 'nowhere', '', '', '5', '', ''],
    )
    const result = await importOnce(config, file, { database: db.database })
    expect(result).toMatchObject({ created: 1, failed: 1, ignoredColumns: ['land', 'place'] })
    expect(result.errors.map(({ field, column, model }) => [field, column, model])).toEqual([
      ['regions.name', undefined, 'regions'],
      ['plate', 'plate', 'cities'],
    ])
    expect(await db.rows('cities', 'name', 'population')).toEqual([['Bremen', '5']])
  })

  test('a column that a mapping leaves out, or gives to another field, is not the field of its name', async () => {
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['samples'],
      models: {
        samples: importModel({ model: samples, fields: ['code', 'text', 'number'], uniqueFields: ['code'] }),
      },
      prepareRow: row => ({ ...row, number: row.number === null ? null : `${row.number}0` }),
    }
    const { database } = db
    await importOnce(config, csv(['code', 'text', 'number'], ['A', 'hello', 5]), { database })
    const left = csv(['code', 'text', 'number'], ['A', 'not this', 7])
    expect(await importOnce(config, left, { database, mapping: { text: null } })).toMatchObject({ updated: 1 })
    expect(await db.rows('samples', 'code', 'text', 'number')).toEqual([['A', 'hello', '70']])
    const given = csv(['code', 'number'], ['A', 8])
    expect(await importOnce(config, given, { database, mapping: { number: 'text' } })).toMatchObject({ updated: 1 })
    expect(await db.rows('samples', 'code', 'text', 'number')).toEqual([['A', '80', '70']])
  })

  test('what it returns that has no cells is an error of the row, and empties nothing', async () => {
    const config = (wrong: object): ImportFileConfig => ({
      fileFormat: 'csv',
      order: ['samples'],
      models: {
        samples: importModel({
          model: samples,
          fields: ['text'],
          uniqueFields: ['code'],
          constantFields: { code: 'A' },
        }),
      },
      // JavaScript lets it.
      prepareRow: () => wrong as Record<string, unknown>,
    })
    // As queries are, which wait to be waited for.
    const [query] = ['then'].map(name => ({ [name]: () => undefined }))
    for (const wrong of [['A'], query ?? {}]) {
      const result = await importOnce(config(wrong), csv(['text'], ['x']), { database: db.database })
      expect(result).toMatchObject({
        failed: 1,
        errors: [{ message: expect.stringMatching(/^This row is not acceptable\./) }],
      })
    }
    expect(await db.rows('samples', 'code')).toEqual([])
  })

  test('names that every object has are plain names', async () => {
    const file = csv(['iso2', 'name', '__proto__'], ['DE', 'Germany', 'x'])
    const seen: unknown[] = []
    await run(row => {
      seen.push(Reflect.get(row, '__proto__'), row.constructor)
      return row
    }, file)
    expect(seen).toEqual(['x', undefined])
  })
})
