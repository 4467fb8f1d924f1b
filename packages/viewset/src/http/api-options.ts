import { shown } from '../core/config-error.ts'
import { ConfigError } from '../core/errors.ts'
import type { WordingOptions } from '../core/messages/wording.ts'
import type { EnvelopeOptions } from '../core/project-envelope.ts'
import { checkOptions, required, rule, type SettingRule, setting, unchecked } from '../core/setting-rules.ts'
import type { ApiSettingsInput } from '../core/settings.ts'
import type { DescribingOptions } from '../describe/described-api.ts'
import { Database } from '../store/connection/database.ts'
import type { UnknownParameters } from '../viewset/endpoints/known-parameters.ts'
import type { Authenticate } from '../viewset/handle.ts'
import type { IdempotencyOptions } from '../viewset/idempotency/key-store.ts'
import type { JobsOptions } from '../viewset/jobs/job-viewset.ts'
import type { ImportMappingOptions } from '../viewset/mappings/mapping-store.ts'
import type { ViewContext } from '../viewset/view.ts'

/** Options of an API, independent of the server. */
export interface ApiOptions extends DescribingOptions, WordingOptions, EnvelopeOptions {
  /** The start of all paths, such as `/api`. Default: nothing. */
  readonly prefix?: string
  /** The database, made with `postgres(url)` or `sqlite(path)`. */
  readonly database: Database
  /** The resources by the name in their path: `{ countries: CountryViewSet }` is served at `/countries/`. */
  readonly resources: Readonly<Record<string, new (context: ViewContext) => object>>
  /** Returns the user of a request. Without it, requests have no user. */
  readonly authenticate?: Authenticate
  /** The settings of the whole API by group: `{ COMMON: { TIME_ZONE: 'Europe/Berlin' } }`. */
  readonly settings?: ApiSettingsInput
  /** Background imports and exports: the tables of their jobs, and their queue. Without it, there are no jobs. */
  readonly jobs?: JobsOptions
  /** The table of answers to requests with an `Idempotency-Key`. Without it, no resource may take keys. */
  readonly idempotency?: IdempotencyOptions
  /** The table of the mappings that users save for their imports. Without it, imports have no routes for them. */
  readonly importMappings?: ImportMappingOptions
  /**
   * The treatment of parameters that an action does not know, unless its resource says otherwise. Default `'refuse'`.
   */
  readonly unknownParameters?: UnknownParameters
  /** The start of links (`https://api.example.org`), if it differs from the requested address. */
  readonly baseUrl?: string
  /** Largest body of JSON, in bytes. Default 1,048,576 (1 MB). */
  readonly bodyLimit?: number
}

const isText = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value)

const isListOf = (accepts: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(accepts)

const RULES: Readonly<Record<keyof ApiOptions, SettingRule>> = {
  prefix: rule(isText(/^(\/[^?#*%]*)?$/), 'must be a path such as "/api"'),
  database: unchecked,
  resources: required(setting.object, 'give the viewsets by name, as in { countries: CountryViewSet }'),
  authenticate: rule(setting.function.accepts, 'must be a function of the request that returns a user or null'),
  settings: unchecked,
  jobs: unchecked,
  idempotency: unchecked,
  importMappings: unchecked,
  unknownParameters: setting.oneOf('refuse', 'ignore'),
  baseUrl: rule(isText(/^https?:\/\/[^/?#]+(\/[^?#]*)?$/i), 'must be an address such as "https://api.example.org"'),
  bodyLimit: rule(setting.wholeNumber.accepts, 'must be a number of bytes above 0'),
  envelope: setting.function,
  errorHandler: setting.function,
  requestBody: setting.function,
  rootPage: setting.boolean,
  languages: rule(isListOf(isText(/./)), "must be a list of language tags, such as ['en', 'de']"),
  messages: rule(setting.object.accepts, "must be texts by language, as in { de: { required: 'Pflichtfeld.' } }"),
  errorCodes: setting.boolean,
  openapi: unchecked,
  schema: unchecked,
  docs: unchecked,
}

/** @throws ConfigError with the wrong option. */
export function checkApiOptions(options: ApiOptions): void {
  checkOptions('api', RULES, options)
  const { database } = options
  if (!(database instanceof Database)) throw new ConfigError('api', 'database', databaseProblem(database))
}

/** The message never repeats the value: a PostgreSQL URL may contain a password. */
function databaseProblem(given: unknown): string {
  if (given === undefined) return 'is required; make it with postgres(url) or sqlite(path)'
  if (given instanceof Promise) return 'is a promise; write await before it'
  if (typeof given !== 'string') return `is ${shown(given)}; make it with postgres(url) or sqlite(path)`
  const isAddress = /^\w+:\/\//.test(given)
  return `is a text; open the database: ${isAddress ? "postgres('postgres://...')" : "sqlite('shop.db')"}`
}
