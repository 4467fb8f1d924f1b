import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { ConfigError } from '../../core/errors.ts'
import { Bare, Reply } from '../../viewset/answer/reply.ts'
import type { Endpoint } from '../../viewset/endpoints/endpoint.ts'
import type { PermissionClass } from '../../viewset/permissions.ts'
import { type ApiDescription, apiEndpoint } from '../api-description.ts'
import { html } from '../html.ts'
import { securitySchemesOf } from '../openapi/document.ts'

/** Options of an API's reference page. */
export interface DocsOptions {
  /**
   * The permissions of the page. Default `[AllowAny]`: it shows only its title, and the document that it loads has its
   * own permissions. A browser sends no token when it opens a page, so these are for cookies.
   */
  readonly permissionClasses?: readonly PermissionClass[]
  /** The page's title before the document is loaded. Default: the title of the document. */
  readonly title?: string | undefined
}

/**
 * `GET {prefix}/docs/` and its files.
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

/**
 * Redirects to the address with a slash, because the page's links are relative. The redirect is relative too: a proxy
 * may hide a part of the path.
 */
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

/** The page may only load its own files and call its own server. It contains no inline script. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Swagger UI's style sheet contains its icons.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface PageOptions {
  readonly title: string
  readonly securitySchemes: Readonly<Record<string, unknown>>
}

/** The page. Its links are relative to its address, which ends with a slash. */
function pageHtml({ styles, library, script }: PageFiles, { title, securitySchemes }: PageOptions): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${html(title)}</title>
    <link rel="icon" href="data:,">
    ${styles.map(({ link }) => `<link rel="stylesheet" href="${link}">`).join('\n    ')}
    <script defer src="${library.link}"></script>
    <script type="module" src="${script.link}"></script>
  </head>
  <body>
    <noscript>This page needs JavaScript. The API is described in <a href="../openapi.json">openapi.json</a>.</noscript>
    <div id="reference" data-security-schemes="${html(JSON.stringify(securitySchemes))}"></div>
  </body>
</html>
`
}

const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'

interface PageFiles {
  /** The later one overrides the earlier one. */
  readonly styles: readonly PageFile[]
  readonly library: PageFile
  readonly script: PageFile
}

/** @throws ConfigError at start if `swagger-ui-dist` is not installed. */
export function pageFiles(resolve: (name: string) => string = createRequire(import.meta.url).resolve): PageFiles {
  const renderer = (name: string, contentType: string) => new PageFile(name, contentType, locate(name, resolve))
  return {
    styles: [renderer('swagger-ui.css', STYLE), own('page.css', new URL('./page.css', import.meta.url), STYLE)],
    library: renderer('swagger-ui-bundle.js', SCRIPT),
    script: own('page.js', new URL('./page.js', import.meta.url), SCRIPT),
  }
}

function locate(name: string, resolve: (name: string) => string): string {
  try {
    return resolve(`swagger-ui-dist/${name}`)
  } catch {
    throw new ConfigError('api', 'docs', 'needs a package that is not installed: npm install swagger-ui-dist')
  }
}

/** The caller writes the URL literally, so that a bundler includes the file. */
function own(name: string, place: URL, contentType: string): PageFile {
  return new PageFile(name, contentType, fileURLToPath(place))
}

/** A file of the page, read at the first request and kept. */
class PageFile {
  readonly name: string
  readonly contentType: string
  readonly #path: string
  #content: Buffer | undefined
  #version: string | undefined

  constructor(name: string, contentType: string, path: string) {
    this.name = name
    this.contentType = contentType
    this.#path = path
  }

  get content(): Buffer {
    this.#content ??= readFileSync(this.#path)
    return this.#content
  }

  get version(): string {
    this.#version ??= createHash('sha256').update(this.content).digest('hex').slice(0, 16)
    return this.#version
  }

  /** Its URL in the page. The content at this URL never changes. */
  get link(): string {
    return `${this.name}?v=${this.version}`
  }
}
