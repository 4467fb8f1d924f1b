import type { User } from '../core/context.ts'
import type { ApiRequest } from '../core/request.ts'
import type { ApiSettings } from '../core/settings.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Database } from '../store/connection/database.ts'
import type { ActionSpec } from './actions.ts'
import type { KnownParameters } from './endpoints/known-parameters.ts'

/** What a view knows of where it is registered. */
export interface Registered {
  /** The resource by its name in the path. */
  readonly resourceName?: string | undefined
  /** The jobs of the API, where it has any. */
  readonly jobs?: Jobs | undefined
  /** @internal The parameters that the action reads, where others are refused. */
  readonly parameters?: KnownParameters | undefined
}

/** What a view is made from, once for each request. */
export interface ViewContext extends Registered {
  readonly request: ApiRequest
  readonly user: User | null
  readonly database: Database
  readonly settings: ApiSettings
  readonly action: string
  /** The method that is asked about, where it is not the request's own. */
  readonly method?: string
  /** The declaration of a custom action. */
  readonly spec?: ActionSpec | undefined
}
