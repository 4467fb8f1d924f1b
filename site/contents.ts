import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { anchorOf, withoutFences } from './anchors.ts'

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

type Read = (path: string) => string
type List = Omit<Section, 'title'>

/** The contents of the site: what docs/README.md lists, and what the other READMEs list that it names. */
export function readContents(): readonly Section[] {
  return contentsOf('README.md', path => readFileSync(join(DOCS, path), 'utf8'))
}

/**
 * The sections of a table of contents: its headings of the second level, with the links that begin a row of a table or an
 * item of a list. Other links are part of the text, and a heading without such links is not in the contents. A README that
 * a section names brings its own entries and sections.
 */
export function contentsOf(path: string, read: Read): readonly Section[] {
  return listOf(path, read).sections
}

function listOf(path: string, read: Read): List {
  const [top = '', ...parts] = withoutFences(read(path)).split(/^## /m)
  const sections = parts.map(part => {
    const [title = ''] = part.split('\n', 1)
    return { title, ...listIn(part, path, read) }
  })
  const list = listIn(top, path, read)
  return { ...list, sections: [...list.sections, ...sections.filter(section => pagesOf([section]).length > 0)] }
}

function listIn(text: string, path: string, read: Read): List {
  const lists = text.split('\n').map(line => linkedBy(line, path, read))
  return { entries: lists.flatMap(({ entries }) => entries), sections: lists.flatMap(({ sections }) => sections) }
}

/** The page that a line of a table of contents names; of a README, also what it lists. */
function linkedBy(line: string, path: string, read: Read): List {
  const [, title, link] = /^(?:\||-) \[([^\]]+)\]\(([\w./-]+\.md)\)/.exec(line) ?? []
  if (title === undefined || link === undefined) return { entries: [], sections: [] }
  const target = join(path, '..', link)
  const listed = link.endsWith('README.md') ? listOf(target, read) : { entries: [], sections: [] }
  return { entries: [{ title, path: target }, ...listed.entries], sections: listed.sections }
}

/** The heading of a page. */
export function titleOf(markdown: string): string {
  return /^# (.+)$/m.exec(withoutFences(markdown))?.[1] ?? ''
}

/** The name of the file of a page with this title: without the article, in kebab-case. */
export function fileNameOf(title: string): string {
  return `${anchorOf(title.replace(/^(?:An?|The) /, ''))}.md`
}

/** The words by which a search finds a page before all others, from the page's front matter. */
export function keywordsIn(markdown: string): string {
  const [matter = ''] = /^---\n.*?^---$/ms.exec(markdown) ?? []
  return /^keywords: (.+)$/m.exec(matter)?.[1] ?? ''
}

/** All pages of sections, in their order. */
export function pagesOf(sections: readonly Section[]): readonly Entry[] {
  return sections.flatMap(section => [...section.entries, ...pagesOf(section.sections)])
}
