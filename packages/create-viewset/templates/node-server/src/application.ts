import type { RequestListener } from 'node:http'
import type { Handler, HandlerOptions } from 'viewset/http'

/** The options that differ between production and tests. */
export type AppOptions = Pick<HandlerOptions, 'database' | 'authenticate' | 'logger'>

export interface App {
  /** Answers the requests of a server. */
  readonly listener: RequestListener
  /** The API: it starts and ends with the server. */
  readonly handler: Handler
}
