import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quoteName } from '../model/drizzle.ts'
import { drizzleKit } from './drizzle-kit.ts'
import type { Temporary } from './temporary.ts'

/** All tables but those of Drizzle's migrator, and of indexes for search, which triggers empty. */
const OWN_TABLES = `
  select name from pragma_table_list as own
  where schema = 'main' and type = 'table' and name not in ('sqlite_schema', '__drizzle_migrations')
    and not exists (select 1 from pragma_table_list as found where found.type = 'virtual' and own.name = found.name || '_keys')`

/** A file in a temporary folder: the store needs several connections, which a database in memory does not have. */
export async function temporarySqlite(): Promise<Temporary> {
  // Loaded here, so that nobody needs the driver of the other database.
  const { SqliteDriver } = await import('../store/dialect/sqlite-driver.ts')
  const folder = await mkdtemp(join(tmpdir(), 'viewset-test-'))
  const url = join(folder, 'test.db')
  // No test's data has to survive a power cut.
  const driver = new SqliteDriver(url, { synchronous: 'normal' })

  return {
    url,
    driver,

    async statementsFor(schema) {
      const { generateSQLiteDrizzleJson, generateSQLiteMigration } = drizzleKit()
      return generateSQLiteMigration(
        await generateSQLiteDrizzleJson({}),
        await generateSQLiteDrizzleJson({ ...schema }),
      )
    },

    async migrate(migrationsFolder) {
      const { drizzle } = await import('drizzle-orm/better-sqlite3')
      const { migrate } = await import('drizzle-orm/better-sqlite3/migrator')
      const connection = drizzle(url)
      try {
        migrate(connection, { migrationsFolder })
      } finally {
        connection.$client.close()
      }
    },

    async clear() {
      const { rows } = await driver.run({ text: OWN_TABLES }, [])
      const transaction = await driver.begin()
      try {
        // References are checked at the commit, where nothing is left: no order of the tables matters.
        await transaction.run({ text: 'pragma defer_foreign_keys = on' }, [])
        for (const [name] of rows) await transaction.run({ text: `delete from ${quoteName(String(name))}` }, [])
      } catch (error) {
        await transaction.rollback()
        throw error
      }
      await transaction.commit()
    },

    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
