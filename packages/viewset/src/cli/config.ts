import type { ApiSettingsInput } from '../core/settings.ts'
import type { DescribingOptions } from '../describe/described-api.ts'
import type { Database } from '../store/connection/database.ts'
import type { Authenticate } from '../viewset/handle.ts'
import type { JobsOptions } from '../viewset/jobs/job-viewset.ts'
import type { ViewContext } from '../viewset/view.ts'

/** What `viewset.config.ts` tells the command line. */
export interface ViewsetConfig {
  /** The viewsets by the names that commands take; a module (`import * as resources`) may have other exports as well. */
  readonly resources: Readonly<Record<string, unknown>>
  /** The API as it is registered, for `viewset openapi`: the options of the plugin that say what it shows. */
  readonly api?: ApiConfig
  /** Opens the database, for the commands that work on it and close it. */
  readonly database?: () => Database | Promise<Database>
  /** The settings that the API is registered with, such as its time zone; for the same commands. */
  readonly settings?: ApiSettingsInput
  /** The path of the module that exports the tables, for `viewset add resource`; from the configuration's folder on. */
  readonly models?: string
}

/** An API as it is registered, as far as its description goes. */
export interface ApiConfig extends DescribingOptions {
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
