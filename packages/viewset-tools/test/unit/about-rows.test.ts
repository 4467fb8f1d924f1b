import { pgTable, text } from 'drizzle-orm/pg-core'
import { createTestDatabase } from 'viewset/testing'
import { expect, test } from 'vitest'
import { pgDialect } from '../../../viewset/test/support/dialects.ts'
import { aboutRows } from '../../src/advice/about-rows.ts'

test('a table with more rows than are counted has about as many as the database knows of', async () => {
  const logs = pgTable('logs', { name: text() })
  const { database, drop } = await createTestDatabase({ ...pgDialect.server, schema: { logs } })
  await database.run({ text: "insert into logs select 'a' from generate_series(1, 500)" }, [])
  await database.run({ text: 'analyze logs' }, [])
  expect(await aboutRows(database, { schema: undefined, name: 'logs' }, 500)).toBe(500)
  expect(await aboutRows(database, { schema: undefined, name: 'logs' }, 10)).toBe(500)
  await drop()
})
