import { parseArgs } from 'node:util'
import type { Choices } from './choices.ts'
import { CliError } from './cli-error.ts'
import { DATABASES, FRAMEWORKS, type Part } from './parts.ts'

export const HELP = `Usage: npm create viewset [folder] -- [options]

Writes a project with Viewset that runs. What the options do not say is asked.

  --database <${Object.keys(DATABASES).join('|')}>   default sqlite
  --framework <name>             ${Object.keys(FRAMEWORKS).join(', ')}; default fastify
  --no-example                   without the two resources to look at
  --no-install                   without npm install
  --yes, -y                      asks nothing: defaults for what is not said
  --help, -h                     prints this
`

const OPTIONS = {
  database: { type: 'string' },
  framework: { type: 'string' },
  example: { type: 'boolean' },
  install: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

export interface CommandLine {
  readonly choices: Partial<Choices>
  readonly yes: boolean
  readonly help: boolean
}

/** @throws CliError */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parse(args)
  const [folder, ...more] = positionals
  if (more.length > 0) throw new CliError(`One folder at a time; what is "${more.join(' ')}"? See --help.`, 2)
  const { database, framework, example, install, yes, help } = values
  return {
    choices: {
      ...(folder !== undefined && { folder }),
      ...(database !== undefined && { database: oneOf('database', DATABASES, database) }),
      ...(framework !== undefined && { framework: oneOf('framework', FRAMEWORKS, framework) }),
      ...(example !== undefined && { example }),
      ...(install !== undefined && { install }),
    },
    yes,
    help,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, allowNegative: true, options: OPTIONS })
  } catch (error) {
    // After its first sentence, Node explains how to pass a folder that looks like an option.
    const [problem] = (error as Error).message.split('. ')
    throw new CliError(`${problem}. The options are ${optionNames()}; see --help.`, 2)
  }
}

function optionNames(): string {
  return Object.keys(OPTIONS)
    .map(name => `--${name}`)
    .join(', ')
}

function oneOf<Name extends string>(option: string, known: Readonly<Record<Name, Part>>, given: string): Name {
  if (Object.hasOwn(known, given)) return given as Name
  throw new CliError(`--${option} ${given} is not known. Choose one of: ${Object.keys(known).join(', ')}.`, 2)
}
