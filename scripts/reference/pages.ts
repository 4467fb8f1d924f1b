import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Anchors } from '../../site/anchors.ts'
import { type Declaration, keyOf, lookUp, lookUpExport, namesOf } from '../declarations.ts'
import { publicEntries } from '../entries.ts'
import { type Described, describe, type Member, type MemberGroup } from './describe.ts'
import type { DocComment } from './doc-comment.ts'

/** What the folders of the sources are about, in the order in which a page has them. */
const SUBJECTS: Readonly<Record<string, string>> = {
  'pg.d.ts': 'Opening a database',
  'sqlite.d.ts': 'Opening a database',
  viewset: 'Resources',
  serializer: 'Serializers',
  query: 'Lists',
  model: 'Models',
  kinds: 'Kinds of values',
  records: 'Records',
  store: 'Databases and transactions',
  exporting: 'Export',
  importing: 'Import',
  tabular: 'Files',
  describe: 'Describing an API',
  core: 'Requests, settings and errors',
  fastify: 'Server',
  testing: 'Testing',
  client: 'Client',
  cli: 'Command line',
}

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

interface Place {
  readonly page: string
  readonly anchor: string
}

const SOURCE = 'Made of the doc comments in the sources by `npm run docs:reference`; change those.'

/** The reference of a package whose declarations are in `folder`, made of the modules in `sources`. */
export function referenceOf(folder: string, entries: readonly Entry[], sources: string): Reference {
  const places = new Map<string, Place>()
  const declarations = entries.flatMap(({ file }) => namesOf(file).flatMap(name => lookUpExport(file, name) ?? []))
  const keys = new Set(declarations.map(keyOf))
  const isExported = (declaration: Declaration) => keys.has(keyOf(declaration))
  const sourceOf = ({ file }: Declaration) => {
    return readFileSync(join(sources, relative(folder, file).replace(/\.d\.ts$/, '.ts')), 'utf8')
  }
  const parts = entries.map(entry => {
    const page = pageName(entry)
    const described = namesOf(entry.file).flatMap(name => {
      const declaration = lookUpExport(entry.file, name)
      return declaration ? [describe(name, declaration, isExported, sourceOf(declaration))] : []
    })
    const groups = grouped(folder, described)
    const anchors = new Anchors(entry.specifier, ...groups.map(({ title }) => title))
    for (const { name, declaration } of groups.flatMap(group => group.described)) {
      const place = { page, anchor: anchors.next(name) }
      // What two entries export is explained where it was found first; the root entry comes first.
      if (!places.has(keyOf(declaration))) places.set(keyOf(declaration), place)
    }
    return { entry, page, groups }
  })
  const all = parts.flatMap(({ groups }) => groups.flatMap(({ described }) => described))
  const exported = new Map(all.toReversed().map(({ name, declaration }) => [name, declaration]))
  const pages = parts.map(({ entry, page, groups }) => {
    const writer = new Writer(page, places, exported)
    const contents = groups.map(
      ({ title, described }) => `**${title}**: ${described.map(one => writer.linked(one)).join(', ')}`,
    )
    const sections = groups.flatMap(({ title, described }) => [
      `## ${title}`,
      ...described.map(one => writer.section(one)),
    ])
    const text = [`# ${entry.specifier}`, SOURCE, ...contents, ...sections].join('\n\n')
    return { name: page, text: `${text}\n` }
  })
  const undocumented = parts.flatMap(({ entry, groups }) =>
    groups.flatMap(({ described }) =>
      described
        .filter(({ comment }) => !comment?.text)
        .map(({ name, declaration: { file } }) => `${name} of ${entry.specifier} (${relative(folder, file)})`),
    ),
  )
  return { pages: [...pages, indexPage(entries)], undocumented }
}

function pageName({ specifier }: Entry): string {
  return `${specifier.replaceAll('/', '-')}.md`
}

