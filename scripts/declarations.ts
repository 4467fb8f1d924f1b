// Reads the declarations of a built package: the exports of each entry, and the declaration of a name.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseAst } from 'vitest/node'

/** A node of a syntax tree: its type, its place in the file and its parts. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export interface Declaration {
  readonly file: string
  readonly name: string
  readonly node: Node
  /** Whether other files can import it. */
  readonly exported: boolean
}

/** One file of declarations. */
interface Module {
  readonly text: string
  /** Several declarations of one name belong together: overloads and merged interfaces. */
  readonly declared: ReadonlyMap<string, readonly Node[]>
  /** Members that a file adds to interfaces of other modules, by the names of both: `MixinTypes.ListModelMixin`. */
  readonly added: ReadonlyMap<string, Node>
  readonly imported: ReadonlyMap<string, { readonly from: string; readonly name: string }>
  readonly exported: ReadonlyMap<string, { readonly from?: string; readonly name: string }>
  /** Files whose exports are all exported again. */
  readonly passedOn: readonly string[]
}

const DECLARATIONS: Readonly<Record<string, true>> = {
  TSInterfaceDeclaration: true,
  TSTypeAliasDeclaration: true,
  ClassDeclaration: true,
  FunctionDeclaration: true,
  TSDeclareFunction: true,
  TSEnumDeclaration: true,
}

const modules = new Map<string, Module>()

export function moduleAt(file: string): Module {
  let known = modules.get(file)
  if (!known) {
    known = readModule(file)
    modules.set(file, known)
  }
  return known
}

function readModule(file: string): Module {
  const declared = new Map<string, Node[]>()
  const added = new Map<string, Node>()
  const imported = new Map<string, { from: string; name: string }>()
  const exported = new Map<string, { from?: string; name: string }>()
  const passedOn: string[] = []
  const declare = (node: Node, isExported: boolean) => {
    const named =
      node.type === 'VariableDeclaration'
        ? (node.declarations as Node[]).map(part => [nameOf(part.id), part] as const)
        : DECLARATIONS[node.type]
          ? [[nameOf(node.id), node] as const]
          : []
    for (const [name, part] of named) {
      declared.set(name, [...(declared.get(name) ?? []), part])
      if (isExported) exported.set(name, { name })
    }
  }
  const text = readFileSync(file, 'utf8')
  for (const node of (parseAst(text, { lang: 'dts' }) as unknown as { body: Node[] }).body) {
    const from = node.source ? resolve(file, String((node.source as Node).value)) : undefined
    if (node.type === 'ImportDeclaration') {
      for (const part of node.specifiers as Node[]) {
        if (from) imported.set(nameOf(part.local), { from, name: part.imported ? nameOf(part.imported) : 'default' })
      }
    } else if (node.type === 'ExportAllDeclaration') {
      if (from) passedOn.push(from)
    } else if (node.type === 'ExportNamedDeclaration') {
      if (node.declaration) declare(node.declaration as Node, true)
      for (const part of node.specifiers as Node[]) {
        exported.set(nameOf(part.exported), { ...(from && { from }), name: nameOf(part.local) })
      }
    } else if (node.type === 'TSModuleDeclaration') {
      for (const part of (node.body as { body: Node[] }).body) {
        if (part.type !== 'TSInterfaceDeclaration') continue
        for (const member of (part.body as { body: Node[] }).body)
          added.set(`${nameOf(part.id)}.${nameOf(member.key)}`, member)
      }
    } else declare(node, false)
  }
  return { text, declared, added, imported, exported, passedOn }
}

/** The file that a relative specifier names; `undefined` for a package. */
function resolve(file: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? join(dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts')) : undefined
}

export function nameOf(node: unknown): string {
  const { name, value } = node as { name?: unknown; value?: unknown }
  return String(name ?? value)
}

/**
 * The declaration of a name in a file; `undefined` for a name of a package or of the language, and for a type
 * parameter.
 */
export function lookUp(file: string, name: string): Declaration | undefined {
  const { declared, imported, exported } = moduleAt(file)
  const [node] = declared.get(name) ?? []
  if (node) return { file, name, node, exported: [...exported.values()].some(one => !one.from && one.name === name) }
  const one = imported.get(name)
  return one && lookUpExport(one.from, one.name)
}

export function lookUpExport(file: string, name: string): Declaration | undefined {
  const { exported, passedOn } = moduleAt(file)
  const one = exported.get(name)
  if (one) return one.from ? lookUpExport(one.from, one.name) : lookUp(file, one.name)
  for (const from of passedOn) {
    const found = lookUpExport(from, name)
    if (found) return found
  }
  return undefined
}

/** In the order of the file. */
export function namesOf(file: string): string[] {
  const { exported, passedOn } = moduleAt(file)
  return [...exported.keys(), ...passedOn.flatMap(namesOf)]
}

/** The declaration of the type `import('./other.ts').Name`. A compiler writes this if the name is not imported. */
export function lookUpImported(file: string, specifier: string, name: string): Declaration | undefined {
  const from = resolve(file, specifier)
  return from === undefined ? undefined : lookUpExport(from, name)
}

/** Equal for two names of one thing. */
export function keyOf({ file, name }: Declaration): string {
  return `${file}#${name}`
}

/**
 * The names of types in a declaration. The value is true if only the members of the type matter, as for an extended
 * interface.
 */
export function mentioned(
  node: unknown,
  found: Map<string, boolean> = new Map(),
  inHeritage = false,
): Map<string, boolean> {
  if (Array.isArray(node)) for (const item of node) mentioned(item, found, inHeritage)
  else if (typeof node === 'object' && node !== null && 'type' in node) {
    const { type, ...parts } = node as Node
    // `keyof typeof x` is a union of names, so the type of `x` does not matter.
    if (type === 'TSTypeOperator' && (parts.typeAnnotation as Node).type === 'TSTypeQuery') return found
    const name =
      type === 'TSTypeReference' ? parts.typeName : type === 'TSTypeQuery' ? parts.exprName : heritageName(type, parts)
    if (name) {
      const isHeritage = heritageName(type, parts) !== undefined
      found.set(leftmost(name as Node), (found.get(leftmost(name as Node)) ?? true) && isHeritage)
    }
    for (const [key, part] of Object.entries(parts)) if (key !== 'key' && key !== 'parent') mentioned(part, found)
    // A class extends a value, which is not a type reference.
    if (type === 'ClassDeclaration' && parts.superClass) found.set(leftmost(parts.superClass as Node), true)
  }
  return found
}

function heritageName(type: string, parts: Readonly<Record<string, unknown>>): unknown {
  return type === 'TSInterfaceHeritage' || type === 'TSClassImplements' ? parts.expression : undefined
}

function leftmost(node: Node): string {
  return node.type === 'TSQualifiedName' ? leftmost(node.left as Node) : nameOf(node)
}
