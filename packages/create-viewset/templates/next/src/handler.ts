import type { Database } from 'viewset'
import { createHandler, type FetchHandler } from 'viewset/fetch'
import { api } from './api.ts'
import { openDatabase } from './database.ts'
import { readEnvironment } from './environment.ts'
import { authenticateBy } from './users.ts'

// Next loads this file for routes, for pages, and anew when it is changed: the database is one of the process.
const shared = globalThis as { database?: Database }

let handler: FetchHandler | undefined

/** Answers a request to the API. The handler is made for the first one: `next build` loads this file as well. */
export function answer(request: Request): Promise<Response> {
  handler ??= open()
  return handler(request)
}

function open(): FetchHandler {
  const { DATABASE_URL, API_KEY } = readEnvironment()
  shared.database ??= openDatabase(DATABASE_URL)
  return createHandler({ ...api, database: shared.database, authenticate: authenticateBy(API_KEY) })
}
