import { lt } from 'drizzle-orm'
import type { ResourcesOptions } from 'viewset/fastify'
import type { BenchRequest } from '../case.ts'
import { create } from '../cases/writes.ts'
import type { Models } from '../fixture/models.ts'
import { cityResource, exportResource, placeResource } from '../fixture/resource.ts'
import { CITIES, cityId } from '../fixture/rows.ts'

/** One thing that all faces are asked. */
export interface FaceCase {
  readonly name: string
  /** Requests of one round. */
  readonly requests: number
  /** The n-th request; the path is the whole one. */
  request(n: number): BenchRequest
}

const EXPORTED = 10_000

export function resourcesOf(models: Models): ResourcesOptions['resources'] {
  return {
    cities: cityResource(models),
    places: placeResource(models),
    exported: exportResource(models, { queryset: () => lt(models.cities.id, cityId(EXPORTED)) }),
  }
}

export const faceCases: readonly FaceCase[] = [
  {
    name: 'retrieve',
    requests: 1_000,
    request: n => ({ method: 'GET', path: `/api/cities/${cityId((n * 7_919) % CITIES)}/` }),
  },
  {
    name: 'list of 20',
    requests: 300,
    request: n => ({ method: 'GET', path: `/api/cities/?page_size=20&page=${1 + (n % 10)}` }),
  },
  { name: 'create', requests: 500, request: n => ({ ...create.request(n), path: '/api/places/' }) },
  {
    name: `CSV of ${EXPORTED.toLocaleString('en-US')}`,
    requests: 4,
    request: () => ({ method: 'POST', path: '/api/exported/export/', body: '{"file_type":"csv"}' }),
  },
]
