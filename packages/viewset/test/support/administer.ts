import { Client } from 'pg'

/** Runs statements on a connection of its own, as an administrator of the database beside the API. */
export async function administer(url: string, ...statements: readonly string[]): Promise<readonly unknown[][]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    let rows: unknown[][] = []
    for (const text of statements) rows = (await client.query({ text, rowMode: 'array' })).rows
    return rows
  } finally {
    await client.end()
  }
}

/** Changes settings of a database, and ends the connections that have begun with others. */
export async function configure(url: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await administer(
    url,
    ...Object.entries(settings).map(([key, value]) => `alter database "${name}" set ${key} = '${value}'`),
    // It waits for their end: a connection that is used meanwhile would be lost.
    'select pg_terminate_backend(pid, 10000) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  )
}
