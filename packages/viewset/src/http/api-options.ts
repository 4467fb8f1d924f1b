import { ConfigError } from '../core/errors.ts'
import { checkOptions, required, rule, type SettingRule, setting, unchecked } from '../core/setting-rules.ts'
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

const isText = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value)

const RULES: Readonly<Record<keyof ApiOptions, SettingRule>> = {
  prefix: rule(isText(/^(\/[^?#*%]*)?$/), 'must be a path such as "/api"'),
  database: unchecked,
  resources: required(setting.object, 'give the viewsets by name, as in { countries: CountryViewSet }'),
  authenticate: rule(setting.function.accepts, 'must be a function of the request that returns a user or null'),
  settings: unchecked,
  jobs: unchecked,
  unknownParameters: setting.oneOf('refuse', 'ignore'),
  baseUrl: rule(isText(/^https?:\/\/[^/?#]+(\/[^?#]*)?$/i), 'must be an address such as "https://api.example.org"'),
  bodyLimit: rule(setting.wholeNumber.accepts, 'must be a number of bytes above 0'),
  openapi: unchecked,
  schema: unchecked,
  docs: unchecked,
}

/** @throws ConfigError naming the option that is wrong. */
export function checkApiOptions(options: ApiOptions): void {
  checkOptions('api', RULES, options)
  const { database } = options
  if (!(database instanceof Database)) throw new ConfigError('api', 'database', databaseProblem(database))
}

/** A text is not repeated: an address of PostgreSQL has a password in it. */
function databaseProblem(given: unknown): string {
  if (given === undefined) return 'is required; make it with postgres(url) or sqlite(path)'
  if (typeof given !== 'string') return `is ${shown(given)}; make it with postgres(url) or sqlite(path)`
  const isAddress = /^\w+:\/\//.test(given)
  return `is a text; open the database: ${isAddress ? "postgres('postgres://...')" : "sqlite('shop.db')"}`
}
