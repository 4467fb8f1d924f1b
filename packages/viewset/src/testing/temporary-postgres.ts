import { randomBytes } from 'node:crypto'
import { ConfigError } from '../core/errors.ts'
import { drizzleKit } from './drizzle-kit.ts'
import type { Temporary } from './temporary.ts'

/** All tables but those of Drizzle's migrator and of extensions. */
const OWN_TABLES = `
  select format('%I.%I', n.nspname, c.relname)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and n.nspname <> 'drizzle' and n.nspname !~ '^(pg_|information_schema$)'
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')`

/** A database of its own on the server of `serverUrl`, whose user may create databases. */
export async function temporaryPostgres(serverUrl: string): Promise<Temporary> {
  if (!/^postgres(ql)?:\/\//.test(serverUrl) || !URL.canParse(serverUrl)) {
    throw new ConfigError(
      'testing',
      'postgres',
      'must be the address of a server, such as "postgres://localhost/postgres"',
    )
  }
  // Loaded here, so that nobody needs the driver of the other database.
  const { PostgresDriver } = await import('../store/dialect/pg-driver.ts')
  const name = `viewset_test_${randomBytes(8).toString('hex')}`
  const administer = async (text: string) => {
    const server = new PostgresDriver(serverUrl, { poolSize: 1, statementTimeout: 60_000 })
    await server.run({ text }, []).finally(() => server.close())
  }

  // Nobody is ever connected to template0, which would be in the way of a copy.
  await administer(`create database ${name} template template0`)
  const address = new URL(serverUrl)
  address.pathname = name
  const url = address.href
  const driver = new PostgresDriver(url, {})

  return {
    url,
    driver,

    async statementsFor(schema) {
      const { generateDrizzleJson, generateMigration } = drizzleKit()
      return generateMigration(generateDrizzleJson({}), generateDrizzleJson({ ...schema }))
    },

    async migrate(migrationsFolder) {
      const { drizzle } = await import('drizzle-orm/node-postgres')
      const { migrate } = await import('drizzle-orm/node-postgres/migrator')
      const connection = drizzle(url)
      await migrate(connection, { migrationsFolder }).finally(() => connection.$client.end())
    },

    async clear() {
      const { rows } = await driver.run({ text: OWN_TABLES }, [])
      if (rows.length > 0) await driver.run({ text: `truncate ${rows.join(', ')} restart identity cascade` }, [])
    },

    remove: () => administer(`drop database if exists ${name} with (force)`),
  }
}
