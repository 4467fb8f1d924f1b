import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Anchors } from '../../site/anchors.ts'
import { type Declaration, keyOf, lookUpExport, namesOf } from '../declarations.ts'
import { publicEntries } from '../entries.ts'
import { type Described, describe } from './describe.ts'
import { formatAll, isWide } from './format.ts'
import { aboutEntry, GROUPS, groupOf, SECTIONS } from './groups.ts'
import { type Place, Writer } from './writer.ts'

/** An entry of the package. */
export interface Entry {
  /** What is imported: `viewset/pg`. */
  readonly specifier: string
  /** Its file of declarations. */
  readonly file: string
}

/** A page of the reference, as Markdown. */
export interface ReferencePage {
  readonly name: string
  readonly text: string
}

export interface Reference {
  readonly pages: readonly ReferencePage[]
  /** Exports of which no comment says what they are. */
  readonly undocumented: readonly string[]
}

const SOURCE = '`npm run docs:reference` writes this page from the doc comments of the sources.'
const INDEX = 'README.md'

/** What a page describes: an entry, or a group of what the root entry exports. */
interface Part {
  readonly specifier: string
  readonly title: string
  readonly page: string
  readonly about: string
  readonly section: string
  readonly described: readonly Described[]
}

/** The reference of a package whose declarations are in `folder`, made of the modules in `sources`. */
export function referenceOf(folder: string, entries: readonly Entry[], sources: string): Reference {
  const declarations = entries.flatMap(({ file }) => namesOf(file).flatMap(name => lookUpExport(file, name) ?? []))
  const keys = new Set(declarations.map(keyOf))
  const isExported = (declaration: Declaration) => keys.has(keyOf(declaration))
  const sourceOf = ({ file }: Declaration) => {
    return readFileSync(join(sources, relative(folder, file).replace(/\.d\.ts$/, '.ts')), 'utf8')
  }
  const described = entries.map(entry => ({
    entry,
    exports: namesOf(entry.file).flatMap(name => {
      const declaration = lookUpExport(entry.file, name)
      return declaration ? [describe(name, declaration, isExported, sourceOf(declaration))] : []
    }),
  }))
  const parts = described.flatMap(({ entry, exports }) => partsOf(folder, entry, exports))
  const places = placesOf(parts)
  const all = parts.flatMap(part => part.described)
  const exported = new Map(all.toReversed().map(one => [one.name, one]))
  const pagesWith = (shorten: (code: string) => string) => {
    const writerOf = (page: string) => new Writer(page, places, exported, shorten)
    const [root] = parts
    const groups = parts.filter(({ specifier }) => specifier === root?.specifier)
    return [
      ...(root ? [overviewPage(root.specifier, groups, writerOf(pageName(root.specifier)))] : []),
      ...parts.map(part => partPage(part, writerOf(part.page))),
      indexPage(parts),
    ]
  }
  const wide = new Set<string>()
  pagesWith(text => {
    if (isWide(text)) wide.add(text)
    return text
  })
  const short = formatAll([...wide])
  const undocumented = parts.flatMap(({ specifier, described: exports }) =>
    exports
      .filter(({ comment }) => !comment?.text)
      .map(({ name, declaration: { file } }) => `${name} of ${specifier} (${relative(folder, file)})`),
  )
  return { pages: pagesWith(text => short.get(text) ?? text), undocumented }
}

function partsOf(folder: string, { specifier }: Entry, exports: readonly Described[]): readonly Part[] {
  if (specifier.includes('/')) {
    return [{ specifier, title: specifier, page: pageName(specifier), ...aboutEntry(specifier), described: exports }]
  }
  const groups = Map.groupBy(exports, ({ declaration: { file } }) => groupOf(relative(folder, file)))
  return GROUPS.flatMap(group => {
    const { title, page, about } = group
    const described = groups.get(group)
    return described ? [{ specifier, title, page, about, section: specifier, described }] : []
  })
}

/** Values before types, in the order of the entry. */
function subjectsOf({ described }: Part): readonly { title: string; described: readonly Described[] }[] {
  const subjects = [
    { title: 'Functions and classes', described: described.filter(({ isType }) => !isType) },
    { title: 'Types', described: described.filter(({ isType }) => isType) },
  ]
  return subjects.filter(subject => subject.described.length > 0)
}

function placesOf(parts: readonly Part[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  for (const part of parts) {
    const anchors = new Anchors(headingOf(part))
    for (const { title, described } of subjectsOf(part)) {
      anchors.next(title)
      for (const { name, declaration } of described) {
        const place = { page: part.page, anchor: anchors.next(name) }
        // What two entries export is explained where it was found first; the root entry comes first.
        if (!places.has(keyOf(declaration))) places.set(keyOf(declaration), place)
      }
    }
  }
  return places
}

function headingOf({ specifier, title }: Part): string {
  return title === specifier ? specifier : `${specifier}: ${title}`
}

function pageName(specifier: string): string {
  return `${specifier.replaceAll('/', '-')}.md`
}

function partPage(part: Part, writer: Writer): ReferencePage {
  const sections = subjectsOf(part).flatMap(({ title, described }) => [
    `## ${title}`,
    ...described.map(one => writer.section(one)),
  ])
  const head = [`# ${headingOf(part)}`, `${part.about} Import these names from \`${part.specifier}\`.`]
  return pageOf(part.page, [...head, ...writer.listing(part.described), ...sections])
}

/** All that an entry exports, by groups. */
function overviewPage(specifier: string, groups: readonly Part[], writer: Writer): ReferencePage {
  const sections = groups.flatMap(({ title, page, about, described }) => [
    `## ${title}`,
    `${about} [All of it](${page}).`,
    ...writer.listing(described),
  ])
  return pageOf(pageName(specifier), [`# ${specifier}`, `All exports of \`${specifier}\`, by subject.`, ...sections])
}

function indexPage(parts: readonly Part[]): ReferencePage {
  const [root] = parts
  const tables = [root?.section ?? '', ...SECTIONS].flatMap(section => {
    const rows = parts.filter(part => part.section === section).map(({ title, page, about }) => [title, page, about])
    if (section === root?.section) rows.unshift(['All exports', pageName(section), 'Each name with a sentence.'])
    const lines = rows.map(([title, page, about]) => `| [${title}](${page}) | ${about} |`)
    return [`## ${section}`, ['| Page | What it describes |', '|---|---|', ...lines].join('\n')]
  })
  const head = [
    '# Reference',
    'What each entry of the package exports. The names of a page are imported from its entry.',
  ]
  return pageOf(INDEX, [...head, ...tables])
}

function pageOf(name: string, blocks: readonly string[]): ReferencePage {
  return { name, text: `${[...blocks, SOURCE].join('\n\n')}\n` }
}

/** The public entries of a package, with their declarations in `folder`. */
export function entryFiles(
  manifest: { readonly name: string; readonly exports: object },
  folder: string,
): readonly Entry[] {
  return publicEntries(manifest).map(subpath => ({
    specifier: manifest.name + subpath.slice(1),
    file: join(folder, `${subpath === '.' ? 'index' : subpath.slice(2)}.d.ts`),
  }))
}
