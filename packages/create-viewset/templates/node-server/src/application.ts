import type { RequestListener } from 'node:http'
import type { Handler, HandlerOptions } from 'viewset/http'

/** What differs between production and tests. */
export type AppOptions = Pick<HandlerOptions, 'database' | 'authenticate' | 'logger'>

export interface App {
  /** Answers the requests of a server. */
  readonly listener: RequestListener
  /** The API in it, which is begun and ended with the server. */
  readonly handler: Handler
}
