import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { suggestion } from '../core/suggestion.ts'
import { CliError } from './cli-error.ts'
import { loadConfig, loadConfigIfAny } from './load-config.ts'

const HELP = `Usage: viewset generate-import-template <ResourceName> [options]
       viewset openapi [options]
       viewset add resource <table> [options]
       viewset inspect --url <database> [options]

generate-import-template
  Writes a file for people to fill in and to import: a sheet for each model, its columns, and an example row.

  --format <csv|xlsx>   default xlsx
  --output <path>       default <table>_template.<format> in this folder; - for standard output

openapi
  Writes the OpenAPI 3.1 document of the API.

  --output <path>       default standard output
  --server <address>    where the API is; default its prefix

add resource
  Writes a serializer and a viewset for a table of the project.

  --models <path>       the module that exports the tables; default "models" of viewset.config.ts, else src/schema.ts
  --out <folder>        default resources beside that module

inspect
  Writes tables, serializers and viewsets for a database that is there. The database is only read.

  --url <database>      postgres://... or the path of an SQLite file; default the variable DATABASE_URL
  --schema <names>      PostgreSQL's schemas, with commas between them; default public
  --out <folder>        default src

  --force               writes over files that exist
  --config <path>       default viewset.config.ts in this folder or above it
  --help                prints this
`

const OPTIONS = {
  config: { type: 'string' },
  force: { type: 'boolean', default: false },
  format: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  models: { type: 'string' },
  out: { type: 'string' },
  output: { type: 'string', short: 'o' },
  schema: { type: 'string' },
  server: { type: 'string' },
  url: { type: 'string' },
} as const

interface Given extends ReturnType<typeof parse> {
  readonly cwd: string
}

interface Command {
  /** The options that only some commands take, and this one does. */
  readonly takes: readonly string[]
  run(given: Given): Promise<string>
}

/** Each command by its name; what it needs is loaded with it. */
const COMMANDS: Readonly<Record<string, Command>> = {
  'generate-import-template': {
    takes: ['format', 'output', 'config'],
    run: async ({ values, positionals: [, resource, ...more], cwd }) => {
      if (resource === undefined) {
        throw new CliError('Which resource? As in: viewset generate-import-template ArticleViewSet', 2)
      }
      if (more.length > 0) throw new CliError(`One resource at a time; what is "${more.join(' ')}"?`, 2)
      const { config, format = 'xlsx', output, force } = values
      const { generateImportTemplate } = await import('./generate-import-template.ts')
      return generateImportTemplate(await loadConfig(cwd, config), resource, { format, output, force, cwd })
    },
  },
  openapi: {
    takes: ['server', 'output', 'config'],
    run: async ({ values, positionals: [, ...more], cwd }) => {
      if (more.length > 0) throw new CliError(`The document is of the whole API; what is "${more.join(' ')}"?`, 2)
      const { config, output, server, force } = values
      const { openapi } = await import('./openapi.ts')
      return openapi(await loadConfig(cwd, config), { output, server, force, cwd })
    },
  },
  add: {
    takes: ['models', 'out', 'config'],
    run: async ({ values, positionals: [, what, table, ...more], cwd }) => {
      if (what !== 'resource' || table === undefined) {
        throw new CliError('Which table? As in: viewset add resource articles', 2)
      }
      if (more.length > 0) throw new CliError(`One table at a time; what is "${more.join(' ')}"?`, 2)
      const { config, models, out, force } = values
      const { addResource, usualModels } = await import('./add-resource.ts')
      const given = models === undefined ? (await loadConfigIfAny(cwd, config))?.models : resolve(cwd, models)
      return addResource(table, { models: given ?? usualModels(cwd), out, force, cwd })
    },
  },
  inspect: {
    takes: ['url', 'schema', 'out'],
    run: async ({ values, positionals: [, ...more], cwd }) => {
      const { url = process.env.DATABASE_URL, schema = 'public', out = 'src', force } = values
      if (more.length > 0) throw new CliError(`What is "${more.join(' ')}"? The database is given by --url.`, 2)
      if (!url) throw new CliError('Which database? As in: viewset inspect --url postgres://localhost/shop', 2)
      const { inspect } = await import('./inspect/inspect.ts')
      return inspect({ url, out, schemas: schema.split(',').map(name => name.trim()), force, cwd })
    },
  },
}

/** What belongs to some commands only. */
const PARTICULAR = Object.values(COMMANDS).flatMap(({ takes }) => takes)

/**
 * Runs a command line.
 *
 * @param args what stands behind `viewset`
 * @returns what to print
 * @throws CliError
 */
export async function run(args: readonly string[], cwd: string): Promise<string> {
  const { values, positionals } = parse(args)
  if (values.help) return HELP
  const [name] = positionals
  if (name === undefined) throw new CliError(HELP, 2)
  // Django writes them with underscores.
  const key = name.replaceAll('_', '-')
  const command = Object.hasOwn(COMMANDS, key) ? COMMANDS[key] : undefined
  if (!command) {
    throw new CliError(`Unknown command "${name}"${suggestion(name, Object.keys(COMMANDS))}. See viewset --help.`, 2)
  }
  const stranger = Object.keys(values).find(option => PARTICULAR.includes(option) && !command.takes.includes(option))
  if (stranger !== undefined) throw new CliError(`${key} takes no --${stranger}. See viewset --help.`, 2)
  return command.run({ values, positionals, cwd })
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new CliError(`${(error as Error).message} See viewset --help.`, 2, error)
  }
}
