import { dirname, join } from 'node:path/posix'
import { type SyntaxNode, syntaxNodes } from './sources.ts'

/** What a file imports of the others: what it needs to run, and what only its types name. */
interface Imports {
  readonly values: readonly string[]
  readonly types: readonly string[]
}

/** The sorted paths of files that all lead to one another. */
export type Circle = readonly string[]

/** Circles of imports in a source tree. */
export interface Circles {
  /** Of what is needed to run: which of the files runs first, then depends on who asks. */
  readonly values: readonly Circle[]
  /** Of types as well: none of the files can be understood without the others. */
  readonly types: readonly Circle[]
}

/** `files` holds the text of each file under its path below src/, such as `store/dialect/pg.ts`. */
export function circlesOf(files: ReadonlyMap<string, string>): Circles {
  const imports = new Map([...files].map(([path, text]) => [path, importsOf(path, text)]))
  return {
    values: circles(files.keys(), path => imports.get(path)?.values ?? []),
    types: circles(files.keys(), path => [...(imports.get(path)?.values ?? []), ...(imports.get(path)?.types ?? [])]),
  }
}

/** Groups of nodes that all lead to one another (Tarjan's algorithm), of more than one node. */
function circles(nodes: Iterable<string>, next: (node: string) => readonly string[]): Circle[] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const found: Circle[] = []
  const visit = (node: string): number => {
    const own = index.size
    index.set(node, own)
    low.set(node, own)
    stack.push(node)
    for (const other of next(node)) {
      const reached = index.has(other) ? (stack.includes(other) ? index.get(other)! : own) : visit(other)
      low.set(node, Math.min(low.get(node)!, reached))
    }
    if (low.get(node) === own) {
      const group = stack.splice(stack.indexOf(node)).toSorted()
      if (group.length > 1) found.push(group)
    }
    return low.get(node)!
  }
  for (const node of nodes) if (!index.has(node)) visit(node)
  return found.toSorted((a, b) => b.length - a.length)
}

function importsOf(path: string, text: string): Imports {
  const values: string[] = []
  const types: string[] = []
  // `declare module` names a module and imports nothing of it.
  for (const node of syntaxNodes(text)) {
    const specifier = node.source?.value
    if (typeof specifier !== 'string' || !specifier.startsWith('.')) continue
    const target = join(dirname(path), specifier)
    if (namesTypesOnly(node)) types.push(target)
    else values.push(target)
  }
  return { values, types }
}

function namesTypesOnly({ type, importKind, exportKind, specifiers = [] }: SyntaxNode): boolean {
  if (type === 'TSImportType' || importKind === 'type' || exportKind === 'type') return true
  return specifiers.length > 0 && specifiers.every(part => part.importKind === 'type' || part.exportKind === 'type')
}
