import { pathToFileURL } from 'node:url'
import { CliError } from './cli-error.ts'

/** Loads a module of the project, in TypeScript if Node can read it. @throws CliError; the errors of the module */
export async function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(file).href)
  } catch (error) {
    refuseMissing(error)
    // Node may also fail to read a file that the module imports.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error
    throw new CliError(`Node ${process.versions.node} cannot read TypeScript; use Node 22.18 or later.`, 1, error)
  }
}

/** Reports the package that an `import` or `require` did not find. @throws CliError */
export function refuseMissing(error: unknown): void {
  const { code, message } = error as NodeJS.ErrnoException
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
  // The package of `@libsql/client/node` is the first two names. File paths are no packages.
  const [, name] =
    (isMissing && /^Cannot find (?:package|module) '((?:@[^/']+\/)?[^./'][^/':\\]*)(?=[/'])/.exec(message)) || []
  if (name !== undefined) throw new CliError(`The package ${name} is missing: npm install ${name}`, 1, error)
  const [, file, importer] = (isMissing && /^Cannot find module '([^']+)' imported from (.+)$/m.exec(message)) || []
  if (file === undefined) return
  const problem = `${importer} imports ${file}, which does not exist.`
  throw new CliError(`${problem} Create the file, or take the import out and run the command again.`, 1, error)
}
