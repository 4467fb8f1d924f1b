import { openAsBlob } from 'node:fs'
import type { Operation } from './result.ts'

/** A city as every peer has to show it, whatever its own names are. */
export interface ShownCity {
  readonly id: string
  readonly name: string
  readonly latitude: number
  readonly longitude: number
  readonly country: string
  readonly region: string | null
}

export interface PeerRequest {
  readonly method: string
  readonly path: string
  readonly body?: string | FormData | Blob
  readonly type?: string
}

/** A city that is sent. */
export interface SentCity {
  readonly name: string
  readonly latitude: string
  readonly longitude: string
  readonly country: string
  readonly region: string
}

/** How a peer is asked. */
export interface Peer {
  readonly name: string
  /** The package that its version is of. */
  readonly package: string
  readonly file: string
  /** Where a city is. */
  readonly path: (id: string) => string
  /** The second page of twenty, by their names, with their number. */
  readonly list: (read: Read) => Promise<{ readonly count: number; readonly cities: readonly ShownCity[] }>
  readonly get: (read: Read, id: string) => Promise<ShownCity>
  readonly post: (city: SentCity) => PeerRequest
  readonly bulk: (cities: readonly SentCity[]) => PeerRequest
  readonly import?: (path: string) => Promise<PeerRequest>
  readonly export?: PeerRequest
}

/** What an address answers. */
export type Read = (path: string) => Promise<unknown>

interface Wire {
  readonly id: string
  readonly name: string
  readonly latitude: string | number
  readonly longitude: string | number
  readonly country: { readonly name: string }
  readonly region: { readonly name: string } | null
}

export const PEERS: readonly Peer[] = [
  {
    name: 'viewset',
    package: 'viewset',
    file: 'viewset.js',
    path: id => `/api/cities/${id}/`,
    list: async read => page(await read('/api/cities/?page=2&page_size=20')),
    get: async (read, id) => shown(((await read(`/api/cities/${id}/`)) as { data: Wire }).data),
    post: city => json('/api/cities/', city),
    bulk: cities => json('/api/cities/bulk-create/', cities),
    import: async path => {
      const form = await upload(path)
      form.append('append_data', 'true')
      return { method: 'POST', path: '/api/cities/import-from-file/', body: form }
    },
    export: json('/api/cities/export/', { file_type: 'csv' }),
  },
  {
    name: 'Fastify + Drizzle by hand',
    package: 'fastify',
    file: 'fastify-drizzle.js',
    path: id => `/api/cities/${id}`,
    list: async read => page(await read('/api/cities?page=2&page_size=20')),
    get: async (read, id) => shown((await read(`/api/cities/${id}`)) as Wire),
    post: city => json('/api/cities', city),
    bulk: cities => json('/api/cities/bulk', cities),
    import: async path => ({
      method: 'POST',
      path: '/api/cities/import',
      body: await openAsBlob(path, { type: 'text/csv' }),
    }),
    export: { method: 'GET', path: '/api/cities/export' },
  },
  {
    name: 'Nest + @dataui/crud (TypeORM)',
    package: '@nestjs/core',
    file: 'nest.js',
    path: id => `/cities/${id}`,
    list: async read => {
      const { total, data } = (await read('/cities?page=2&limit=20')) as { total: number; data: Wire[] }
      return { count: total, cities: data.map(shown) }
    },
    get: async (read, id) => shown((await read(`/cities/${id}`)) as Wire),
    post: city => json('/cities', withIds(city, 'countryId', 'regionId')),
    bulk: cities => json('/cities/bulk', { bulk: cities.map(city => withIds(city, 'countryId', 'regionId')) }),
  },
  {
    name: 'Remult',
    package: 'remult',
    file: 'remult.js',
    path: id => `/api/cities/${id}`,
    // Its client asks for relations by themselves.
    list: async read => {
      const cities = (await read('/api/cities?_page=2&_limit=20&_sort=name')) as RemultCity[]
      const { count } = (await read('/api/cities?__action=count')) as { count: number }
      return { count, cities: await withRelations(read, cities) }
    },
    get: async (read, id) => {
      const [city] = await withRelations(read, [(await read(`/api/cities/${id}`)) as RemultCity])
      return city as ShownCity
    },
    post: city => json('/api/cities', numbers(withIds(city, 'countryId', 'regionId'))),
    bulk: cities =>
      json(
        '/api/cities',
        cities.map(city => numbers(withIds(city, 'countryId', 'regionId'))),
      ),
  },
  {
    name: 'Feathers',
    package: '@feathersjs/feathers',
    file: 'feathers.js',
    path: id => `/api/cities/${id}`,
    list: async read => {
      const { total, data } = (await read('/api/cities?$skip=20&$limit=20&$sort[name]=1')) as {
        total: number
        data: Wire[]
      }
      return { count: total, cities: data.map(shown) }
    },
    get: async (read, id) => shown((await read(`/api/cities/${id}`)) as Wire),
    post: city => json('/api/cities', withIds(city, 'country_id', 'region_id')),
    bulk: cities =>
      json(
        '/api/cities',
        cities.map(city => withIds(city, 'country_id', 'region_id')),
      ),
  },
  {
    name: 'Django REST framework',
    package: 'djangorestframework',
    file: 'drf/app.py',
    path: id => `/api/cities/${id}/`,
    list: async read => {
      const { count, results } = (await read('/api/cities/?page=2&page_size=20')) as { count: number; results: Wire[] }
      return { count, cities: results.map(shown) }
    },
    get: async (read, id) => shown((await read(`/api/cities/${id}/`)) as Wire),
    post: city => json('/api/cities/', city),
    bulk: cities => json('/api/cities/bulk/', cities),
    import: async path => ({ method: 'POST', path: '/api/cities/import/', body: await upload(path) }),
    export: { method: 'GET', path: '/api/cities/export/' },
  },
]

