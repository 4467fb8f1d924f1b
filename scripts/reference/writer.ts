import { type Declaration, keyOf, lookUp } from '../declarations.ts'
import type { Described, Member, MemberGroup } from './describe.ts'
import type { DocComment } from './doc-comment.ts'

/** Where the reference explains an export. */
export interface Place {
  readonly page: string
  readonly anchor: string
}

/** Interfaces with these names hold settings: a table shows them better than a list. */
const SETTINGS = /(Options|Settings|Config|SettingsInput)$/
/** The settings of every resource. */
const BASE = 'BaseConfig'
/** Mixins that read the settings of other exports as well. */
const READ_BY: Readonly<Record<string, readonly string[]>> = {
  FilterModelMixin: ['FilterSettings', 'SearchSettings', 'OrderingSettings'],
}
/** A longer signature of a member stands in a block. */
const INLINE = 100

/** Writes one page, with links to all others. */
export class Writer {
  readonly #page: string
  readonly #places: ReadonlyMap<string, Place>
  /** For names in comments of files that do not import them. */
  readonly #exported: ReadonlyMap<string, Described>
  readonly #shorten: (code: string) => string

  constructor(
    page: string,
    places: ReadonlyMap<string, Place>,
    exported: ReadonlyMap<string, Described>,
    shorten: (code: string) => string,
  ) {
    this.#page = page
    this.#places = places
    this.#exported = exported
    this.#shorten = shorten
  }

  /** The names of exports: a table of the values, with a sentence of each, and the types in a line. */
  listing(described: readonly Described[]): readonly string[] {
    const types = described.filter(({ isType }) => isType)
    const rows = described
      .filter(({ isType }) => !isType)
      .map(one => `| ${this.#linked(one)} | ${cell(this.#text(one.declaration, firstSentence(one.comment)))} |`)
    return [
      ...(rows.length > 0 ? [['| Name | What it is |', '|---|---|', ...rows].join('\n')] : []),
      ...(types.length > 0 ? [`Types: ${types.map(one => this.#linked(one)).join(', ')}`] : []),
    ]
  }

