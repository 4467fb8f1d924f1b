import type { User } from '../core/context.ts'
import type { WordingOptions } from '../core/messages/wording.ts'
import type { ApiSettingsInput } from '../core/settings.ts'
import type { DescribingOptions } from '../describe/described-api.ts'
import type { Database } from '../store/connection/database.ts'
import type { Authenticate } from '../viewset/handle.ts'
import type { JobsOptions } from '../viewset/jobs/job-viewset.ts'
import type { ViewContext } from '../viewset/view.ts'

/** The settings of the command line, in `viewset.config.ts`. */
export interface ViewsetConfig {
  /** The viewsets by their names on the command line. A module (`import * as resources`) may have other exports too. */
  readonly resources: Readonly<Record<string, unknown>>
  /** The API as the application registers it, for `viewset openapi`. */
  readonly api?: ApiConfig
  /** Opens the database for a command, which closes it. */
  readonly database?: () => Database | Promise<Database>
  /**
   * Finds the user that `--user` names, with the current database; `null` if there is none. Default: `jobs.findUser` of
   * `api`, or a user with nothing but the id.
   */
  readonly user?: (id: string) => User | null | Promise<User | null>
  /** The settings of the registered API, such as its time zone, for commands that use the database. */
  readonly settings?: ApiSettingsInput
  /**
   * The path of the module that exports the tables, relative to the configuration's folder. For `viewset add resource`.
   */
  readonly models?: string
}

/** An API as the application registers it, with the options that its description needs. */
export interface ApiConfig extends DescribingOptions, WordingOptions {
  readonly prefix?: string
  readonly resources: Readonly<Record<string, new (context: ViewContext) => object>>
  readonly authenticate?: Authenticate
  /** Imports and exports in the background, for `viewset worker`. */
  readonly jobs?: JobsOptions
}

/**
 * Types the default export of `viewset.config.ts`.
 *
 * @example
 * export default defineConfig({ resources: { ArticleViewSet, AuthorViewSet } })
 * @example
 * export default defineConfig({ resources, api: { prefix: '/api', resources: { articles: ArticleViewSet }, authenticate } })
 * @example
 * export default defineConfig({ resources, database: () => postgres(process.env.DATABASE_URL ?? 'postgres://localhost/shop') })
 */
export function defineConfig(config: ViewsetConfig): ViewsetConfig {
  return config
}
