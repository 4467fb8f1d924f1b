// Finds types that a public signature mentions and no entry exports. An application that exports a value of such a type
// cannot declare it (TS2742, TS2883), and cannot write a function that takes one.
import { join, relative } from 'node:path'
import { type Declaration, keyOf, lookUp, lookUpExport, mentioned, moduleAt, namesOf } from './declarations.ts'

/**
 * Whether a compiler writes out the meaning of a name instead of the name: for a local alias, and for the type of a
 * value. Then only the names in the meaning count.
 */
function isWrittenOut({ node, exported }: Declaration): boolean {
  if (node.type === 'TSTypeAliasDeclaration') return !exported
  return !['TSInterfaceDeclaration', 'ClassDeclaration', 'TSEnumDeclaration'].includes(node.type)
}

/** One sentence for each mentioned type without a public name. */
export function forgottenExports(folder: string, entries: readonly string[]): string[] {
  const publicOnes = new Map<string, Declaration>()
  for (const entry of entries) {
    const file = join(folder, entry)
    for (const name of namesOf(file)) {
      const declaration = lookUpExport(file, name)
      if (declaration) publicOnes.set(keyOf(declaration), declaration)
    }
  }
  const forgotten = new Map<string, string>()
  const seen = new Set<string>()
  const visit = (declaration: Declaration, root: Declaration): void => {
    const key = keyOf(declaration)
    if (seen.has(key)) return
    seen.add(key)
    for (const node of moduleAt(declaration.file).declared.get(declaration.name) ?? []) {
      for (const [name, isHeritage] of mentioned(node)) {
        const other = lookUp(declaration.file, name)
        if (!other || publicOnes.has(keyOf(other))) continue
        if (isHeritage || isWrittenOut(other)) visit(other, root)
        else forgotten.set(keyOf(other), `${other.name} (${relative(folder, other.file)}), which ${root.name} mentions`)
      }
    }
  }
  for (const declaration of publicOnes.values()) visit(declaration, declaration)
  return [...forgotten.values()].toSorted()
}
