import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { currentDb } from 'viewset'
import { createClient } from 'viewset/client'
import { createTestDatabase } from 'viewset/testing'
import { type AtlasDatabase, openPostgres, openSqlite } from '../../../src/database.ts'
import { models } from '../../../src/models.ts'
import type { resources } from '../../../src/resources.ts'
import { startSmallAtlas, tokens } from '../small-atlas.ts'

/** The admin's id, as `users.ts` has it. */
const ADMIN = '01900000-0000-7000-8000-00000000000a'

/** The keys of records that every copy has, by resource; the order is that of the list. */
export type KnownKeys = Readonly<
  Record<
    'continents' | 'countries' | 'regions' | 'cities' | 'visits' | 'events' | 'labels' | 'trips' | 'jobs',
    readonly string[]
  >
>

/** The same atlas several times: each with the same records under the same keys. */
export interface AtlasCopies {
  readonly known: KnownKeys
  open(): Promise<AtlasDatabase>
  remove(): Promise<void>
}

export async function sqliteCopies(): Promise<AtlasCopies> {
  const folder = mkdtempSync(join(tmpdir(), 'atlas-test-'))
  const original = join(folder, 'original')
  const known = await fill(await openSqlite(original))
  let copies = 0
  return {
    known,
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
  const known = await fill(await openPostgres(original.url, folder))
  const name = new URL(original.url).pathname.slice(1)
  const copies: string[] = []
  const administer = async (text: string) => {
    const client = new Client(server)
    await client.connect()
    await client.query(text).finally(() => client.end())
  }
  // What hands jobs over keeps its connection for a while, and a template must have none.
  await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  return {
    known,
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

/** A small atlas with visits, events, a trip and jobs. */
async function fill(atlas: AtlasDatabase): Promise<KnownKeys> {
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
  await client.trips.create({
    title: 'North',
    labels: [label.id],
    stops: cities.slice(0, 2).map(({ id: city }, at) => ({ city, position: at + 1 })),
  })
  const known = {
    continents: (await client.continents.list()).items.map(({ code }) => code),
    countries: keys((await client.countries.list(whole)).items),
    regions: keys((await client.regions.list(whole)).items),
    cities: keys(cities),
    visits: keys((await client.visits.list(whole)).items),
    events: keys((await client.events.list(whole)).items),
    labels: keys((await client.labels.list(whole)).items),
    trips: keys((await client.trips.list(whole)).items),
    jobs: [await exported(origin), await waiting(atlas)],
  }
  await app.close()
  return known
}

/** A job that has made a file. */
async function exported(origin: string): Promise<string> {
  const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' }
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${origin}/api${path}`, { ...init, headers })
    return ((await response.json()) as { readonly data: { readonly id: string; readonly state: string } }).data
  }
  const body = JSON.stringify({ file_type: 'csv', includes: ['code'] })
  const { id } = await ask('/continents/export/?background=true', { method: 'POST', body })
  while ((await ask(`/jobs/${id}/`)).state !== 'succeeded') await setTimeout(20)
  return id
}

/** A job that nobody has begun. */
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
