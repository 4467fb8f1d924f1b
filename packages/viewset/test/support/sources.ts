import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parseAst } from 'vitest/node'

const src = join(import.meta.dirname, '../../src')

let read: Promise<ReadonlyMap<string, string>> | undefined

/** The text of each file of src/ under its path, such as `store/dialect/pg.ts`. They are read once. */
export function readSources(): Promise<ReadonlyMap<string, string>> {
  read ??= readTree(src)
  return read
}

/** The text of each TypeScript file of a folder and of those in it, under its path there. */
export async function readTree(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
  return new Map(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name)
        return [relative(folder, path).replaceAll('\\', '/'), await readFile(path, 'utf8')] as const
      }),
    ),
  )
}

/** A node of a syntax tree, as far as rules about sources read it. */
export interface SyntaxNode {
  readonly type?: unknown
  readonly source?: { readonly value?: unknown } | null
  readonly id?: { readonly value?: unknown } | null
  readonly test?: { readonly value?: unknown } | null
  readonly importKind?: unknown
  readonly exportKind?: unknown
  readonly specifiers?: readonly { readonly importKind?: unknown; readonly exportKind?: unknown }[]
}

const nodesByText = new Map<string, readonly SyntaxNode[]>()

/** All nodes of the syntax tree of a TypeScript text. A text is parsed once. */
export function syntaxNodes(text: string): readonly SyntaxNode[] {
  const known = nodesByText.get(text)
  if (known) return known
  const nodes: SyntaxNode[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if ('type' in value) nodes.push(value)
    for (const part of Object.values(value)) visit(part)
  }
  visit(parseAst(text, { lang: 'ts' }))
  nodesByText.set(text, nodes)
  return nodes
}
