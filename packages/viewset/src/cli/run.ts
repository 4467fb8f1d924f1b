import { parseArgs } from 'node:util'
import { suggestion } from '../core/suggestion.ts'
import { CliError } from './cli-error.ts'
import { generateImportTemplate } from './generate-import-template.ts'
import { loadConfig } from './load-config.ts'

const COMMAND = 'generate-import-template'

const HELP = `Usage: viewset ${COMMAND} <ResourceName> [options]

Writes a file for people to fill in and to import: a sheet for each model, its columns, and an example row.

  --format <csv|xlsx>   default xlsx
  --output <path>       default <table>_template.<format> in this folder; - for standard output
  --force               writes over a file that exists
  --config <path>       default viewset.config.ts in this folder or above it
  --help                prints this
`

/**
 * Runs a command line.
 *
 * @param args what stands behind `viewset`
 * @returns what to print
 * @throws CliError
 */
export async function run(args: readonly string[], cwd: string): Promise<string> {
  const { values, positionals } = parse(args)
  const [command, resource, ...more] = positionals
  if (values.help) return HELP
  if (command === undefined) throw new CliError(HELP, 2)
  // Django writes it with underscores.
  if (command.replaceAll('_', '-') !== COMMAND) {
    throw new CliError(`Unknown command "${command}"${suggestion(command, [COMMAND])}. See viewset --help.`, 2)
  }
  if (resource === undefined) throw new CliError(`Which resource? As in: viewset ${COMMAND} ArticleViewSet`, 2)
  if (more.length > 0) throw new CliError(`One resource at a time; what is "${more.join(' ')}"?`, 2)
  const config = await loadConfig(cwd, values.config)
  const { format, output, force } = values
  return generateImportTemplate(config, resource, { format, output, force, cwd })
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        config: { type: 'string' },
        force: { type: 'boolean', default: false },
        format: { type: 'string', default: 'xlsx' },
        help: { type: 'boolean', short: 'h', default: false },
        output: { type: 'string', short: 'o' },
      },
    })
  } catch (error) {
    throw new CliError(`${(error as Error).message} See viewset --help.`, 2, error)
  }
}
