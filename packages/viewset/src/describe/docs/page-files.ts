import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { ConfigError } from '../../core/errors.ts'
import { PageFile } from './page-file.ts'

const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'

/** What the page loads. */
export interface PageFiles {
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
