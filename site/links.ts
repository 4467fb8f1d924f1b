import { dirname, relative, resolve } from 'node:path'
import { DOCS } from './contents.ts'
import { repository } from './settings.ts'

const ROOT = resolve(DOCS, '..')

/** What the table of contents is on the site, whose own first page is another. */
const CONTENTS = 'contents.md'

/** The path of a page on the site: as below `docs/`, and a folder's README is its index. */
export function pathOnSite(path: string): string {
  if (path === 'README.md') return CONTENTS
  return path.replace(/README\.md$/, 'index.md')
}

/** Where a page's link leads on the site: to another page, or to the repository; `undefined`: nowhere that is known. */
export function linkOnSite(link: string, file: string): string | undefined {
  if (/^(\w+:|#)/.test(link)) return link
  const [path = '', anchor] = link.split('#')
  const target = resolve(dirname(file), path)
  const behind = anchor === undefined ? '' : `#${anchor}`
  const page = relative(DOCS, target)
  if (!page.startsWith('..')) return `/${pathOnSite(page)}${behind}`
  return repository && `${repository}/blob/main/${relative(ROOT, target)}${behind}`
}
