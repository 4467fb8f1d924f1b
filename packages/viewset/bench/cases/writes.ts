import type { BenchCase, BenchRequest } from '../case.ts'
import { placeResource } from '../fixture/resource.ts'
import { cityId, countryId, degrees, PLACES, regionId } from '../fixture/rows.ts'
import { placeTransactions as pgTransactions } from '../floor/pg-places.ts'
import { createPlace, createPlaces, deletePlaces, type InTransaction, updatePlaces } from '../floor/places.ts'
import type { Handler } from '../floor/server.ts'
import { placeTransactions as sqliteTransactions } from '../floor/sqlite-places.ts'

/** Items of a bulk request. */
const ITEMS = 1_000

export const create: BenchCase = {
  ...writing(createPlace),
  name: 'create',
  title: 'create of a city with country and region',
  requests: { sqlite: 600, pg: 400 },
  own: ['id', 'created_at', 'updated_at'],
  request: n => ({ method: 'POST', path: '/', body: JSON.stringify(placeOf(n)) }),
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
function writing(handler: (inTransaction: InTransaction) => Handler) {
  return {
    writes: true,
    viewset: placeResource,
    floor: {
      sqlite: database => handler(sqliteTransactions(database)),
      pg: pool => handler(pgTransactions(pool)),
    },
  } satisfies Partial<BenchCase>
}

/** Requests that have an item for each of the places in turn. */
function bulk(method: string, path: string, item: (n: number) => unknown) {
  return {
    // Each of the places once.
    requests: { sqlite: PLACES / ITEMS, pg: PLACES / ITEMS },
    // One at a time: two for the same rows would wait for each other.
    connections: 1,
    request: (n: number): BenchRequest => {
      const items = Array.from({ length: ITEMS }, (_, i) => item(n * ITEMS + i))
      return { method, path, body: JSON.stringify(items) }
    },
  } satisfies Partial<BenchCase>
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
