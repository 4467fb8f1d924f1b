import { expect, test } from 'vitest'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { atlasModels, geography, geographyOfCompositeKeys } from '../support/import-models.ts'
import { checkRandomImports, HEADER, rulesOfDatabase } from '../support/import-property.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'

describeDialects('an import of random files', dialect => {
  const tables = geography(dialect.kit)
  const db = useDatabase(dialect, tables, rulesOfDatabase(dialect.name))

  test('stores and reports what an import of one row after the other does', () =>
    checkRandomImports(db, tables, cases(150)))

  test('tells of two faults of a row the one that it would meet first', async () => {
    const { countries, ...others } = atlasModels(tables)
    const file = csv(
      HEADER,
      ['DE', 'Germany', 'North', '', 'A', '', 'P1', '', '', ''],
      // Its country is undone, so the row after it is written once more: it takes the plate of the last row then.
      ['ES', 'Spain', 'North', '', 'A', '', 'P1', '', '', ''],
      ['ES', 'Spain', 'North', 'Old', 'A', '', 'P2', '', '', ''],
      ['FR', 'France', 'North', '', 'A', '', 'P2', '666', '', ''],
    )
    for (const chunkSize of [undefined, 1]) {
      await db.clear()
      const models = { countries: { ...countries, onExisting: 'fail' as const }, ...others }
      const chunks = chunkSize === undefined ? {} : { chunkSize }
      const config = { fileFormat: 'csv' as const, order: ['countries', 'regions', 'cities'], models, ...chunks }
      const { created, errors } = await importOnce(config, file, { database: db.database })
      expect(created).toBe(2)
      expect(errors.map(({ row, field }) => [row, field])).toEqual([
        [3, 'plate'],
        [5, 'plate'],
      ])
    }
  })

  test('tells of a row the fault that it meets after an earlier row is undone', async () => {
    const models = atlasModels(tables)
    const config = { fileFormat: 'csv' as const, order: ['countries', 'regions', 'cities'], models }
    const stored = csv(
      HEADER,
      ['ZZ', 'Taken', 'North', '', 'A', '', 'TAKEN', '', '', ''],
      ['DE', 'Shared', 'North', '', 'A', '', '', '', '', ''],
    )
    const file = csv(
      HEADER,
      // The database refuses this city, so Germany keeps its name, which Italy cannot have then.
      ['DE', 'Germany', 'North', '', 'A', '', '', '666', '', ''],
      ['IT', 'Shared', 'North', '', 'A', '', 'TAKEN', '', '', ''],
    )
    await db.clear()
    await importOnce(config, stored, { database: db.database })
    const { errors } = await importOnce(config, file, { database: db.database })
    expect(errors.map(({ row, field }) => [row, field])).toEqual([
      [2, 'non_field_errors'],
      [3, 'countries.name'],
    ])
  })
})

describeDialects('an import of random files into a table with a key of two columns', dialect => {
  const tables = geographyOfCompositeKeys(dialect.kit)
  const db = useDatabase(dialect, tables, rulesOfDatabase(dialect.name))

  test('stores and reports what an import of one row after the other does', () =>
    checkRandomImports(db, tables, cases(100)))
})
