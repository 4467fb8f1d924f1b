import { insertMany } from 'viewset'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { models } from '../support/models.ts'
import { turnsDuring } from '../support/turns.ts'
import { authorResources } from '../support/write-paths.ts'

const RECORDS = 500

describeDialects('a request that saves hundreds of records one by one', dialect => {
  const tables = models(dialect.kit)
  let api: TestApi
  beforeAll(async () => {
    api = await TestApi.start(dialect, { tables, resources: authorResources(tables) })
    const rows = Array.from({ length: RECORDS }, (_, n) => ({ id: uuid(n + 1), name: `Author ${n}` }))
    await api.database.transaction(() => insertMany(tables.authors, rows))
  })
  afterAll(() => api.close())

  test('gives others their turn in between', async () => {
    const items = Array.from({ length: RECORDS }, (_, n) => ({ id: uuid(n + 1), name: `Other ${n}` }))
    const turns = await turnsDuring(async () => {
      expect((await api.put('/saved/bulk-update/', items)).status).toBe(200)
    })
    // A request alone takes two or three.
    expect(turns).toBeGreaterThan(5)
  })
})
