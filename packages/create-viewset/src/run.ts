import { askFor, type Terminal } from './ask.ts'
import { DEFAULTS } from './choices.ts'
import { CliError } from './cli-error.ts'
import { install } from './install.ts'
import { nextSteps } from './next-steps.ts'
import { HELP, parseCommandLine } from './parse.ts'
import { writeProject } from './project.ts'
import { targetOf } from './target.ts'

export interface Surroundings {
  readonly cwd: string
  /** Without a terminal, missing choices have their defaults. */
  readonly terminal: Terminal | undefined
  readonly print: (text: string) => void
  /** The paths of packed packages, which the project installs instead of published ones. */
  readonly packed?: readonly string[]
}

/**
 * Runs a command line: writes a project, and installs its packages.
 *
 * @param args the arguments after `create-viewset`
 * @throws CliError
 */
export async function run(args: readonly string[], { cwd, terminal, print, packed }: Surroundings): Promise<void> {
  const { choices: given, yes, help } = parseCommandLine(args)
  if (help) return print(HELP)
  // A taken folder is reported before the questions.
  if (given.folder !== undefined) targetOf(given.folder, cwd)
  const choices = terminal && !yes ? await askFor(given, cwd, terminal) : { ...DEFAULTS, ...given }
  const target = targetOf(choices.folder, cwd)
  await writeProject(target, choices, packed).catch((error: NodeJS.ErrnoException) => {
    // For example, the folder belongs to another user. An error without a code is a bug.
    throw error.code === undefined ? error : new CliError(`The project cannot be written: ${error.message}.`)
  })
  print(`${target.name} is written, with ${choices.framework} and ${choices.database}.`)
  if (choices.install && !(await install(target.path))) {
    const steps = nextSteps({ ...choices, install: false })
    throw new CliError(`npm install has failed; nothing else is missing. When it can work:\n\n${steps}`)
  }
  print(nextSteps(choices))
}
