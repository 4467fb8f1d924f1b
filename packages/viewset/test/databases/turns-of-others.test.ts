import { insertMany } from 'viewset'
import { afterEach, expect, test, vi } from 'vitest'
import { useApi } from '../support/api.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { models } from '../support/models.ts'
import { turnsDuring } from '../support/turns.ts'
import { authorResources } from '../support/write-paths.ts'

const RECORDS = 500

const tables = models(sqliteDialect.kit)
const api = useApi(sqliteDialect, { tables, resources: authorResources(tables) })

afterEach(() => {
  vi.restoreAllMocks()
})

/** Makes each look at the clock `milliseconds` later than the last one. */
function stepClock(milliseconds: number): void {
  let now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += milliseconds
    return now
  })
}

// A statement of PostgreSQL waits for the network, so that others have their turn anyway.
test('SQLite: a request that saves hundreds of records one by one gives others their turn every 10 ms', async () => {
  const rows = Array.from({ length: RECORDS }, (_, n) => ({ id: uuid(n + 1), name: `Author ${n}` }))
  await api.database.transaction(() => insertMany(tables.authors, rows))
  const items = rows.map(row => ({ ...row, name: `Other ${row.name}` }))
  stepClock(11)
  const turns = await turnsDuring(async () => {
    expect((await api.put('/saved/bulk-update/', items)).status).toBe(200)
  })
  // At least one statement a record, each 11 ms after the last one by this clock.
  expect(turns).toBeGreaterThan(RECORDS)
})
