// npm run docs:reference: writes docs/reference/, a page for each entry of the package, from its declarations and their
// doc comments.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entriesOf, type Reference, referenceOf } from './reference/pages.ts'

export type { Reference }

const root = join(import.meta.dirname, '..')
const target = join(root, 'docs/reference')

/** The reference of the sources as they are. */
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
    return referenceOf(folder, entriesOf(manifest, folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The pages as they are in the repository, by their names. */
export async function writtenPages(): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(target).catch(() => [])
  return new Map(
    await Promise.all(names.map(async name => [name, await readFile(join(target, name), 'utf8')] as const)),
  )
}

if (import.meta.main) {
  const { pages, undocumented } = await readReference()
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  for (const { name, text } of pages) await writeFile(join(target, name), text)
  console.log(`${pages.length} pages in docs/reference`)
  for (const one of undocumented) console.log(`has no comment: ${one}`)
}
