import type { HttpMethod } from '../actions.ts'
import type { RouteDescription } from '../description/route-description.ts'
import type { Reply } from '../reply.ts'
import type { ViewContext } from '../view-context.ts'
import type { Access } from './access.ts'

/** One action at one method and path, whatever server routes to it. */
export interface Endpoint {
  /** The resource by its name; none where the endpoint is the API's own. */
  readonly resource?: string
  readonly action: string
  /** Whether the resource declares it itself: a custom action may have the name of one that a mixin brings. */
  readonly isCustom?: boolean
  readonly method: HttpMethod
  /** Behind the API's prefix, with a slash at both ends; `:id` is the record's identifier. */
  readonly path: string
  /** Status of a successful answer that names none itself. */
  readonly status: number
  /** Whether it only reads, so that a copy of the database can answer it. */
  readonly reads?: boolean
  /** The body is left for the action to read. */
  readonly readsBody: boolean
  readonly access: Access
  /** What it takes and gives, as far as that is declared; worked out when somebody asks. */
  describe?(): RouteDescription
  /** How many statements a successful answer needs at most, where its class can tell. */
  readonly statements?: number
  /** Whether the user may use it, whatever record it is about. */
  isAllowed(context: EndpointContext): Promise<boolean>
  /** Does what the request asks for; its user and its database are the current ones. */
  answer(context: EndpointContext): Promise<Reply>
}

/** What an endpoint is asked with. */
export type EndpointContext = Pick<ViewContext, 'request' | 'user' | 'database' | 'settings' | 'jobs'>
