import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { anchorsOf, withoutFences } from '../../../../site/anchors.ts'
import { root } from './snippets.ts'

/** All pages of the repository: their text by their path in it. */
export function readMarkdown(): ReadonlyMap<string, string> {
  const isOther = (name: string) => /(^|\/)(\.|node_modules$|dist$)/.test(name)
  const paths = globSync('**/*.md', { cwd: root, exclude: isOther }).toSorted()
  return new Map(paths.map(path => [path, readFileSync(join(root, path), 'utf8')]))
}

/** The links of a page that lead nowhere: to no file, or to no heading of one. */
export function deadLinks(
  path: string,
  pages: ReadonlyMap<string, string>,
  exists: (path: string) => boolean,
): readonly string[] {
  return linksOf(pages.get(path) ?? '').filter(link => {
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? path : join(path, '..', file)
    if (!exists(target)) return true
    return anchor !== undefined && !anchorsOf(pages.get(target) ?? '').has(anchor)
  })
}

/** The links of a page into the repository: of texts, of pictures, at the end of the page, and in HTML. */
function linksOf(markdown: string): readonly string[] {
  const text = withoutFences(markdown).replace(/`[^`\n]*`/g, '')
  const links = text.matchAll(/\]\(([^)\s]+)[^)]*\)|^ *\[[^\]]+\]: *(\S+)|(?:href|src|srcset)="([^"\s]+)/gm)
  return [...links].map(([, inline, below, html]) => inline ?? below ?? html ?? '').filter(link => !/^\w+:/.test(link))
}
