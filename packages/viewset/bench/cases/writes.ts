import type { BenchCase, BenchRequest } from '../case.ts'
import { placeResource } from '../fixture/resource.ts'
import { cityId, countryId, degrees, PLACES, regionId } from '../fixture/rows.ts'
import { placeStore as pgStore } from '../floor/pg-places.ts'
import { createPlace, createPlaces, deletePlaces, type PlaceStore, updatePlace, updatePlaces } from '../floor/places.ts'
import type { Handler } from '../floor/server.ts'
import { placeStore as sqliteStore } from '../floor/sqlite-places.ts'

const SINGLE = { sqlite: 0.8, pg: 0.9 }
const BULK = { sqlite: 0.85, pg: 0.85 }
/** Items of a bulk request. */
const ITEMS = 1_000

export const create: BenchCase = {
  ...writing(createPlace),
  name: 'create',
  title: 'create of a city with country and region',
  requests: { sqlite: 2_000, pg: 800 },
  target: SINGLE,
  own: ['id', 'created_at', 'updated_at'],
  request: n => ({ method: 'POST', path: '/', body: JSON.stringify(placeOf(n)) }),
}

export const put: BenchCase = {
  ...writing(updatePlace),
  name: 'put',
  title: 'full update of a city',
  requests: { sqlite: 2_000, pg: 800 },
  target: SINGLE,
  own: ['updated_at'],
  request: n => ({ method: 'PUT', path: `/${someCity(n)}/`, body: JSON.stringify(placeOf(n + 7)) }),
}

export const patch: BenchCase = {
  ...writing(updatePlace),
  name: 'patch',
  title: 'partial update of a city, two fields',
  requests: { sqlite: 2_000, pg: 800 },
  target: SINGLE,
  own: ['updated_at'],
  request: n => {
    const { name, latitude } = placeOf(n + 7)
    return { method: 'PATCH', path: `/${someCity(n)}/`, body: JSON.stringify({ name, latitude }) }
  },
}

/** The floor sends no `ETag`: beside `patch`, the case says what a version costs. */
export const patchVersion: BenchCase = {
  ...patch,
  name: 'patch-version',
  title: 'partial update of a city with an ETag',
  viewset: models => placeResource(models, { version: 'updatedAt' }),
}

export const bulkCreate: BenchCase = {
  ...writing(createPlaces),
  ...bulk('POST', '/bulk-create/', placeOf),
  name: 'bulk-create',
  title: 'create of 1,000 cities',
  own: ['id', 'created_at', 'updated_at'],
}

export const bulkPatch: BenchCase = {
  ...writing(updatePlaces),
  // What items bring is mixed.
  ...bulk('PATCH', '/bulk-update/', n => {
    const { name, latitude, region } = placeOf(n + 7)
    return n % 2 === 0 ? { id: cityId(n), name, latitude } : { id: cityId(n), name, region }
  }),
  name: 'bulk-patch',
  title: 'partial update of 1,000 cities, two fields each',
  own: ['updated_at'],
}

export const bulkPut: BenchCase = {
  ...writing(updatePlaces),
  ...bulk('PUT', '/bulk-update/', n => ({ id: cityId(n), ...placeOf(n + 7) })),
  name: 'bulk-put',
  title: 'full update of 1,000 cities',
  own: ['updated_at'],
}

export const bulkDelete: BenchCase = {
  ...writing(deletePlaces),
  ...bulk('DELETE', '/bulk-delete/', cityId),
  name: 'bulk-delete',
  title: 'deletion of 1,000 cities',
}

/** A case that writes to `places`. */
function writing(handler: (store: PlaceStore) => Handler) {
  return {
    writes: true,
    viewset: placeResource,
    floor: {
      sqlite: database => handler(sqliteStore(database)),
      pg: pool => handler(pgStore(pool)),
    },
  } satisfies Partial<BenchCase>
}

/** Requests that have an item for each of the places in turn. */
function bulk(method: string, path: string, item: (n: number) => unknown) {
  return {
    // Each of the places once.
    requests: { sqlite: PLACES / ITEMS, pg: PLACES / ITEMS },
    target: BULK,
    // One at a time: two for the same rows would wait for each other.
    connections: 1,
    request: (n: number): BenchRequest => {
      const items = Array.from({ length: ITEMS }, (_, i) => item(n * ITEMS + i))
      return { method, path, body: JSON.stringify(items) }
    },
  } satisfies Partial<BenchCase>
}

/** Each of the places once, in no order. */
function someCity(n: number): string {
  return cityId((n * 7_919) % PLACES)
}

/** What a client sends of a place. */
function placeOf(n: number) {
  return {
    name: `Villa ${n} "São"`,
    latitude: degrees(n, 53, 90),
    longitude: degrees(n, 97, 180),
    country: countryId(n),
    region: n % 400 === 0 ? null : regionId(n),
  }
}
