import type { Database } from 'viewset'
import { createHandler, type FetchHandler } from 'viewset/fetch'
import { api } from './api.ts'
import { openDatabase } from './database.ts'
import { readEnvironment } from './environment.ts'
import { authenticateBy } from './users.ts'

// Next loads this file several times, for routes, for pages and after a change. The process has one database.
const shared = globalThis as { database?: Database }

let handler: FetchHandler | undefined

/** Answers a request to the API. The first request makes the handler, because `next build` loads this file, too. */
export function answer(request: Request): Promise<Response> {
  handler ??= open()
  return handler(request)
}

function open(): FetchHandler {
  const { API_KEY } = readEnvironment()
  return createHandler({ ...api, database: sharedDatabase(), authenticate: authenticateBy(API_KEY) })
}

/** The database of the process, which opens at the first call. */
export function sharedDatabase(): Database {
  shared.database ??= openDatabase(readEnvironment().DATABASE_URL)
  return shared.database
}