function indexPage(entries: readonly Entry[]): ReferencePage {
  const lines = entries.map(entry => `- [${entry.specifier}](${pageName(entry)})`)
  return {
    name: 'README.md',
    text: `# Reference\n\nWhat each entry of the package exports. ${SOURCE}\n\n${lines.join('\n')}\n`,
  }
}

/** Exports by what they are about; those of one folder keep the entry's order. */
function grouped(folder: string, all: readonly Described[]): { title: string; described: readonly Described[] }[] {
  const bySubject = Map.groupBy(all, ({ declaration: { file } }) => relative(folder, file).split('/', 1)[0] ?? '')
  const order = Object.keys(SUBJECTS)
  return [...bySubject]
    .toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .map(([subject, described]) => ({ title: SUBJECTS[subject] ?? 'Exports', described }))
}

/** Writes one page, with links to all others. */
class Writer {
  readonly #page: string
  readonly #places: ReadonlyMap<string, Place>
  /** For names in comments of files that do not import them. */
  readonly #exported: ReadonlyMap<string, Declaration>

  constructor(page: string, places: ReadonlyMap<string, Place>, exported: ReadonlyMap<string, Declaration>) {
    this.#page = page
    this.#places = places
    this.#exported = exported
  }

  section({ name, declaration, comment, signature, groups, mentions }: Described): string {
    const place = this.#places.get(keyOf(declaration))
    if (place && place.page !== this.#page) return `### ${name}\n\nSee ${this.#link(name, place)}.`
    const types = [...mentions].flatMap(([mention, target]) => this.#linkTo(declaration, mention, target) ?? [])
    return [
      `### ${name}`,
      ...this.#told(declaration, comment),
      code(signature),
      ...groups.flatMap(group => this.#members(declaration, group)),
      ...(types.length > 0 ? [`Types: ${types.join(', ')}`] : []),
      ...(comment?.examples ?? []).map(code),
    ].join('\n\n')
  }

  #members(of: Declaration, { title, members }: MemberGroup): readonly string[] {
    if (members.length === 0) return []
    const list = members.map(member => this.#member(of, member)).join('\n')
    return title === undefined ? [list] : [`${title}:`, list]
  }

  linked({ name, declaration }: Described): string {
    const place = this.#places.get(keyOf(declaration))
    return place ? this.#link(name, place) : `\`${name}\``
  }

  #member(of: Declaration, { signature, comment }: Member): string {
    const head = signature.includes('\n') ? code(signature) : inlineCode(signature)
    const parts = [head, ...this.#told(of, comment), ...(comment?.examples ?? []).map(code)]
    return `- ${parts.join('\n\n').replace(/\n(?=.)/g, '\n  ')}`
  }

  /** What a comment says, each paragraph by itself. */
  #told(of: Declaration, comment: DocComment | undefined): readonly string[] {
    if (!comment) return []
    const paragraphs = comment.text === '' ? [] : comment.text.split('\n\n')
    return [...paragraphs, ...comment.throws.map(one => `Throws ${one}`)].map(part =>
      part.replace(/\{@link ([\w.]+)\}/g, (_, name: string) => this.#linkIn(of, name) ?? `\`${name}\``),
    )
  }

  #linkIn(of: Declaration, name: string): string | undefined {
    const [root = name] = name.split('.')
    const target = lookUp(of.file, root) ?? this.#exported.get(root)
    return target && this.#linkTo(of, name, target)
  }

  /** A link to what the package exports; a thing does not lead to itself. */
  #linkTo(of: Declaration, name: string, target: Declaration): string | undefined {
    const place = keyOf(target) === keyOf(of) ? undefined : this.#places.get(keyOf(target))
    return place && this.#link(name, place)
  }

  #link(name: string, { page, anchor }: Place): string {
    return `[\`${name}\`](${page === this.#page ? '' : page}#${anchor})`
  }
}

/** Code in a line; of a template literal's type, with a fence that the literal does not end. */
function inlineCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

function code(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\``
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
