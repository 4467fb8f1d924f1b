import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { parseJson } from '../core/json/parse-json.ts'
import { suggestion } from '../core/suggestion.ts'
import { ON_CONFLICT, type OnConflict } from '../importing/edit/on-conflict.ts'
import { type HeaderRows, isHeaderRows } from '../importing/read/header-rows.ts'
import { encodingNamed } from '../tabular/read/csv-encoding.ts'
import { CliError } from './cli-error.ts'
import { HELP, helpOf } from './help.ts'
import { loadConfig } from './load-config.ts'
import { parseArguments } from './options.ts'
import type { Printed } from './printed.ts'
import { strictly } from './strictly.ts'
import { type CommandLine, runTool } from './tools.ts'

/** A plain text means exit status 0. */
type Output = string | Printed

interface Command {
  /** The options of this command that not all commands have. */
  readonly takes: readonly string[]
  run(given: CommandLine): Promise<Output>
}

/** Each command loads its own code when it runs. */
const COMMANDS: Readonly<Record<string, Command>> = {
  'generate-import-template': {
    takes: ['format', 'output', 'config'],
    run: async ({ values, positionals: [, resource, ...more], cwd }) => {
      if (resource === undefined) {
        throw new CliError('Which resource? As in: viewset generate-import-template ArticleViewSet', 2)
      }
      if (more.length > 0) throw new CliError(`One resource at a time; what is "${more.join(' ')}"?`, 2)
      const { config, format = 'xlsx', output, force } = values
      const { generateImportTemplate } = await import('./commands/generate-import-template.ts')
      return generateImportTemplate(await loadConfig(cwd, config), resource, { format, output, force, cwd })
    },
  },
  import: {
    takes: [
      'resource',
      'append',
      'replace',
      'dry-run',
      'diff',
      'all-or-nothing',
      'fail-on-warnings',
      'on-conflict',
      'delete-marked',
      'mapping',
      'header-row',
      'locale',
      'encoding',
      'values',
      'failed-rows',
      'user',
      'json',
      'config',
    ],
    run: given => strictly(() => runImport(given)),
  },
  export: {
    takes: ['resource', 'format', 'output', 'fields', 'query', 'for-editing', 'user', 'config'],
    run: given => strictly(() => runExport(given)),
  },
  worker: {
    takes: ['config'],
    run: async ({ values, positionals: [, ...more], cwd }) => {
      if (more.length > 0) throw new CliError(`What is "${more.join(' ')}"? A worker takes all jobs.`, 2)
      const { worker } = await import('./commands/worker.ts')
      return worker(await loadConfig(cwd, values.config))
    },
  },
  openapi: {
    takes: ['server', 'output', 'config'],
    run: async ({ values, positionals: [, ...more], cwd }) => {
      if (more.length > 0) throw new CliError(`The document is of the whole API; what is "${more.join(' ')}"?`, 2)
      const { config, output, server, force } = values
      const { openapi } = await import('./commands/openapi.ts')
      return openapi(await loadConfig(cwd, config), { output, server, force, cwd })
    },
  },
  add: { takes: ['models', 'out', 'config'], run: line => runTool('add', line) },
  'search-index': { takes: ['models', 'config'], run: line => runTool('search-index', line) },
  'index-advice': { takes: ['rows', 'json', 'sql', 'config'], run: line => runTool('index-advice', line) },
  inspect: { takes: ['url', 'schema', 'out'], run: line => runTool('inspect', line) },
}

async function runImport({ values, positionals: [, file, ...more], cwd }: CommandLine): Promise<Printed> {
  const { resource, append, replace, 'dry-run': dryRun = false, diff = false, json = false, ...others } = values
  const {
    config,
    mapping,
    'all-or-nothing': allOrNothing = false,
    'fail-on-warnings': failOnWarnings = false,
    'on-conflict': onConflict,
    'delete-marked': deleteMarked = false,
    'failed-rows': failedRows,
    user,
    force,
  } = others
  const example = 'As in: viewset import cities.csv --resource CityViewSet --append'
  if (file === undefined) throw new CliError(`Which file? ${example}`, 2)
  if (more.length > 0) throw new CliError(`One file at a time; what is "${more.join(' ')}"?`, 2)
  if (resource === undefined) throw new CliError(`Into which resource? ${example}`, 2)
  if (append === replace) {
    throw new CliError('Either --append, which adds to what is stored, or --replace, which deletes that first.', 2)
  }
  if (diff && !(dryRun && json)) throw new CliError('--diff needs --dry-run and --json.', 2)
  const { importFile } = await import('./commands/import-file.ts')
  const edited = { onConflict: choiceOf(onConflict), deleteMarked }
  const does = { append: append === true, dryRun, diff, allOrNothing, failOnWarnings, ...edited }
  const reading = {
    mapping,
    headerRow: headerRowOf(others['header-row']),
    values: others.values,
    locale: others.locale,
    encoding: encodingOf(others.encoding),
  }
  const options = { resource, ...does, ...reading, failedRows, user, json, force, cwd }
  return importFile(await loadConfig(cwd, config), file, options)
}

