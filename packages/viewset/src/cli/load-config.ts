import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { suggestion } from '../core/suggestion.ts'
import { CliError } from './cli-error.ts'
import type { ViewsetConfig } from './config.ts'

const SETTINGS = ['resources', 'api']
const NAMES = ['ts', 'mts', 'js', 'mjs'].map(extension => `viewset.config.${extension}`)

/**
 * Loads the configuration at `path`, or else the first `viewset.config.ts` (or `.mts`, `.js`, `.mjs`) in the folder
 * `from` or above it.
 *
 * @throws CliError that says what is missing in it; whatever the file itself throws
 */
export async function loadConfig(from: string, path?: string): Promise<ViewsetConfig> {
  const file = path === undefined ? findConfig(from) : resolve(from, path)
  if (!existsSync(file)) throw new CliError(`There is no ${file}.`)
  const { default: config } = await importModule(file)
  if (typeof config !== 'object' || config === null) {
    throw new CliError(`${file} has no default export; write: export default defineConfig({ resources: { ... } })`)
  }
  const stranger = Object.keys(config).find(key => !SETTINGS.includes(key))
  if (stranger !== undefined) {
    throw new CliError(`${file}: unknown setting "${stranger}"${suggestion(stranger, SETTINGS)}`)
  }
  const { resources, api } = config as Partial<ViewsetConfig>
  if (typeof resources !== 'object' || resources === null) {
    throw new CliError(`${file}: "resources" is missing; give the viewsets by name`)
  }
  if (api !== undefined && (typeof api?.resources !== 'object' || api.resources === null)) {
    throw new CliError(`${file}: "api" must have "resources": the viewsets by the name in their path`)
  }
  return { resources, ...(api && { api }) }
}

function findConfig(from: string): string {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const found = NAMES.map(name => join(folder, name)).find(existsSync)
    if (found !== undefined) return found
    if (folder === dirname(folder)) {
      throw new CliError(`There is no viewset.config.ts in ${from} or above it; give its path with --config.`)
    }
  }
}

async function importModule(file: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(file).href)
  } catch (error) {
    const { code } = error as { readonly code?: unknown }
    // Another file that it imports may be one that Node cannot read, too.
    if (code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error
    throw new CliError(`Node ${process.versions.node} cannot read TypeScript; use Node 22.18 or later.`, 1, error)
  }
}
