import type { User } from '../core/context.ts'
import type { ApiRequest } from '../core/request.ts'
import type { ApiSettings } from '../core/settings.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Database } from '../store/connection/database.ts'
import type { ActionSpec } from './actions.ts'
import type { KnownParameters } from './endpoints/known-parameters.ts'

export interface Registered {
  readonly resourceName?: string | undefined
  readonly jobs?: Jobs | undefined
  /** @internal The parameters that the action reads, if others are refused. */
  readonly parameters?: KnownParameters | undefined
}

/** The arguments of a view, which is made once for each request. */
export interface ViewContext extends Registered {
  readonly request: ApiRequest
  readonly user: User | null
  readonly database: Database
  readonly settings: ApiSettings
  readonly action: string
  /** The method to check permissions for, if it is not the request's own. */
  readonly method?: string
  /** The declaration of a custom action. */
  readonly spec?: ActionSpec | undefined
}
