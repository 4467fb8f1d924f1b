import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase } from 'viewset/testing'
import { describe, expect, inject, test } from 'vitest'
import type {} from '../../../../packages/viewset/test/support/global-setup.ts'
import { importForm } from '../../../../packages/viewset/test/support/multipart.ts'
import { createAtlas } from '../../src/app.ts'
import { openDatabase } from '../../src/database.ts'

/** What a person would compare, by the names of other records instead of their ids. */
const TABLES = {
  countries: `select code, name, native_name, capital, continent_id, phone_prefixes, currencies, languages
    from countries order by code`,
  regions: `select r.code, r.name, c.code from regions r join countries c on c.id = r.country_id order by r.code`,
  cities: `select ci.name, ci.latitude, ci.longitude, co.code, r.code from cities ci
    join countries co on co.id = ci.country_id left join regions r on r.id = ci.region_id
    order by co.code, r.code, ci.name, ci.latitude, ci.longitude`,
}
const ROWS = { countries: 252, regions: 3_865, cities: 171_075 }
const names = Object.keys(ROWS) as (keyof typeof ROWS)[]

describe.each([
  ['SQLite', (directory: string) => ({ ATLAS_DATA_DIR: directory })],
  ['PostgreSQL', (_: string, url: string) => ({ DATABASE_URL: url })],
])('the atlas on %s', (_, environment) => {
  test('is the same when all of it has been exported and imported again', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'atlas-test-'))
    const { url, drop } = await createTestDatabase({ postgres: inject('postgresUrl') })
    const atlas = await openDatabase(environment(directory, url))
    const app = await createAtlas(atlas, { tokens: { admin: 'admin', reader: 'reader' } })
    const { driver } = atlas.database
    const rows = async (name: keyof typeof ROWS) => (await driver.run({ text: TABLES[name] }, [])).rows
    const all = () => Promise.all(names.map(rows))
    const headers = { authorization: 'Bearer admin' }
    const before = await all()
    expect(before.map(({ length }) => length)).toEqual(Object.values(ROWS))

    for (const file_type of ['csv', 'xlsx']) {
      const files = new Map<string, Buffer>()
      for (const name of names) {
        const file = await app.inject({ method: 'POST', url: `/api/${name}/export/`, payload: { file_type }, headers })
        expect(file.statusCode).toBe(200)
        files.set(name, file.rawPayload)
      }
      for (const name of names.toReversed()) await driver.run({ text: `delete from ${name}` }, [])
      for (const name of names) {
        const form = importForm(files.get(name) as Buffer)
        const response = await app.inject({
          method: 'POST',
          url: `/api/${name}/import-from-file/`,
          payload: form.payload,
          headers: { ...headers, ...form.headers },
        })
        expect(response.json().data).toMatchObject({
          processed: ROWS[name],
          created: ROWS[name],
          failed: 0,
          errors: [],
        })
      }
      expect(await all()).toEqual(before)
    }
    await app.close()
    await drop()
    rmSync(directory, { recursive: true })
  })
})
