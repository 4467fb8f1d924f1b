import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { Database } from 'viewset'
import { postgres } from 'viewset/pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPostgresServer } from '../support/postgres-server.ts'

const fixture = (name: string) => readFile(join(import.meta.dirname, '../fixtures/tls', name), 'utf8')

describe('a server that takes encrypted connections only', () => {
  let server: Awaited<ReturnType<typeof startPostgresServer>>
  let certificate: string
  beforeAll(async () => {
    certificate = await fixture('server.crt')
    server = await startPostgresServer({ tls: { key: await fixture('server.key'), certificate } })
  })
  afterAll(() => server?.stop())

  const encryption = { text: 'select ssl from pg_stat_ssl where pid = pg_backend_pid()' }
  async function outcome(database: Database): Promise<unknown> {
    try {
      const read = () => database.run(encryption, [])
      return [(await read()).rows, (await database.transaction(read)).rows]
    } catch (error) {
      return (error as Error).message
    } finally {
      await database.close()
    }
  }

  test('is reached by the ssl of a configuration', async () => {
    const database = postgres({ connectionString: server.url, ssl: { ca: certificate } }, { poolSize: 2 })
    expect(await outcome(database)).toEqual([[['t']], [['t']]])
  })

  test('is reached by a pool of the application', async () => {
    const pool = new pg.Pool({ connectionString: server.url, ssl: { ca: certificate } })
    expect(await outcome(postgres(pool))).toEqual([[['t']], [['t']]])
    await pool.end()
  })

  test('is not reached without encryption, nor with a certificate that nobody vouches for', async () => {
    expect(await outcome(postgres(server.url))).toMatch(/^no pg_hba.conf entry .* no encryption$/)
    expect(await outcome(postgres({ connectionString: server.url, ssl: true }))).toMatch(/^self-signed certificate/)
  })
})
