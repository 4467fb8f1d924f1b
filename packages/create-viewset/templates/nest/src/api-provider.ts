import { type BeforeApplicationShutdown, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common'
import { createHandler, type NodeHandler, type NodeHandlerOptions } from 'viewset/node'
import { api } from './api.ts'
import { type Readiness, readiness } from './ready.ts'

/** The options that differ between production and tests. */
export type ApiOptions = Pick<NodeHandlerOptions, 'database' | 'authenticate'>

/** The API as middleware, which starts and ends with the application. */
export class Api implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly handler: NodeHandler
  readonly #options: ApiOptions

  constructor(options: ApiOptions) {
    this.#options = options
    this.handler = createHandler({ ...api, ...options, logger: new Logger('Api') })
  }

  readiness(): Promise<Readiness> {
    return readiness(this.#options.database)
  }

  onModuleInit(): Promise<void> {
    return this.handler.ready()
  }

  /** Open requests are answered, and new ones get a 503. Then Nest closes its server. */
  beforeApplicationShutdown(): Promise<void> {
    return this.handler.close()
  }

  onApplicationShutdown(): Promise<void> {
    return this.#options.database.close()
  }
}
