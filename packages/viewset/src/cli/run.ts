import { parseArgs } from 'node:util'
import { suggestion } from '../core/suggestion.ts'
import { CliError } from './cli-error.ts'
import { loadConfig } from './load-config.ts'

const HELP = `Usage: viewset generate-import-template <ResourceName> [options]
       viewset openapi [options]

generate-import-template
  Writes a file for people to fill in and to import: a sheet for each model, its columns, and an example row.

  --format <csv|xlsx>   default xlsx
  --output <path>       default <table>_template.<format> in this folder; - for standard output

openapi
  Writes the OpenAPI 3.1 document of the API.

  --output <path>       default standard output
  --server <address>    where the API is; default its prefix

  --force               writes over a file that exists
  --config <path>       default viewset.config.ts in this folder or above it
  --help                prints this
`

const OPTIONS = {
  config: { type: 'string' },
  force: { type: 'boolean', default: false },
  format: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  output: { type: 'string', short: 'o' },
  server: { type: 'string' },
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
    takes: ['format'],
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
    takes: ['server'],
    run: async ({ values, positionals: [, ...more], cwd }) => {
      if (more.length > 0) throw new CliError(`The document is of the whole API; what is "${more.join(' ')}"?`, 2)
      const { config, output, server, force } = values
      const { openapi } = await import('./openapi.ts')
      return openapi(await loadConfig(cwd, config), { output, server, force, cwd })
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
