import type { HttpMethod } from '../actions.ts'
import type { RouteDescription } from '../description/route-description.ts'
import type { Reply } from '../reply.ts'
import type { ViewContext } from '../view-context.ts'
import type { Access } from './access.ts'

/** One action at one method and path. */
export interface Endpoint {
  /** The name of the resource; `undefined` for an endpoint of the API itself. */
  readonly resource?: string
  readonly action: string
  /** Whether it is a custom action. It may have the name of a mixin's action. */
  readonly isCustom?: boolean
  readonly method: HttpMethod
  /** The path below the API's prefix, with a slash at both ends. `:id` is the record's identifier. */
  readonly path: string
  /** The default status of a successful answer. */
  readonly status: number
  /** Whether it only reads, so that a replica can answer it. */
  readonly reads?: boolean
  /** Whether the action reads the body itself. */
  readonly readsBody: boolean
  readonly access: Access
  /** Its declared description, made on demand. */
  describe?(): RouteDescription
  /** The maximum number of statements of a successful answer, if known. */
  readonly statements?: number
  /** Whether the user may use it, before any record is known. */
  isAllowed(context: EndpointContext): Promise<boolean>
  /** Answers the request. The user and the database in `context` are the current ones. */
  answer(context: EndpointContext): Promise<Reply>
}

export type EndpointContext = Pick<ViewContext, 'request' | 'user' | 'database' | 'settings' | 'jobs'>
