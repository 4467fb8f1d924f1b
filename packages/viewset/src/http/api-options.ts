import { ConfigError } from '../core/errors.ts'
import { refuseUnknown } from '../core/setting-rules.ts'
import type { ApiSettingsInput } from '../core/settings.ts'
import { shown } from '../core/text.ts'
import type { DescribingOptions } from '../describe/described-api.ts'
import { Database } from '../store/database.ts'
import type { UnknownParameters } from '../viewset/endpoints/known-parameters.ts'
import type { Authenticate } from '../viewset/handle.ts'
import type { JobsOptions } from '../viewset/jobs/jobs-options.ts'
import type { ViewContext } from '../viewset/view-context.ts'

/** What an API is made of, whatever server it stands in. */
export interface ApiOptions extends DescribingOptions {
  /** What stands before all paths, such as `/api`. Default: nothing. */
  readonly prefix?: string
  readonly database: Database
  /** The resources by the name in their path: `{ countries: CountryViewSet }` answers at `/countries/`. */
  readonly resources: Readonly<Record<string, new (context: ViewContext) => object>>
  /** Who makes a request; without it, nobody does. */
  readonly authenticate?: Authenticate
  readonly settings?: ApiSettingsInput
  /** Imports and exports in the background: the tables of their jobs, and who runs them. Without it there are none. */
  readonly jobs?: JobsOptions
  /** What happens to parameters that an action does not know, where its resource does not say. Default `'refuse'`. */
  readonly unknownParameters?: UnknownParameters
  /** What links start with (`https://api.example.org`), where it is not the address that clients ask. */
  readonly baseUrl?: string
  /** Largest body of JSON, in bytes. Default 1,048,576 (1 MB). */
  readonly bodyLimit?: number
}

const OPTIONS = [
  'prefix',
  'database',
  'resources',
  'authenticate',
  'settings',
  'jobs',
  'unknownParameters',
  'baseUrl',
  'bodyLimit',
  'openapi',
  'schema',
  'docs',
]

/** @throws ConfigError naming the option that is wrong. */
export function checkApiOptions(options: ApiOptions): void {
  const refuse = (key: string, problem: string) => {
    throw new ConfigError('api', key, problem)
  }
  refuseUnknown('api', 'option', Object.keys(options), OPTIONS)
  const { prefix, database, baseUrl, authenticate, resources, bodyLimit } = options
  if (prefix !== undefined && !/^(\/[^?#*%]*)?$/.test(prefix)) refuse('prefix', 'must be a path such as "/api"')
  if (!(database instanceof Database)) refuse('database', databaseProblem(database))
  if (baseUrl !== undefined && !/^https?:\/\/[^/?#]+(\/[^?#]*)?$/i.test(baseUrl)) {
    refuse('baseUrl', 'must be an address such as "https://api.example.org"')
  }
  if (authenticate !== undefined && typeof authenticate !== 'function') {
    refuse('authenticate', 'must be a function of the request that returns a user or null')
  }
  if (!['refuse', 'ignore', undefined].includes(options.unknownParameters)) {
    refuse('unknownParameters', "must be 'refuse' or 'ignore'")
  }
  if (bodyLimit !== undefined && !(Number.isSafeInteger(bodyLimit) && bodyLimit > 0)) {
    refuse('bodyLimit', 'must be a number of bytes above 0')
  }
  if (typeof resources !== 'object' || resources === null || Array.isArray(resources)) {
    refuse('resources', 'is required; give the viewsets by name, as in { countries: CountryViewSet }')
  }
}

/** A text is not repeated: an address of PostgreSQL has a password in it. */
function databaseProblem(given: unknown): string {
  if (given === undefined) return 'is required; make it with postgres(url) or sqlite(path)'
  if (typeof given !== 'string') return `is ${shown(given)}; make it with postgres(url) or sqlite(path)`
  const isAddress = /^\w+:\/\//.test(given)
  return `is a text; open the database: ${isAddress ? "postgres('postgres://...')" : "sqlite('shop.db')"}`
}
