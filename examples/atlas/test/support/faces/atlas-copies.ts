import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { currentDb } from 'viewset'
import { createClient } from 'viewset/client'
import { createTestDatabase } from 'viewset/testing'
import { importForm } from '../../../../../packages/viewset/test/support/multipart.ts'
import { type AtlasDatabase, openPostgres, openSqlite } from '../../../src/database.ts'
import { models } from '../../../src/models.ts'
import type { resources } from '../../../src/resources.ts'
import { startSmallAtlas, tokens } from '../small-atlas.ts'

/** The admin's id, as `users.ts` has it. */
const ADMIN = '01900000-0000-7000-8000-00000000000a'

/** The keys of records that every copy has, as paths name them. */
export type KnownKeys = Readonly<
  Record<
    | 'continents'
    | 'countries'
    | 'regions'
    | 'cities'
    | 'visits'
    | 'events'
    | 'labels'
    | 'trips'
    | 'jobs'
    // Bodies name labels by their ids, paths by their slugs.
    | 'labelIds'
    | 'stops',
    readonly string[]
  >
>

/** The ids of the first and the last entry in the history of the first record. */
export type KnownEntries = Readonly<
  Record<'regions' | 'cities' | 'trips', { readonly first: number; readonly last: number }>
>

interface KnownRecords {
  readonly known: KnownKeys
  readonly entries: KnownEntries
}

/** Several copies of an atlas. Each has the same records with the same keys. */
export interface AtlasCopies extends KnownRecords {
  open(): Promise<AtlasDatabase>
  remove(): Promise<void>
}

export async function sqliteCopies(): Promise<AtlasCopies> {
  const folder = mkdtempSync(join(tmpdir(), 'atlas-test-'))
  const original = join(folder, 'original')
  const records = await fill(await openSqlite(original))
  let copies = 0
  return {
    ...records,
    open: async () => {
      const copy = join(folder, `copy-${++copies}`)
      cpSync(original, copy, { recursive: true })
      return openSqlite(copy)
    },
    remove: async () => rmSync(folder, { recursive: true }),
  }
}

