import { postgres } from 'viewset/pg'
import { createTestDatabase } from 'viewset/testing'
import { expect, test } from 'vitest'
import { pgDialect } from '../support/dialects.ts'
import { askForOrderings, createWideTable } from '../support/wide-orderings.ts'

test('800 long statements make the server process of their connection at most 20 MB larger', async () => {
  const home = await createTestDatabase(pgDialect.server)
  const database = postgres(home.url, { poolSize: 1 })
  const held = async () => {
    const text = 'select sum(total_bytes) from pg_backend_memory_contexts'
    return Number((await database.run({ text }, [])).rows[0]?.[0]) / 1024 ** 2
  }
  try {
    await createWideTable(database)
    const before = await held()
    await askForOrderings(database)
    expect((await held()) - before).toBeLessThan(20)
  } finally {
    await database.close()
    await home.drop()
  }
})
