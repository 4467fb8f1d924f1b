import { type Declaration, lookUp, lookUpImported, mentioned, moduleAt, type Node, nameOf } from '../declarations.ts'
import { commentBefore, type DocComment } from './doc-comment.ts'

/** A part of an interface or a class. */
export interface Member {
  readonly signature: string
  readonly comment: DocComment | undefined
  /** Absent for a method. */
  readonly property: Property | undefined
}

export interface Property {
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
}

/** Members that belong together. */
export interface MemberGroup {
  /** Absent where there is one group only. */
  readonly title?: string
  readonly members: readonly Member[]
}

/** What a page says of an export. */
export interface Described {
  readonly name: string
  readonly declaration: Declaration
  /** Whether it has no value at run time. */
  readonly isType: boolean
  /** The mixins of a viewset class, and those that a mixin extends. */
  readonly mixins: readonly string[]
  readonly comment: DocComment | undefined
  /** TypeScript; of an interface or a class, without its members. */
  readonly signature: string
  readonly groups: readonly MemberGroup[]
  /** What the signature and the members mention, by the names that they use. */
  readonly mentions: ReadonlyMap<string, Declaration>
}

/**
 * Describes an export under the name that an entry gives it. `isExported` says which declarations have a section of their
 * own. `source` is the text of the module.
 */
export function describe(
  name: string,
  declaration: Declaration,
  isExported: (declaration: Declaration) => boolean,
  source: string,
): Described {
  const { file } = declaration
  const { text, declared, added } = moduleAt(file)
  // Overloads, and interfaces that are merged, are one thing.
  const nodes = declared.get(declaration.name) ?? []
  // What a mixin brings to a resource stands beside it.
  const brought = added.get(`MixinTypes.${declaration.name}`)
  const signature = nodes.map(node => schemaIn(source, node, name) ?? signatureOf(text, node, name)).join('\n')
  return {
    name,
    declaration,
    isType: nodes.every(({ type }) => type === 'TSInterfaceDeclaration' || type === 'TSTypeAliasDeclaration'),
    mixins: mixinsIn(signature).filter(mixin => mixin !== name),
    comment: nodes.map(node => commentBefore(text, statementStart(text, node))).find(comment => comment !== undefined),
    signature,
    groups: [{ members: membersOf(declaration, isExported) }, ...(brought ? broughtBy(file, text, brought) : [])],
    mentions: mentionsOf(file, text, brought ? [...nodes, brought] : nodes),
  }
}

/** Where the statement begins that a declaration is in: `export declare const` stands before its name. */
function statementStart(text: string, { start }: Node): number {
  const line = text.lastIndexOf('\n', start - 1) + 1
  return /^\s*(export |declare |abstract |const )*$/.test(text.slice(line, start)) ? line : start
}

function bodyOf(node: Node): Node | undefined {
  const hasMembers = node.type === 'TSInterfaceDeclaration' || node.type === 'ClassDeclaration'
  return hasMembers ? (node.body as Node) : undefined
}

function ownMembers(node: Node): readonly Node[] {
  return (bodyOf(node)?.body ?? []) as readonly Node[]
}

/** The members of a declaration, with those of interfaces that it extends and that have no section of their own. */
function membersOf({ file, name }: Declaration, isExported: (declaration: Declaration) => boolean): readonly Member[] {
  const { text, declared } = moduleAt(file)
  const nodes = declared.get(name) ?? []
  const bases = nodes
    .flatMap(({ extends: heritage }) => (heritage ?? []) as readonly Node[])
    .flatMap(base => {
      const found = lookUp(file, nameOf(base.expression))
      return found && !isExported(found) ? [found] : []
    })
  return [...membersIn(text, nodes.flatMap(ownMembers)), ...bases.flatMap(base => membersOf(base, isExported))]
}

function membersIn(text: string, nodes: readonly Node[]): readonly Member[] {
  return nodes.filter(isShown).map(node => ({
    signature: tidy(text.slice(node.start, node.end)),
    comment: commentBefore(text, node.start),
    property: propertyOf(text, node),
  }))
}

function propertyOf(text: string, node: Node): Property | undefined {
  if (node.type !== 'TSPropertySignature' || !node.typeAnnotation) return undefined
  const { start, end } = typeOf(node)
  return { name: nameOf(node.key), type: tidy(text.slice(start, end)), isOptional: node.optional === true }
}

