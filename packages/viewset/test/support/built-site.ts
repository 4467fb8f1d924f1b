import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { env, root } from './snippets.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.json': 'application/json',
}

/** The site of docs/ as `npm run docs` builds it, on a server of static files. */
export class BuiltSite {
  readonly base: string
  readonly #folder: string
  readonly #server: Server

  private constructor(base: string, folder: string) {
    this.base = base
    this.#folder = folder
    this.#server = createServer(async ({ url = '' }, response) => {
      const path = decodeURIComponent(new URL(url, 'http://site').pathname)
      const file =
        path.startsWith(base) && join(folder, path.slice(base.length), path.endsWith('/') ? 'index.html' : '')
      const found = file && (await readFile(file).catch(() => undefined))
      response.writeHead(found ? 200 : 404, { 'content-type': TYPES[(found && extname(file)) || '.html'] })
      response.end(found || (await readFile(join(folder, '404.html'))))
    })
  }

  /** Builds it for a path of a server, with links to a repository. */
  static async build(base: string, repository: string): Promise<BuiltSite> {
    const folder = await mkdtemp(join(tmpdir(), 'viewset-site-'))
    const options = { cwd: root, env: { ...env, SITE_BASE: base, SITE_REPOSITORY: repository } }
    await promisify(execFile)('npm', ['run', 'docs', '--', '--outDir', folder], options)
    const site = new BuiltSite(base, folder)
    await once(site.#server.listen(0, '127.0.0.1'), 'listening')
    return site
  }

  /** Its pages by their paths below the base: `index.html`. */
  pages(): ReadonlyMap<string, string> {
    const paths = globSync('**/*.html', { cwd: this.#folder })
    return new Map(paths.map(path => [path, readFileSync(join(this.#folder, path), 'utf8')]))
  }

  address(path = ''): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.base}${path}`
  }

  async remove(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await rm(this.#folder, { recursive: true })
  }
}

/** The addresses that a built page links to, as a browser reads them at that path of a host called `site`. */
export function linksOf(html: string, path = '/'): readonly URL[] {
  return Array.from(html.matchAll(/<a [^>]*?href="([^"]*)"/g), ([, href]) => new URL(href ?? '', `http://site${path}`))
}

/** The links of built pages that lead to no page, or to no place in one. */
export function deadLinksOf(site: BuiltSite): readonly string[] {
  const pages = site.pages()
  const places = new Map([...pages].map(([path, html]) => [site.base + path, idsOf(html)]))
  return [...pages].flatMap(([path, html]) =>
    linksOf(html, site.base + path)
      .filter(({ host }) => host === 'site')
      .filter(({ pathname, hash }) => {
        return !places.get(pathname.replace(/\/$/, '/index.html'))?.has(decodeURIComponent(hash.slice(1)))
      })
      .map(({ pathname, hash }) => `${path}: ${pathname}${hash}`),
  )
}

/** The ids of a page, and its top, which has none. */
function idsOf(html: string): ReadonlySet<string> {
  return new Set(['', ...Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id = '']) => id)])
}
