import { stderrLog } from '../core/error-log.ts'
import type { ApiRequest } from '../core/request.ts'
import type { Database } from '../store/database.ts'
import type { AnyResourceClass } from './compose.ts'
import type { GenericViewSet } from './generic-viewset.ts'

const NOTHING_ASKED: ApiRequest = {
  id: '',
  method: 'GET',
  origin: 'http://localhost',
  url: '/',
  path: '/',
  search: '',
  params: {},
  query: {},
  headers: {},
  body: undefined,
  bodyStream: null,
  get native(): never {
    throw new Error('No server has received this request.')
  },
  logError: stderrLog.logError,
}

/**
 * A view for looking at what a resource declares, before anybody asks for anything; `undefined` where its class does
 * not let itself be made without a request.
 */
export function viewOfNobody(resource: AnyResourceClass, database: Database): GenericViewSet | undefined {
  try {
    return database.use(() => new resource({ request: NOTHING_ASKED, user: null, database, action: 'list' }))
  } catch {
    return undefined
  }
}
