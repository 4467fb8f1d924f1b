// Finds types that a public signature mentions and that nobody can name, since no entry point exports them: whoever
// exports a value of such a type cannot declare it (TS2742, TS2883), nor write a function that takes one.
import { join, relative } from 'node:path'
import { type Declaration, keyOf, lookUp, lookUpExport, mentioned, moduleAt, namesOf } from './declarations.ts'

/**
 * Whether a compiler writes out what a name stands for where it cannot use the name itself, so that only what this
 * mentions counts: an alias that is its file's own, and the type of a value.
 */
function isWrittenOut({ node, exported }: Declaration): boolean {
  if (node.type === 'TSTypeAliasDeclaration') return !exported
  return !['TSInterfaceDeclaration', 'ClassDeclaration', 'TSEnumDeclaration'].includes(node.type)
}

/** One sentence for each type that is mentioned and cannot be named. */
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
