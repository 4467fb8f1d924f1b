import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CliError } from 'viewset/internal'

/** Writes all files or none. @throws CliError with the names of existing files, without `force` */
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
