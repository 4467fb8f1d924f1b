import type Database from 'better-sqlite3'
import type pg from 'pg'
import type { ResourcesOptions } from 'viewset/fastify'
import type { Models } from './fixture/models.ts'
import type { Handler } from './floor/server.ts'

/** The databases that are measured, in this order. */
export const DIALECTS = ['sqlite', 'pg'] as const
export type DialectName = (typeof DIALECTS)[number]

/** As tables show them. */
export const DATABASES: Readonly<Record<DialectName, string>> = { sqlite: 'SQLite', pg: 'PostgreSQL' }

/** The two servers that a case compares. */
export type Side = 'floor' | 'viewset'

export interface BenchRequest {
  readonly method: string
  /** Behind the API's prefix and the case's name, for example `/?page=2`. */
  readonly path: string
  /** JSON text. */
  readonly body?: string
}

/** One thing that is measured: what both servers are asked, and how each of them answers. A file in `cases/`. */
export interface BenchCase {
  /** The argument of `npm run bench`, and the resource's name in the path. */
  readonly name: string
  readonly title: string
  /** Requests of one round; about a quarter of a second of work for each server. */
  readonly requests: Readonly<Record<DialectName, number>>
  /** The share of the floor's requests per CPU second that is wanted at least. */
  readonly target?: Readonly<Record<DialectName, number>>
  /** Connections that ask at the same time. Default 4. */
  readonly connections?: number
  /** Whether the requests write to `places`: both servers then find the same rows there at the start of each round. */
  readonly writes?: boolean
  /** Fields whose values are the server's own, as a new record's id. */
  readonly own?: readonly string[]
  /** The n-th request, the same for both servers. */
  request(n: number): BenchRequest
  viewset(models: Models): ResourcesOptions['resources'][string]
  /** What a good engineer would write by hand, on the same driver. */
  readonly floor: {
    sqlite(database: Database.Database): Handler
    pg(pool: pg.Pool): Handler
  }
}

/** Where both servers answer a case. */
export function addressOf({ name }: BenchCase): string {
  return `/api/${name}`
}