  section(described: Described): string {
    const { name, declaration, comment, signature, groups, mentions, mixins } = described
    const place = this.#places.get(keyOf(declaration))
    if (place && place.page !== this.#page) return `### ${name}\n\nSee ${this.#link(name, place)}.`
    const types = [...mentions].flatMap(([mention, target]) => this.#linkTo(declaration, mention, target) ?? [])
    const isMade = mixins.length > 0 || groups.some(({ title }) => title !== undefined)
    return [
      `### ${name}`,
      ...this.#texts(declaration, comment),
      // The names of the mixins and of their settings say more than the type that is made of them.
      ...(isMade ? this.#made(described) : [this.#code(signature)]),
      ...groups.flatMap(group => this.#members(described, group)),
      ...(types.length > 0 && !mixinsOnly(described) ? [`Types: ${types.join(', ')}`] : []),
      ...(comment?.examples ?? []).map(example => this.#code(example)),
    ].join('\n\n')
  }

  /** The mixins of a viewset class, or those that a mixin extends; of a viewset class, also its settings. */
  #made(described: Described): readonly string[] {
    const { declaration, mixins } = described
    const links = mixins.map(name => this.#linkIn(declaration, name) ?? `\`${name}\``)
    if (mixinsOnly(described)) return [`Mixins: ${links.join(', ')}.`, this.#settingsOf([BASE, ...mixins])]
    const read = READ_BY[described.name]
    return [
      ...(links.length > 0 ? [`Extends ${links.join(', ')}.`] : []),
      ...(read ? ['Settings of its filters:', this.#settingsOf(read)] : []),
    ]
  }

  /** A table of what several exports have as settings, with links to these. */
  #settingsOf(names: readonly string[]): string {
    const parts = names
      .flatMap(name => [name, ...(READ_BY[name] ?? [])])
      .map(name => {
        const part = this.#exported.get(name)
        if (!part) throw new Error(`The package does not export ${name}, whose settings the reference lists.`)
        return part
      })
    return settingsTable(parts.flatMap(part => settingsOf(part).map(member => this.#settingRow(part, member, true))))
  }

  #members(described: Described, { title, members }: MemberGroup): readonly string[] {
    if (members.length === 0) return []
    const { declaration, name } = described
    const isTable =
      (title === 'Settings' || SETTINGS.test(name)) &&
      members.every(({ property }) => property) &&
      members.some(({ comment }) => comment)
    const list = isTable
      ? settingsTable(members.map(member => this.#settingRow(described, member, false)))
      : members.map(member => this.#member(declaration, member)).join('\n')
    const examples = isTable ? members.flatMap(({ comment }) => comment?.examples ?? []) : []
    return [...(title === undefined ? [] : [`${title}:`]), list, ...examples.map(example => this.#code(example))]
  }

  /** A row of a table of settings; `isLinked`: its name leads to what has the setting. */
  #settingRow(of: Described, { property, comment }: Member, isLinked: boolean): string {
    if (!property) throw new Error(`A setting of ${of.name} is a method: make it a property with a function's type.`)
    const { value, text } = splitDefault(comment?.text ?? '')
    const place = isLinked ? this.#places.get(keyOf(of.declaration)) : undefined
    const name = place ? this.#link(property.name, place) : `\`${property.name}\``
    const type = inlineCode(property.type.replace(/\s+/g, ' ').replace(/ \| undefined$/, ''))
    const standard = this.#text(of.declaration, value) || (property.isOptional ? '' : 'required')
    return `| ${[`${name}<br>${type}`, standard, this.#text(of.declaration, text)].map(cell).join(' | ')} |`
  }

  #member(of: Declaration, { signature, comment }: Member): string {
    const isBlock = signature.includes('\n') || signature.length > INLINE
    const head = isBlock ? this.#code(signature) : inlineCode(signature)
    const examples = (comment?.examples ?? []).map(example => this.#code(example))
    return `- ${[head, ...this.#texts(of, comment), ...examples].join('\n\n').replace(/\n(?=.)/g, '\n  ')}`
  }

  /** What a comment says, each paragraph by itself. */
  #texts(of: Declaration, comment: DocComment | undefined): readonly string[] {
    if (!comment) return []
    const paragraphs = comment.text === '' ? [] : comment.text.split('\n\n')
    return [...paragraphs, ...comment.throws.map(one => `Throws ${one}`)].map(part => this.#text(of, part))
  }

  #text(of: Declaration, text: string): string {
    return text.replace(/\{@link ([\w.]+)\}/g, (_, name: string) => this.#linkIn(of, name) ?? `\`${name}\``)
  }

  #code(text: string): string {
    return `\`\`\`ts\n${this.#shorten(text)}\n\`\`\``
  }

  #linked({ name, declaration }: Described): string {
    const place = this.#places.get(keyOf(declaration))
    return place ? this.#link(name, place) : `\`${name}\``
  }

  #linkIn(of: Declaration, name: string): string | undefined {
    const [root = name] = name.split('.')
    const target = lookUp(of.file, root) ?? this.#exported.get(root)?.declaration
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

/** A viewset class has mixins and nothing else. */
function mixinsOnly({ mixins, groups }: Described): boolean {
  return mixins.length > 0 && groups.every(({ title }) => title === undefined)
}

function settingsOf({ name, groups }: Described): readonly Member[] {
  return groups.filter(({ title }) => title === 'Settings' || SETTINGS.test(name)).flatMap(({ members }) => members)
}

function settingsTable(rows: readonly string[]): string {
  return ['| Setting and type | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
}

/** A comment's sentence about the default, such as `Default: all.` or `Default true.`, and the rest of the comment. */
function splitDefault(comment: string): { value: string; text: string } {
  const text = comment.replaceAll('\n\n', ' ')
  const pattern = /(?:^|\s)Default(?:: | (?=[`'"\d[A-Z]|true\b|false\b|null\b))(.+?)\.(?=\s|$)/s
  return { value: pattern.exec(text)?.[1] ?? '', text: text.replace(pattern, '').trim() }
}

function firstSentence(comment: DocComment | undefined): string {
  const [paragraph = ''] = comment?.text.split('\n\n') ?? []
  return /^.+?[.:](?=\s+[A-Z`{]|$)/s.exec(paragraph)?.[0] ?? paragraph
}

/** A pipe ends a cell, also inside of code; a cell is one line. */
function cell(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll('|', '\\|')
}

/** Code in a line; of a template literal's type, with a fence that the literal does not end. */
function inlineCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}
