import type { ColumnKit, Database } from 'viewset'
import { kit as pgKit } from 'viewset/pg'
import { kit as sqliteKit } from 'viewset/sqlite'
import type { TestDatabaseOptions } from 'viewset/testing'
import { describe, inject } from 'vitest'

/** One database that every rule must hold on. */
export interface TestDialect {
  readonly name: 'sqlite' | 'pg'
  readonly kit: ColumnKit
  /** Where `createTestDatabase` finds the database. Tests and hooks only. */
  readonly server: TestDatabaseOptions
  /** For a test that needs options of its own. */
  readonly open?: (url: string) => Database
}

export const sqliteDialect: TestDialect = { name: 'sqlite', kit: sqliteKit, server: {} }

export const pgDialect: TestDialect = {
  name: 'pg',
  kit: pgKit,
  get server() {
    return { postgres: inject('postgresUrl') }
  },
}

/** Runs a suite once for each database (after Kysely's `for (const dialect of DIALECTS)`). */
export function describeDialects(name: string, suite: (dialect: TestDialect) => void): void {
  describe.each([sqliteDialect, pgDialect])(`$name: ${name}`, suite)
}

/**
 * Runs a suite that needs a database and says nothing about SQL: on SQLite in `npm test`, on each database in
 * `npm run test:long`.
 */
export function describeOneDialect(name: string, suite: (dialect: TestDialect) => void): void {
  describe.each(inject('thorough') ? [sqliteDialect, pgDialect] : [sqliteDialect])(`$name: ${name}`, suite)
}
