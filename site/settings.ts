import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Manifest {
  readonly description?: string
  readonly repository?: { readonly url?: string }
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', folder, 'package.json'), 'utf8'))

export const description = manifestIn('packages/viewset').description ?? ''

/** The path that the site is served at: `SITE_BASE=/viewset/`. Default `/`. */
export const base = process.env.SITE_BASE ?? '/'

/** The address of the host that serves the site, such as `https://example.org`. Cards of chats need it for their picture. */
export const host = process.env.SITE_HOST ?? ''

/** Where the sources are read on the web; a site that does not know has no links to them. */
export const repository = (process.env.SITE_REPOSITORY ?? manifestIn('.').repository?.url)
  ?.replace(/^git\+/, '')
  .replace(/\.git$/, '')
