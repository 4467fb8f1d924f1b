import { pathToFileURL } from 'node:url'
import { CliError } from './cli-error.ts'

/** Loads a module of the project, in TypeScript where Node reads it. @throws CliError; whatever the module throws */
export async function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(file).href)
  } catch (error) {
    const { code } = error as { readonly code?: unknown }
    // Another file that it imports may be one that Node cannot read, too.
    if (code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error
    throw new CliError(`Node ${process.versions.node} cannot read TypeScript; use Node 22.18 or later.`, 1, error)
  }
}
