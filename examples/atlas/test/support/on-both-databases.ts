import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createTestDatabase } from 'viewset/testing'
import { inject } from 'vitest'
// Declares what the tests' set-up provides.
import type {} from '../../../../packages/viewset/test/support/global-setup.ts'
import { openDatabase } from '../../src/database.ts'
import { startSmallAtlas } from './small-atlas.ts'

export const DATABASES = ['SQLite', 'PostgreSQL'] as const

/** Runs `walk` with a small atlas on a new database, which is removed afterwards. */
export async function onDatabase(
  name: (typeof DATABASES)[number],
  walk: (app: FastifyInstance) => Promise<void>,
): Promise<void> {
  const start = async (environment: Readonly<Record<string, string>>) => {
    const { app } = await startSmallAtlas(await openDatabase(environment))
    await walk(app).finally(() => app.close())
  }
  if (name === 'SQLite') {
    const directory = mkdtempSync(join(tmpdir(), 'atlas-test-'))
    await start({ ATLAS_DATA_DIR: directory }).finally(() => rmSync(directory, { recursive: true }))
  } else {
    const { url, drop } = await createTestDatabase({ postgres: inject('postgresUrl') })
    await start({ DATABASE_URL: url }).finally(drop)
  }
}
