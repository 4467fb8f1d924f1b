import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { failedRowsName } from '../../viewset/files/failed-rows-reply.ts'
import { CliError } from '../cli-error.ts'
import type { OutputOptions } from '../write-file.ts'

interface FailedRowsPathOptions extends OutputOptions {
  /** `-` for standard input. */
  readonly file: string
  readonly asked: string | undefined
}

/**
 * The path of the file of failed rows: as requested, or else beside the imported file, under a free name.
 *
 * @throws CliError for a file that exists, before anything is imported
 */
export function failedRowsPath({ file, asked, force, cwd }: FailedRowsPathOptions): (extension: string) => string {
  const source = file === '-' ? join(cwd, 'import') : resolve(cwd, file)
  if (asked !== undefined) {
    const path = resolve(cwd, asked)
    if (path === source) throw new CliError('--failed-rows would write over the file that is imported.', 2)
    if (existsSync(path) && !force) {
      throw new CliError(`${path} exists already; give another --failed-rows, or --force.`, 2)
    }
    return () => path
  }
  // A file of failed rows that a user edits is not overwritten, and neither is the imported file.
  const stem = join(dirname(source), failedRowsName(basename(source)))
  return extension => {
    let path = `${stem}.${extension}`
    for (let number = 2; existsSync(path); number++) path = `${stem}_${number}.${extension}`
    return path
  }
}
