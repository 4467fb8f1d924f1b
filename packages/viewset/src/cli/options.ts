import { parseArgs } from 'node:util'
import { CliError } from './cli-error.ts'

const OPTIONS = {
  append: { type: 'boolean' },
  config: { type: 'string' },
  diff: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'failed-rows': { type: 'string' },
  encoding: { type: 'string' },
  fields: { type: 'string' },
  force: { type: 'boolean', default: false },
  format: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  'header-row': { type: 'string' },
  json: { type: 'boolean' },
  'all-or-nothing': { type: 'boolean' },
  'on-conflict': { type: 'string' },
  'delete-marked': { type: 'boolean' },
  'fail-on-warnings': { type: 'boolean' },
  locale: { type: 'string' },
  mapping: { type: 'string' },
  models: { type: 'string' },
  out: { type: 'string' },
  output: { type: 'string', short: 'o' },
  query: { type: 'string' },
  'for-editing': { type: 'boolean' },
  replace: { type: 'boolean' },
  resource: { type: 'string' },
  rows: { type: 'string' },
  schema: { type: 'string' },
  server: { type: 'string' },
  sql: { type: 'boolean' },
  url: { type: 'string' },
  user: { type: 'string' },
  values: { type: 'string' },
  version: { type: 'boolean', default: false },
} as const

export type ParsedArguments = ReturnType<typeof parseArguments>

/** Reads the arguments of a command line. @throws CliError for an option that no command has. */
export function parseArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new CliError(`${(error as Error).message} See viewset --help.`, 2, error)
  }
}
