import type { ErrorLog } from '../core/context.ts'
import { registrations } from '../describe/registrations.ts'
import { missingTable } from '../store/missing-tables.ts'
import type { ApiOptions } from './api-options.ts'
import { createApi } from './create-api.ts'
import type { HttpApi } from './http-api.ts'
import { errorLogOf, type Logger } from './logger.ts'

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