/** The names in the first argument of `ViewSetFactory<"ListModelMixin" | ...>` or `Mixin<...>`. */
function mixinsIn(signature: string): readonly string[] {
  const [, names = ''] = /^const \w+: (?:ViewSetFactory|Mixin)<((?:[\s|]*"\w+")+)/.exec(signature) ?? []
  return Array.from(names.matchAll(/"(\w+)"/g), ([, name = '']) => name)
}

/** Private members are not shown, and neither are those for the compiler, such as `'~types'`. */
function isShown(member: Node): boolean {
  const { key, accessibility } = member as { key?: Node; accessibility?: unknown } & Node
  if (accessibility === 'private' || key?.type === 'PrivateIdentifier') return false
  return key === undefined || !nameOf(key).startsWith('~')
}

/** The settings and the methods of a mixin. */
function broughtBy(file: string, text: string, entry: Node): readonly MemberGroup[] {
  const parts = partsOf(typeOf(entry)).flatMap(({ members = [] }) => members as readonly Node[])
  const titles = { config: 'Settings', methods: 'Methods' }
  return Object.entries(titles).map(([key, title]) => {
    const part = parts.find(member => nameOf(member.key) === key)
    return { title, members: part ? partsOf(typeOf(part)).flatMap(one => membersOfType(file, text, one)) : [] }
  })
}

function typeOf(member: Node): Node {
  return (member.typeAnnotation as { typeAnnotation: Node }).typeAnnotation
}

/** The types that an intersection is made of. */
function partsOf(type: Node): readonly Node[] {
  return type.type === 'TSIntersectionType' ? (type.types as readonly Node[]).flatMap(partsOf) : [type]
}

function membersOfType(file: string, text: string, type: Node): readonly Member[] {
  if (type.type === 'TSTypeLiteral') return membersIn(text, type.members as readonly Node[])
  const named = type.type === 'TSTypeReference' ? lookUp(file, nameOf(type.typeName)) : undefined
  return named ? membersOf(named, () => false) : []
}

/** A type that a compiler has written out with the file that it is of. */
const IMPORTED = /import\("([^"]+)"\)\.(\w+)/g

function mentionsOf(file: string, text: string, nodes: readonly Node[]): ReadonlyMap<string, Declaration> {
  const named = [...mentioned(nodes).keys()].map(name => [name, lookUp(file, name)] as const)
  const code = nodes.map(({ start, end }) => text.slice(start, end)).join('\n')
  const imported = [...code.matchAll(IMPORTED)].map(([, from = '', name = '']) => {
    return [name, lookUpImported(file, from, name)] as const
  })
  return new Map([...named, ...imported].flatMap(([name, found]) => (found ? [[name, found] as const] : [])))
}

/** A Zod schema as its source has it: a declaration has nothing of what `.describe(...)` says of its members. */
function schemaIn(source: string, node: Node, name: string): string | undefined {
  if (node.type !== 'VariableDeclarator') return undefined
  const [, schema] = new RegExp(`^(?:export )?(const ${name} = \\(\\) =>\\s+z\\b.*?)\n\n`, 'ms').exec(source) ?? []
  return schema
}

function signatureOf(text: string, node: Node, name: string): string {
  if (node.type === 'VariableDeclarator') {
    return `const ${name}${tidy(text.slice(node.start, node.end)).slice(nameOf(node.id).length)}`
  }
  const whole = tidy(text.slice(node.start, bodyOf(node)?.start ?? node.end))
  return whole
    .replace(/^(export |declare )*/, '')
    .replace(/(?<=^(?:abstract )?(?:class|interface|type|function) )[\w$]+/, name)
}

/** A declaration's text as people write it: no semicolons at ends of lines, two spaces deep. */
function tidy(code: string): string {
  const lines = code.trim().replace(IMPORTED, '$2').split('\n')
  const deep = lines.slice(1).filter(line => line.trim() !== '')
  const least = Math.min(...deep.map(line => line.length - line.trimStart().length))
  return lines
    .map((line, index) => (index === 0 ? line : line.slice(least)))
    .map(line => line.replace(/;$/, '').replace(/^(?: {4})+/, spaces => ' '.repeat(spaces.length / 2)))
    .join('\n')
}
