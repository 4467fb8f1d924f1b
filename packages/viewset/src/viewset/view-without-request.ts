import { stderrLog, type User } from '../core/context.ts'
import type { ApiRequest } from '../core/request.ts'
import type { ApiSettings } from '../core/settings.ts'
import type { Database } from '../store/connection/database.ts'
import type { GenericViewSet } from './generic-viewset.ts'
import { makeView } from './make-view.ts'
import type { AnyResourceClass } from './resource-class.ts'

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
  ...stderrLog,
}

/** `undefined` if the class needs a request. Without a database, the view cannot read records. */
export function viewWithoutRequest(
  resource: AnyResourceClass,
  database: Database | undefined,
  settings: ApiSettings,
  asked: { readonly action: string; readonly method: string } = { action: 'list', method: 'GET' },
  user: User | null = null,
): GenericViewSet | undefined {
  const make = () =>
    makeView(resource, { request: NOTHING_ASKED, user, database: database as Database, settings, ...asked })
  try {
    return database ? database.use(make) : make()
  } catch {
    return undefined
  }
}
