import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { suggestion } from '../core/suggestion.ts'
import { CliError } from './cli-error.ts'
import type { ViewsetConfig } from './config.ts'
import { importModule } from './import-module.ts'

const SETTINGS = ['resources', 'api', 'database', 'settings', 'models', 'user']
const NAMES = ['ts', 'mts', 'js', 'mjs'].map(extension => `viewset.config.${extension}`)

/**
 * Loads the configuration at `path`, or else the first `viewset.config.ts` (or `.mts`, `.js`, `.mjs`) in the folder
 * `from` or above it.
 *
 * @throws CliError for a missing or invalid configuration; the errors of the file itself
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
  const { resources, api, database, settings, models, user } = config as Partial<ViewsetConfig>
  if (typeof resources !== 'object' || resources === null) {
    throw new CliError(`${file}: "resources" is missing; give the viewsets by name`)
  }
  if (api !== undefined && (typeof api?.resources !== 'object' || api.resources === null)) {
    throw new CliError(`${file}: "api" must have "resources": the viewsets by the name in their path`)
  }
  if (database !== undefined && typeof database !== 'function') {
    throw new CliError(`${file}: "database" must be a function that opens it: () => sqlite('data/app.db')`)
  }
  if (settings !== undefined && (typeof settings !== 'object' || settings === null)) {
    throw new CliError(`${file}: "settings" must be those of the API: { COMMON: { TIME_ZONE: 'Europe/Oslo' } }`)
  }
  if (models !== undefined && typeof models !== 'string') {
    throw new CliError(`${file}: "models" must be the path of the module that exports the tables`)
  }
  if (user !== undefined && typeof user !== 'function') {
    throw new CliError(`${file}: "user" must be a function that finds the user of an id: id => findUser(id)`)
  }
  return {
    resources,
    ...(api && { api }),
    ...(database && { database }),
    ...(settings && { settings }),
    ...(user && { user }),
    ...(models !== undefined && { models: resolve(dirname(file), models) }),
  }
}

/** Like {@link loadConfig}, but `undefined` if there is no configuration and no path is given. */
export async function loadConfigIfAny(from: string, path?: string): Promise<ViewsetConfig | undefined> {
  return path === undefined && pathOfConfig(from) === undefined ? undefined : loadConfig(from, path)
}

function findConfig(from: string): string {
  const found = pathOfConfig(from)
  if (found !== undefined) return found
  throw new CliError(`There is no viewset.config.ts in ${from} or above it; give its path with --config.`)
}

function pathOfConfig(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const found = NAMES.map(name => join(folder, name)).find(existsSync)
    if (found !== undefined || folder === dirname(folder)) return found
  }
}
