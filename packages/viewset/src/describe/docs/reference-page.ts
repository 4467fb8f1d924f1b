import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { ConfigError } from '../../core/errors.ts'
import type { Endpoint } from '../../viewset/endpoints/endpoint.ts'
import type { PermissionClass } from '../../viewset/permissions.ts'
import { Bare, Reply } from '../../viewset/reply.ts'
import { type ApiDescription, apiEndpoint } from '../api-description.ts'
import { securitySchemesOf } from '../openapi/document.ts'

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

/** What the page may do: nothing but load its own files and ask its own server. No script stands in the page itself. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Swagger UI's style sheet has its icons in it.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface PageOptions {
  readonly title: string
  /** How people sign in before the document can tell. */
  readonly securitySchemes: Readonly<Record<string, unknown>>
}

/** The page. All of its links are relative to its address, which ends with a slash. */
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

/** Text as it stands in HTML, also within quotes. */
function html(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.codePointAt(0)};`)
}

const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'

/** What the page loads. */
interface PageFiles {
  /** The later one mends the earlier one. */
  readonly styles: readonly PageFile[]
  readonly library: PageFile
  /** A module that uses the library. */
  readonly script: PageFile
}

/** @throws ConfigError when `swagger-ui-dist` is not installed: at start, and not when somebody opens the page. */
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

/** Its place is written out where it is called: the bundle of the package takes such files along. */
function own(name: string, place: URL, contentType: string): PageFile {
  return new PageFile(name, contentType, fileURLToPath(place))
}

/** A file that the reference page loads: read when somebody asks for it first, and kept. */
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

  /** Another one for another content. */
  get version(): string {
    this.#version ??= createHash('sha256').update(this.content).digest('hex').slice(0, 16)
    return this.#version
  }

  /** Its address as the page knows it: what is loaded from there never changes. */
  get link(): string {
    return `${this.name}?v=${this.version}`
  }
}
