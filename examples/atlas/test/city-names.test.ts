import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase } from 'viewset/testing'
import { describe, expect, inject, test } from 'vitest'
// Declares what the tests' set-up provides.
import type {} from '../../../packages/viewset/test/support/global-setup.ts'
import { importForm } from '../../../packages/viewset/test/support/multipart.ts'
import { openDatabase } from '../src/database.ts'
import { startSmallAtlas, tokens } from './support/small-atlas.ts'

describe('a city without a name is refused by POST, in bulk and by an import', () => {
  test('on SQLite', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'atlas-test-'))
    await refuse({ ATLAS_DATA_DIR: directory }).finally(() => rmSync(directory, { recursive: true }))
  })

  test('on PostgreSQL', async () => {
    const { url, drop } = await createTestDatabase({ postgres: inject('postgresUrl') })
    await refuse({ DATABASE_URL: url }).finally(drop)
  })

  async function refuse(environment: Readonly<Record<string, string>>): Promise<void> {
    const { app } = await startSmallAtlas(await openDatabase(environment))
    const authorization = `Bearer ${tokens.admin}`
    const send = async (path: string, body: object) => {
      const response = await app.inject({
        method: 'POST',
        url: `/api${path}`,
        payload: body,
        headers: { authorization },
      })
      return response.json()
    }
    const countCities = async () => {
      const response = await app.inject({ url: '/api/cities/', headers: { authorization } })
      return response.json().count
    }
    try {
      const [country] = (await app.inject({ url: '/api/countries/?code=NO' })).json().data
      const city = { latitude: '59.9', longitude: '10.7', country: country.id }
      for (const name of ['', '  ']) {
        expect((await send('/cities/', { ...city, name })).errors).toEqual({
          name: ['This field needs a text that is not empty.'],
        })
        const many = await send('/cities/bulk-create/', [
          { ...city, name: 'Moss' },
          { ...city, name },
        ])
        expect(many.errors).toEqual({ '1.name': ['This field needs a text that is not empty.'] })
      }
      const header = 'name,latitude,longitude,country_code,region_code'
      const { payload, headers } = importForm(`${header}\nMoss,59.43,10.66,NO,\n,59.9,10.7,NO,\n  ,59.8,10.7,NO,\n`)
      const imported = await app.inject({
        method: 'POST',
        url: '/api/cities/import-from-file/',
        payload,
        headers: { ...headers, authorization },
      })
      const message = 'This cell is empty, and a value is required.'
      expect(imported.json().data).toMatchObject({ created: 1, updated: 0, failed: 2 })
      expect(imported.json().data.errors).toEqual([
        { row: 3, field: 'name', column: 'name', message, model: 'cities' },
        { row: 4, field: 'name', column: 'name', message, model: 'cities' },
      ])
      expect(await countCities()).toBe(26)
    } finally {
      await app.close()
    }
  }
})
