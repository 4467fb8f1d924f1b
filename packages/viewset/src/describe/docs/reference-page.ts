import type { Endpoint } from '../../viewset/endpoints/endpoint.ts'
import type { PermissionClass } from '../../viewset/permissions.ts'
import { Bare, Reply } from '../../viewset/reply.ts'
import type { ApiDescription } from '../api-description.ts'
import { apiEndpoint } from '../api-endpoint.ts'
import { securitySchemesOf } from '../openapi/security.ts'
import type { PageFile } from './page-file.ts'
import { pageFiles } from './page-files.ts'
import { CONTENT_SECURITY_POLICY, pageHtml } from './page-html.ts'

/** What the reference page of an API is like. */
export interface DocsOptions {
  /**
   * Who may open it. Default `[AllowAny]`: it tells nothing but its title, and the document that it reads in the
   * browser has permissions of its own. A browser sends no token when it opens a page, so this is for cookies.
   */
  readonly permissionClasses?: readonly PermissionClass[]
  /** What the page is called while the document is not there. Default: the title of the document. */
  readonly title?: string | undefined
}

/**
 * `GET {prefix}/docs/` and the files that it loads (CONTRACT, "Describing itself").
 *
 * @throws ConfigError when `swagger-ui-dist` is not installed.
 */
export function referencePage(
  { authenticate }: ApiDescription,
  { permissionClasses, title = 'API' }: DocsOptions,
): readonly Endpoint[] {
  const files = pageFiles()
  const securitySchemes = securitySchemesOf(authenticate)
  const page = apiEndpoint({
    action: 'docs',
    path: '/docs/',
    permissionClasses,
    answer: ({ request: { path } }) => {
      if (!path.endsWith('/')) return withEndSlash(path)
      const headers = { 'cache-control': 'no-cache', 'content-security-policy': CONTENT_SECURITY_POLICY }
      return new Reply(new Bare('text/html; charset=utf-8', pageHtml(files, { title, securitySchemes })), { headers })
    },
  })
  const { styles, library, script } = files
  return [page, ...[...styles, library, script].map(file => fileEndpoint(file, permissionClasses))]
}

/** The page's links count from its address, so there is but one; it is told as a relative one: a proxy may hide a part. */
function withEndSlash(path: string): Reply {
  const location = `${path.slice(path.lastIndexOf('/') + 1)}/`
  return new Reply(new Bare('text/plain; charset=utf-8', ''), { status: 307, headers: { location } })
}

function fileEndpoint(file: PageFile, permissionClasses: readonly PermissionClass[] | undefined): Endpoint {
  return apiEndpoint({
    action: 'docs_file',
    path: `/docs/${file.name}/`,
    permissionClasses,
    answer: ({ request }) => {
      const isCurrent = request.query.v === file.version
      const headers = { 'cache-control': isCurrent ? 'max-age=31536000, immutable' : 'no-cache' }
      return new Reply(new Bare(file.contentType, file.content), { headers })
    },
  })
}
