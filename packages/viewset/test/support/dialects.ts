import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ColumnKit, Database } from 'viewset'
import { kit as pgKit, postgres } from 'viewset/pg'
import { sqlite, kit as sqliteKit } from 'viewset/sqlite'
import { describe } from 'vitest'
import { createTestDatabase } from './test-database.ts'

export interface TemporaryDatabase {
  readonly database: Database
  /** Closes the database and removes it. */
  drop(): Promise<void>
}

/** One database that every rule must hold on. */
export interface TestDialect {
  readonly name: 'sqlite' | 'pg'
  readonly kit: ColumnKit
  /** An empty database that nobody else uses. */
  createDatabase(): Promise<TemporaryDatabase>
}

export const sqliteDialect: TestDialect = {
  name: 'sqlite',
  kit: sqliteKit,
  async createDatabase() {
    const path = join(tmpdir(), `viewset-test-${randomUUID()}.db`)
    const database = sqlite(path)
    return {
      database,
      async drop() {
        await database.close()
        for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
      },
    }
  },
}

export const pgDialect: TestDialect = {
  name: 'pg',
  kit: pgKit,
  async createDatabase() {
    const { url, drop } = await createTestDatabase()
    const database = postgres(url)
    return {
      database,
      async drop() {
        await database.close()
        await drop()
      },
    }
  },
}

/** Runs a suite once for each database (after Kysely's `for (const dialect of DIALECTS)`). */
export function describeDialects(name: string, suite: (dialect: TestDialect) => void): void {
  describe.each([sqliteDialect, pgDialect])(`$name: ${name}`, suite)
}
