import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withoutFences } from './anchors.ts'

/** The folder of all pages but the home page. */
export const DOCS = join(import.meta.dirname, '../docs')

/** A page that a table of contents names. */
export interface Entry {
  readonly title: string
  /** Path below `docs/`: `models.md`. */
  readonly path: string
}

/** What stands below one heading of a table of contents. */
export interface Section {
  readonly title: string
  readonly entries: readonly Entry[]
  readonly sections: readonly Section[]
}

/** The contents of the site: what docs/README.md lists, and what the other READMEs list that it names. */
export function readContents(): readonly Section[] {
  return contentsOf('README.md', path => readFileSync(join(DOCS, path), 'utf8'))
}

/**
 * The sections of a table of contents: its headings of the second and third level, with the links that begin a row of a
 * table or an item of a list. Other links are part of the text, and a heading without such links is none of the contents.
 */
export function contentsOf(path: string, read: (path: string) => string): readonly Section[] {
  const top: (Section & { entries: Entry[]; sections: Section[] })[] = []
  let entries: Entry[] = []
  for (const line of withoutFences(read(path)).split('\n')) {
    const [, level, title = ''] = /^(##|###) (.+)$/.exec(line) ?? []
    if (level !== undefined) entries = []
    if (level === '##') top.push({ title, entries, sections: [] })
    if (level === '###') top.at(-1)?.sections.push({ title, entries, sections: [] })
    entries.push(...entriesOf(line, path, read))
  }
  return top.filter(section => section.entries.length + section.sections.length > 0)
}

/** The page that a line of a table of contents names; behind a README, the pages that it lists. */
function entriesOf(line: string, path: string, read: (path: string) => string): readonly Entry[] {
  const [, title, link] = /^(?:\||-) \[([^\]]+)\]\(([\w./-]+\.md)\)/.exec(line) ?? []
  if (title === undefined || link === undefined) return []
  const target = join(path, '..', link)
  const listed = link.endsWith('README.md') ? read(target).split('\n') : []
  return [{ title, path: target }, ...listed.flatMap(one => entriesOf(one, target, read))]
}

/** All pages of sections, in their order. */
export function pagesOf(sections: readonly Section[]): readonly Entry[] {
  return sections.flatMap(section => [...section.entries, ...pagesOf(section.sections)])
}
