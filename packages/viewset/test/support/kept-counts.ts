import type { Database } from 'viewset'
import { afterAll, beforeAll, describe, vi } from 'vitest'
import { pgDialect, sqliteDialect, type TestDialect } from './dialects.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'

/**
 * Runs a suite on each database. Its PostgreSQL is a server of its own, because a commit to any database of a server
 * ends the version of all.
 */
export function describeVersions(name: string, suite: (dialect: TestDialect) => void): void {
  describe(name, () => {
    let server: PostgresServer | undefined
    beforeAll(async () => {
      server = await startPostgresServer({ settings: { autovacuum: 'off' } })
    }, 60_000)
    afterAll(() => server?.stop())
    const own: TestDialect = {
      name: pgDialect.name,
      kit: pgDialect.kit,
      get server() {
        return server ? { postgres: server.url } : {}
      },
    }
    describe.each([sqliteDialect, own])('$name', suite)
  })
}

/** How often `fn` makes the database count rows for a list. */
export async function countsOf(database: Database, fn: () => Promise<unknown>): Promise<number> {
  const { driver } = database
  if (!driver.versions) throw new Error('The database does not compare versions.')
  const run = vi.spyOn(driver, 'run')
  const compare = vi.spyOn(driver.versions, 'count')
  try {
    await fn()
    const compared = (await Promise.all(compare.mock.results.map(({ value }) => value))) as { count: unknown }[]
    const plain = run.mock.calls.filter(([{ text }]) => text.startsWith('select count(*)')).length
    // On SQLite, a comparison that fails sends the plain statement.
    return driver.dialect.name === 'sqlite' ? plain : plain + compared.filter(({ count }) => count !== null).length
  } finally {
    run.mockRestore()
    compare.mockRestore()
  }
}

/** Most requests for which a count rests, and some. */
const LONGEST_REST = 70

/** Reads until the count is kept; fails if it is not. */
export async function untilKept(database: Database, read: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < LONGEST_REST; i++) if ((await countsOf(database, read)) === 0) return
  throw new Error('The count is not kept.')
}
