import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'

interface TestDatabase {
  url: string
  /** Drops the database, closing connections that are still open. */
  drop(): Promise<void>
}

/**
 * Creates a PostgreSQL database for one test file: empty, or a copy of `template`, the url of another test database to
 * which nothing is connected.
 */
export async function createTestDatabase(options: { template?: string } = {}): Promise<TestDatabase> {
  const name = `viewset_test_${randomBytes(8).toString('hex')}`
  const template = options.template ? new URL(options.template).pathname.slice(1) : 'template0'
  await administer(`create database ${name} template ${template}`)
  const url = new URL(inject('postgresUrl'))
  url.pathname = name
  return { url: url.href, drop: () => administer(`drop database if exists ${name} with (force)`) }
}

async function administer(statement: string): Promise<void> {
  const client = new Client({ connectionString: inject('postgresUrl') })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
