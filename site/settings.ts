import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Manifest {
  readonly description: string
  readonly repository?: { readonly url?: string }
}

const manifest: Manifest = JSON.parse(
  readFileSync(join(import.meta.dirname, '../packages/viewset/package.json'), 'utf8'),
)

export const description = manifest.description

/** The path that the site is served at: `SITE_BASE=/viewset/`. Default `/`. */
export const base = process.env.SITE_BASE ?? '/'

/** Where the sources are read on the web; a site that does not know has no links to them. */
export const repository = (process.env.SITE_REPOSITORY ?? manifest.repository?.url)
  ?.replace(/^git\+/, '')
  .replace(/\.git$/, '')
