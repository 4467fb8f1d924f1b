import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CliError } from 'viewset/internal'

/** Writes files by their paths, all or none of them. @throws CliError that names those which exist, without `force` */
export async function writeFiles(
  files: ReadonlyMap<string, string>,
  { force }: { readonly force: boolean },
): Promise<void> {
  const existing = [...files.keys()].filter(path => existsSync(path))
  if (existing.length > 0 && !force) {
    throw new CliError(`These files exist already; give another --out, or --force:\n${existing.join('\n')}`)
  }
  for (const [path, text] of files) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
}
