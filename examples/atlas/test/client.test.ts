import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as client from 'viewset/client'
import { createTestDatabase } from 'viewset/testing'
import { describe, expect, inject, test } from 'vitest'
// Declares what the tests' set-up provides.
import type {} from '../../../packages/viewset/test/support/global-setup.ts'
import { openDatabase } from '../src/database.ts'
import { startSmallAtlas, tokens } from './support/small-atlas.ts'
import { walked, walkThrough } from './support/walk-through.ts'

describe('the walk through the README, with viewset/client in Node', () => {
  test('is the same on SQLite', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'atlas-test-'))
    await walk({ ATLAS_DATA_DIR: directory }).finally(() => rmSync(directory, { recursive: true }))
  })

  test('is the same on PostgreSQL', async () => {
    const { url, drop } = await createTestDatabase({ postgres: inject('postgresUrl') })
    await walk({ DATABASE_URL: url }).finally(drop)
  })

  async function walk(environment: Readonly<Record<string, string>>): Promise<void> {
    const { app, origin } = await startSmallAtlas(await openDatabase(environment))
    const seen = await walkThrough(client, { baseUrl: `${origin}/api`, token: tokens.admin }).finally(() => app.close())
    expect(seen).toEqual(walked)
  }
})
