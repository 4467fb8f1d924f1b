import { expect, test } from 'vitest'
import { pdfWriter } from '../../src/tabular/pdf/write.ts'
import type { CellRow } from '../../src/tabular/table.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { atlasModels, geography } from '../support/import-models.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'
import { turnsDuring } from '../support/turns.ts'
import { bytesOf, columnsOf } from '../tabular/support.ts'

const tables = geography(sqliteDialect.kit)
const db = useDatabase(sqliteDialect, tables)

test('a mapping with 60,000 wrong names costs less than two CPU seconds', async () => {
  const { countries } = atlasModels(tables)
  const file = csv(['Code', 'Land', 'Name'], ['DE', 'Deutschland', 'Germany'])
  const names = Array.from({ length: 60_000 }, (_, at) => String(at).padStart(40))
  const before = process.cpuUsage()
  for (const mapping of [{ Code: names }, Object.fromEntries(names.map(name => [name, null]))]) {
    const config = { fileFormat: 'csv', order: ['countries'], models: { countries } } as const
    await expect(importOnce(config, file, { database: db.database, mapping })).rejects.toMatchObject({
      errors: { mapping: { length: 10 } },
    })
  }
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1e6).toBeLessThan(2)
})

test('a PDF of 2,000 rows leaves the event loop to others while it is made', async () => {
  const rows = Array.from({ length: 2000 }, (_, index): CellRow => [index, 'The quick brown fox '.repeat(8)])
  const turns = await turnsDuring(() => bytesOf(pdfWriter().write(columnsOf('integer', 'text'), [rows])))
  expect(turns).toBeGreaterThan(20)
})
