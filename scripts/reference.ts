// npm run docs:reference: writes docs/reference/, a page for each entry of the package, from its declarations and doc
// comments. Git ignores the folder. The site and the tests of pages write it before they read it.
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entryFiles, type Reference, referenceOf } from './reference/pages.ts'

export type { Reference }

const root = join(import.meta.dirname, '..')
const target = join(root, 'docs/reference')
/** Written last: if it exists, all pages do. */
const INDEX = 'README.md'
/** The sources of the pages. A folder also counts, because removing a file changes its time. */
const SOURCES = [
  'packages/viewset/src/**',
  'packages/viewset/package.json',
  'packages/viewset/tsconfig.build.json',
  'scripts/reference.ts',
  'scripts/reference/**',
  'scripts/declarations.ts',
  'scripts/entries.ts',
  'site/anchors.ts',
]

/** The reference of the current sources. */
export async function readReference(): Promise<Reference> {
  const manifest = JSON.parse(await readFile(join(root, 'packages/viewset/package.json'), 'utf8'))
  const folder = mkdtempSync(join(tmpdir(), 'viewset-reference-'))
  try {
    const options = ['--emitDeclarationOnly', '--declarationMap', 'false', '--sourceMap', 'false', '--outDir', folder]
    execFileSync(
      join(root, 'node_modules/.bin/tsc'),
      ['-p', join(root, 'packages/viewset/tsconfig.build.json'), ...options],
      { stdio: 'inherit' },
    )
    return referenceOf(folder, entryFiles(manifest, folder), join(root, 'packages/viewset/src'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Replaces the pages, and removes those of entries that do not exist any more. */
export async function writeReference(): Promise<Reference> {
  const reference = await readReference()
  const names = new Set(reference.pages.map(({ name }) => name))
  await mkdir(target, { recursive: true })
  for (const name of await readdir(target)) if (!names.has(name)) await rm(join(target, name))
  const inOrder = reference.pages.toSorted((a, b) => Number(a.name === INDEX) - Number(b.name === INDEX))
  for (const { name, text } of inOrder) await writeFile(join(target, name), text)
  return reference
}

/** Writes the pages if they are missing or older than their sources. */
export async function updateReference(): Promise<void> {
  const writtenAt = statSync(join(target, INDEX), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const isNewer = (path: string) => statSync(join(root, path)).mtimeMs >= writtenAt
  if (globSync(SOURCES, { cwd: root }).some(isNewer)) await writeReference()
}

if (import.meta.main) {
  const { pages, undocumented } = await writeReference()
  console.log(`${pages.length} pages in docs/reference`)
  for (const one of undocumented) console.log(`has no comment: ${one}`)
}