export async function postgresCopies(server: string): Promise<AtlasCopies> {
  const original = await createTestDatabase({ postgres: server })
  const folder = mkdtempSync(join(tmpdir(), 'atlas-test-'))
  const records = await fill(await openPostgres(original.url, folder))
  const name = new URL(original.url).pathname.slice(1)
  const copies: string[] = []
  const administer = async (text: string) => {
    const client = new Client(server)
    await client.connect()
    await client.query(text).finally(() => client.end())
  }
  // The queue of jobs keeps its connection for a while, and a template must have none.
  await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  return {
    ...records,
    open: async () => {
      const copy = `${name}_${copies.length}`
      copies.push(copy)
      await administer(`create database ${copy} template ${name}`)
      const url = new URL(original.url)
      url.pathname = copy
      return openPostgres(url.href, folder)
    },
    remove: async () => {
      for (const copy of copies) await administer(`drop database if exists ${copy} with (force)`)
      await original.drop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Fills a small atlas with visits, events, trips, jobs and changes. */
async function fill(atlas: AtlasDatabase): Promise<KnownRecords> {
  const { app, origin } = await startSmallAtlas(atlas)
  const client = createClient<ReturnType<typeof resources>>({ baseUrl: `${origin}/api`, token: tokens.admin })
  const whole = { paginated: false } as const
  const cities = (await client.cities.list(whole)).items
  const keys = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id)
  for (const [day, { id: city }] of cities.slice(0, 3).entries()) {
    await client.visits.create({ city, rating: 3 + day, visited_on: `2026-01-1${day}`, note: `Day ${day}` })
  }
  await client.events.bulkCreate(
    cities.slice(0, 6).map(({ id: city, name }, day) => ({
      name: `Market of ${name}`,
      kind: day % 2 === 0 ? ('market' as const) : ('concert' as const),
      happened_at: `2026-01-0${day + 1}T12:00:00Z`,
      city,
    })),
  )
  const label = await client.labels.create({ name: 'Sea', slug: 'sea' })
  const trips = []
  for (const title of ['North', 'South']) {
    const stops = cities.slice(0, 2).map(({ id: city }, at) => ({ city, position: at + 1 }))
    trips.push(await client.trips.create({ title, labels: [label.id], stops }))
  }
  const jobs = [await exported(origin), await waiting(atlas), await imported(origin)]
  const known = {
    continents: (await client.continents.list()).items.map(({ code }) => code),
    countries: keys((await client.countries.list(whole)).items),
    regions: keys((await client.regions.list(whole)).items),
    cities: keys(cities),
    visits: keys((await client.visits.list(whole)).items),
    events: keys((await client.events.list(whole)).items),
    labels: [label.slug],
    labelIds: [label.id],
    trips: keys(trips),
    stops: trips.flatMap(({ stops }) => keys(stops)),
    jobs,
  }
  const entries = {
    regions: await changed(origin, `/regions/${known.regions[0]}/`, { name: 'Oslo county' }),
    cities: await changed(origin, `/cities/${known.cities[0]}/`, { latitude: '59.9' }),
    trips: await changed(origin, `/trips/${known.trips[0]}/`, { title: 'Far north' }),
  }
  await app.close()
  return { known, entries }
}

const JSON_TYPE = { 'content-type': 'application/json' }

async function send<T>(origin: string, path: string, init: RequestInit = {}): Promise<T> {
  const headers = { authorization: `Bearer ${tokens.admin}`, ...init.headers }
  const response = await fetch(`${origin}/api${path}`, { ...init, headers })
  const { data } = (await response.json()) as { readonly data: T }
  return data
}

/** Changes a record, so that its history has two entries. */
async function changed(origin: string, path: string, body: object): Promise<KnownEntries['cities']> {
  await send(origin, path, { method: 'PATCH', headers: { ...JSON_TYPE, 'if-match': '*' }, body: JSON.stringify(body) })
  const entries = await send<readonly { readonly id: number; readonly path?: string | null }[]>(
    origin,
    `${path}history/`,
  )
  // Entries with a path are those of children.
  const own = entries.filter(entry => !entry.path).map(({ id }) => id)
  return { first: Math.min(...own), last: Math.max(...own) }
}

/** A job that has made a file. */
async function exported(origin: string): Promise<string> {
  const body = JSON.stringify({ file_type: 'csv', includes: ['code'] })
  const init = { method: 'POST', headers: JSON_TYPE, body }
  const { id } = await send<{ readonly id: string }>(origin, '/continents/export/?background=true', init)
  while ((await send<{ readonly state: string }>(origin, `/jobs/${id}/`)).state !== 'succeeded') await setTimeout(20)
  return id
}

/** A job that can be undone. */
async function imported(origin: string): Promise<string> {
  const { payload, headers } = importForm('name,latitude,longitude,country_code,region_code\nVik,59.5,10.5,NO,\n')
  const init = { method: 'POST', headers, body: new Uint8Array(payload) }
  return (await send<{ readonly job: string }>(origin, '/cities/import-from-file/', init)).job
}

/** A job that has not begun. */
async function waiting({ database, kit }: AtlasDatabase): Promise<string> {
  const { jobs } = models(kit)
  const job = {
    resource: 'cities',
    kind: 'import' as const,
    owner: ADMIN,
    request: { method: 'POST', origin: '', url: '', params: {}, query: {}, headers: {}, omittedHeaders: [] },
    options: {},
    progress: { processed: 0, total: null, failed: 0, created: 0, updated: 0, unchanged: 0, skipped: 0, deleted: 0 },
  } as const
  return database.use(async () => {
    const [stored] = await currentDb().insert(jobs).values(job).returning()
    return String(stored?.id)
  })
}