/** Whether a peer can do something at all. */
export function can(peer: Peer, operation: Operation): boolean {
  return (operation !== 'import' && operation !== 'export') || peer[operation] !== undefined
}

interface RemultCity extends Omit<Wire, 'country' | 'region'> {
  readonly countryId: string
  readonly regionId: string | null
}

async function withRelations(read: Read, cities: readonly RemultCity[]): Promise<readonly ShownCity[]> {
  const related = async (name: string, ids: readonly (string | null)[]) => {
    const wanted = [...new Set(ids.filter(id => id !== null))]
    if (wanted.length === 0) return new Map<string | null, Wire['country']>()
    const list = encodeURIComponent(JSON.stringify(wanted))
    const found = (await read(`/api/${name}?id.in=${list}&_limit=100`)) as { id: string; name: string }[]
    return new Map<string | null, Wire['country']>(found.map(row => [row.id, row]))
  }
  const countries = await related(
    'countries',
    cities.map(city => city.countryId),
  )
  const regions = await related(
    'regions',
    cities.map(city => city.regionId),
  )
  return cities.map(city => {
    const country = countries.get(city.countryId) ?? { name: '' }
    return shown({ ...city, country, region: regions.get(city.regionId) ?? null })
  })
}

function page(body: unknown) {
  const { count, data } = body as { count: number; data: Wire[] }
  return { count, cities: data.map(shown) }
}

function shown({ id, name, latitude, longitude, country, region }: Wire): ShownCity {
  return {
    id,
    name,
    latitude: Number(latitude),
    longitude: Number(longitude),
    country: country.name,
    region: region?.name ?? null,
  }
}

function json(path: string, body: unknown): PeerRequest {
  return { method: 'POST', path, body: JSON.stringify(body), type: 'application/json' }
}

function withIds({ country, region, ...city }: SentCity, countryField: string, regionField: string) {
  return { ...city, [countryField]: country, [regionField]: region }
}

function numbers<T extends object>(city: T) {
  const { latitude, longitude } = city as { latitude?: unknown; longitude?: unknown }
  return { ...city, latitude: Number(latitude), longitude: Number(longitude) }
}

async function upload(path: string): Promise<FormData> {
  const form = new FormData()
  form.append('file', await openAsBlob(path, { type: 'text/csv' }), 'cities.csv')
  return form
}
