import { type ErrorLog, stderrLog } from '../core/context.ts'
import { ConfigError } from '../core/errors.ts'
import { Wordings } from '../core/messages/wording.ts'
import { resolveSettings } from '../core/settings.ts'
import { describedApi } from '../describe/described-api.ts'
import { registrations } from '../describe/registrations.ts'
import { endpointsOf } from '../viewset/endpoints/endpoints.ts'
import type { Authenticate } from '../viewset/handle.ts'
import { checkHistories } from '../viewset/mixins/history-model-mixin.ts'
import { asResourceClass, checkResource } from '../viewset/resource/as-resource-class.ts'
import { reserveResourcesBelow } from '../viewset/resource/reserve-paths.ts'
import { checkTenants } from '../viewset/tenant/check-tenants.ts'
import { apiJobs, withJobs } from './api-jobs.ts'
import { apiKeys } from './api-keys.ts'
import { apiMappings } from './api-mappings.ts'
import { type ApiOptions, checkApiOptions } from './api-options.ts'
import { HttpApi } from './http-api.ts'
import { refusalOfAuthenticate } from './refusal-of-others.ts'

const BODY_LIMIT = 1024 ** 2

/**
 * Makes an API of resources, for any server. Faces are built on it.
 *
 * @throws ConfigError at start for a wrong option or resource.
 * @example
 * const api = createApi({ prefix: '/api', database, resources: { countries: CountryViewSet } })
 * const { status, headers, body } = await api.answer(request)
 */
export function createApi(options: ApiOptions): HttpApi {
  checkApiOptions(options)
  const { prefix = '', database, authenticate, baseUrl, bodyLimit = BODY_LIMIT } = options
  const settings = resolveSettings(options.settings)
  const wordings = new Wordings(options)
  const jobs = apiJobs(options, settings, wordings)
  const keys = apiKeys(options, settings)
  const mappings = apiMappings(options)
  const resources = Object.entries(withJobs(options.resources, jobs?.resource)).map(([name, value]) => {
    const resource = asResourceClass(name, value)
    checkResource(name, resource, database, settings)
    return { name, resource, endpoints: endpointsOf(name, resource, options) }
  })
  reserveResourcesBelow(resources)
  const own = resources.filter(({ resource }) => resource !== jobs?.resource)
  const definitions = own.map(({ name, resource }) => ({ name, definition: resource.definition }))
  checkTenants(definitions)
  checkHistories(definitions)
  const described = describedApi(resources, options)
  return new HttpApi({
    prefix,
    baseUrl,
    bodyLimit,
    database,
    authenticate: authenticate ? withRefusals(authenticate) : () => null,
    settings,
    described,
    jobs: jobs?.jobs,
    keys,
    mappings,
    wordings,
    own: options,
    works: options.jobs?.work ?? true,
  })
}

/** Errors of a plugin or another service in `authenticate` become responses. */
function withRefusals(authenticate: Authenticate): Authenticate {
  const asking: Authenticate = async request => {
    try {
      // JavaScript code may return undefined for a request without a user.
      return (await authenticate(request)) ?? null
    } catch (error) {
      throw refusalOfAuthenticate(error) ?? error
    }
  }
  return Object.assign(asking, authenticate)
}

/** Options of a handler: a face that is a function without its own server. */
export interface HandlerOptions extends ApiOptions {
  /** The log for errors: pino, winston, `console`. Default: stderr. */
  readonly logger?: Logger
}

/** The properties of all handlers. */
export interface Handler {
  /** The API, for the application's own calls. */
  readonly api: HttpApi
  /** Removes files that killed processes left, and logs missing tables. Otherwise the first request does this. */
  ready(): Promise<void>
  /** Answers 503 from now on, and resolves when all responses are sent. Does not close the database. */
  close(): Promise<void>
}

/** Makes an API with the properties of every handler. */
export function startHandler({ logger, ...options }: HandlerOptions): Handler & { readonly log: ErrorLog } {
  const log = errorLogOf(logger)
  const api = createApi(options)
  let started: Promise<void> | undefined
  const start = async () => {
    await api.start(log)
    for (const warning of await api.warnings()) log.logWarning(warning)
  }
  registrations.publish({ server: null, prefix: api.prefix, document: () => api.document() })
  return {
    api,
    log,
    ready: () => {
      started ??= start()
      return started
    },
    close: () => api.close(),
  }
}

/** A logger for a face without its own: pino, winston or `console`. */
export interface Logger {
  error(details: object, message: string): void
  warn(message: string): void
}

/**
 * Adapts a logger; without one, errors go to stderr.
 *
 * @throws ConfigError for an invalid logger
 */
function errorLogOf(logger: Logger | undefined): ErrorLog {
  if (logger === undefined) return stderrLog
  if (typeof logger?.error !== 'function' || typeof logger.warn !== 'function') {
    throw new ConfigError('api', 'logger', 'must have the methods error and warn, as pino and console have')
  }
  return {
    logError(err, details) {
      const { message, errorId, requestId } = details
      try {
        // The names that pino and Fastify use.
        logger.error({ err, errorId, reqId: requestId }, message)
      } catch {
        // A failing logger must not prevent the response.
        stderrLog.logError(err, details)
      }
    },
    logWarning(message) {
      try {
        logger.warn(message)
      } catch {
        stderrLog.logWarning(message)
      }
    },
  }
}
