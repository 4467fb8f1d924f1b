/** What `viewset.config.ts` tells the command line. */
export interface ViewsetConfig {
  /** The viewsets by the names that commands take; a module (`import * as resources`) may have other exports as well. */
  readonly resources: Readonly<Record<string, unknown>>
}

/**
 * Types the default export of `viewset.config.ts`.
 *
 * @example
 * export default defineConfig({ resources: { ArticleViewSet, AuthorViewSet } })
 */
export function defineConfig(config: ViewsetConfig): ViewsetConfig {
  return config
}
