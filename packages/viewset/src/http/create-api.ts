import { type ErrorLog, stderrLog } from '../core/context.ts'
import { ConfigError } from '../core/errors.ts'
import { resolveSettings } from '../core/settings.ts'
import { describedApi } from '../describe/described-api.ts'
import { registrations } from '../describe/registrations.ts'
import { missingTable } from '../store/faults.ts'
import { asResourceClass, checkResource } from '../viewset/as-resource-class.ts'
import { endpointsOf } from '../viewset/endpoints/endpoints.ts'
import type { Authenticate } from '../viewset/handle.ts'
import { apiJobs, withJobs } from './api-jobs.ts'
import { type ApiOptions, checkApiOptions } from './api-options.ts'
import { HttpApi } from './http-api.ts'
import { refusalOfAuthenticate } from './refusal-of-others.ts'

const BODY_LIMIT = 1024 ** 2

/**
 * Makes an API of resources, for whatever server brings the requests: what a face is written on.
 *
 * @throws ConfigError at start, naming the option or the resource that is wrong.
 * @example
 * const api = createApi({ prefix: '/api', database, resources: { countries: CountryViewSet } })
 * const { status, headers, body } = await api.answer(request)
 */
export function createApi(options: ApiOptions): HttpApi {
  checkApiOptions(options)
  const { prefix = '', database, authenticate, baseUrl, bodyLimit = BODY_LIMIT } = options
  const settings = resolveSettings(options.settings)
  const jobs = apiJobs(options, settings)
  const resources = Object.entries(withJobs(options.resources, jobs?.resource)).map(([name, value]) => {
    const resource = asResourceClass(name, value)
    checkResource(name, resource, database, settings)
    return { name, resource, endpoints: endpointsOf(name, resource, options) }
  })
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
    works: options.jobs?.work ?? true,
  })
}

/** `authenticate` may ask a plugin of the server, or another service, which refuse in their own way. */
function withRefusals(authenticate: Authenticate): Authenticate {
  const asking: Authenticate = async request => {
    try {
      // Nobody, also for code without types that has found no user.
      return (await authenticate(request)) ?? null
    } catch (error) {
      throw refusalOfAuthenticate(error) ?? error
    }
  }
  return Object.assign(asking, authenticate)
}

/** Options of a handler: a face that is a function, and so has no server to ask for these. */
export interface HandlerOptions extends ApiOptions {
  /** Where errors are written: pino, winston, `console`. Default: stderr. */
  readonly logger?: Logger
}

/** What handlers of all kinds can be told. */
export interface Handler {
  /** The API, for what else the application asks of it. */
  readonly api: HttpApi
  /**
   * Does what is to be done before the first request, which else does it: removes the files that killed processes have
   * left, and logs the tables that the database does not have.
   */
  ready(): Promise<void>
  /** Answers 503 from now on; resolves when all that is under way is sent. The database is the application's to close. */
  close(): Promise<void>
}

/** Makes an API with what every handler has. */
export function startHandler({ logger, ...options }: HandlerOptions): Handler & { readonly log: ErrorLog } {
  const log = errorLogOf(logger)
  const api = createApi(options)
  let started: Promise<void> | undefined
  const start = async () => {
    await api.start(log)
    for (const name of await api.missingTables()) log.logWarning(missingTable(name))
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

/** Where a face without a logger of its own writes: pino, winston and `console` are such loggers. */
export interface Logger {
  error(details: object, message: string): void
  warn(message: string): void
}

/**
 * A logger as the core writes to it; without one, errors go to stderr.
 *
 * @throws ConfigError for what is no logger
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
        // The names are those of pino and Fastify.
        logger.error({ err, errorId, reqId: requestId }, message)
      } catch {
        // A request is answered whether it can be logged or not.
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
