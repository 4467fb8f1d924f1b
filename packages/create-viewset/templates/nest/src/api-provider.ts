import { type BeforeApplicationShutdown, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common'
import { createHandler, type NodeHandler, type NodeHandlerOptions } from 'viewset/node'
import { api } from './api.ts'

/** What differs between production and tests. */
export type ApiOptions = Pick<NodeHandlerOptions, 'database' | 'authenticate'>

/** The resources as middleware, which begins and ends with the application. */
export class Api implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly handler: NodeHandler
  readonly #options: ApiOptions

  constructor(options: ApiOptions) {
    this.#options = options
    this.handler = createHandler({ ...api, ...options, logger: new Logger('Api') })
  }

  onModuleInit(): Promise<void> {
    return this.handler.ready()
  }

  /** New requests are refused, those under way are answered; then Nest closes its server. */
  beforeApplicationShutdown(): Promise<void> {
    return this.handler.close()
  }

  onApplicationShutdown(): Promise<void> {
    return this.#options.database.close()
  }
}