function choiceOf(text: string | undefined): OnConflict | undefined {
  const choice = ON_CONFLICT.find(one => one === text)
  if (text === undefined || choice) return choice
  throw new CliError(`--on-conflict takes ${ON_CONFLICT.join(', ')}, not "${text}".`, 2)
}

function headerRowOf(text: string | undefined): HeaderRows | undefined {
  if (text === undefined) return undefined
  try {
    const rows = parseJson(text)
    if (isHeaderRows(rows)) return rows
  } catch {
    // The text is not JSON.
  }
  throw new CliError(
    `--header-row takes the number of a row, or those of sheets as JSON, {"Prices": 4}, not "${text}".`,
    2,
  )
}

function encodingOf(text: string | undefined): string | undefined {
  const name = text === undefined ? undefined : encodingNamed(text)
  if (text === undefined || name !== undefined) return name
  throw new CliError(`--encoding takes the name of an encoding, such as windows-1251, not "${text}".`, 2)
}

async function runExport({ values, positionals: [, ...more], cwd }: CommandLine): Promise<string> {
  const { resource, output, 'for-editing': forEditing = false, fields, query = '', user, config, force } = values
  const { format = forEditing ? 'xlsx' : formatOf(output) } = values
  if (more.length > 0) throw new CliError(`What is "${more.join(' ')}"? The file is given by --output.`, 2)
  if (resource === undefined) {
    throw new CliError('Of which resource? As in: viewset export --resource CityViewSet --output cities.csv', 2)
  }
  const { exportFile } = await import('./commands/export-file.ts')
  const options = { resource, format, output, fields, query, forEditing, user, force, cwd }
  return exportFile(await loadConfig(cwd, config), options)
}

/** @throws CliError for the name of a file of another format */
function formatOf(output = ''): string {
  const ending = extname(output).slice(1).toLowerCase()
  if (ending === '' || ['csv', 'txt'].includes(ending)) return 'csv'
  if (['xlsx', 'pdf'].includes(ending)) return ending
  throw new CliError(
    `An export is csv, xlsx or pdf. Name the file so, or choose one of them for ${output} by --format.`,
    2,
  )
}

/** Options that not all commands have. */
const PARTICULAR = Object.values(COMMANDS).flatMap(({ takes }) => takes)

/** Of the package. All builds are as deep in it as this file. */
async function version(): Promise<string> {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { readonly version: string }).version
}

/**
 * Runs a command line.
 *
 * @param args the arguments after `viewset`
 * @throws CliError
 */
export async function run(args: readonly string[], cwd: string): Promise<Printed> {
  const { values, positionals } = parseArguments(args)
  if (values.version) return { text: await version(), exitCode: 0 }
  const [name] = positionals
  if (name === undefined) {
    if (values.help) return { text: HELP, exitCode: 0 }
    throw new CliError(HELP, 2)
  }
  // Django's commands have underscores.
  const key = name.replaceAll('_', '-')
  const command = Object.hasOwn(COMMANDS, key) ? COMMANDS[key] : undefined
  if (!command) {
    throw new CliError(`Unknown command "${name}"${suggestion(name, Object.keys(COMMANDS))}. See viewset --help.`, 2)
  }
  if (values.help) return { text: helpOf(key), exitCode: 0 }
  const stranger = Object.keys(values).find(option => PARTICULAR.includes(option) && !command.takes.includes(option))
  if (stranger !== undefined) throw new CliError(`${key} takes no --${stranger}. See viewset --help.`, 2)
  const output = await command.run({ values, positionals, cwd })
  return typeof output === 'string' ? { text: output, exitCode: 0 } : output
}
