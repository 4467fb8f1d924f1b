import { Client } from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from './test-database.ts'

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

test('creates empty databases at the same time, apart from each other', async () => {
  const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()])
  await query(first.url, 'create table thing (id int)')
  const tables = `select table_name from information_schema.tables where table_schema = 'public'`
  expect(await query(first.url, tables)).toEqual([['thing']])
  expect(await query(second.url, tables)).toEqual([])
  await Promise.all([first.drop(), second.drop()])
})

test('copies a template', async () => {
  const template = await createTestDatabase()
  await query(template.url, 'create table thing as select 7 as id')
  const copy = await createTestDatabase({ template: template.url })
  expect(await query(copy.url, 'select id from thing')).toEqual([[7]])
  await Promise.all([template.drop(), copy.drop()])
})

test('drops a database that is still in use', async () => {
  const database = await createTestDatabase()
  const client = new Client({ connectionString: database.url })
  client.on('error', () => {})
  await client.connect()
  await database.drop()
  await expect(query(database.url, 'select 1')).rejects.toMatchObject({ code: '3D000' })
})

test('folds the case of every alphabet', async () => {
  const database = await createTestDatabase()
  expect(await query(database.url, `select lower('ÄÉŁЖΩ'), 'Öl' ilike 'öL'`)).toEqual([['äéłжω', true]])
  await database.drop()
})
