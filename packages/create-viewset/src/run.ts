import { askFor, type Terminal } from './ask.ts'
import { DEFAULTS } from './choices.ts'
import { CliError } from './cli-error.ts'
import { install } from './install.ts'
import { nextSteps } from './next-steps.ts'
import { HELP, parseCommandLine } from './parse.ts'
import { writeProject } from './project.ts'
import { targetOf } from './target.ts'

/** Where a command is run. */
export interface Surroundings {
  readonly cwd: string
  /** Where questions are asked; without one, what is not said is the default. */
  readonly terminal: Terminal | undefined
  /** Told what a person shall read. */
  readonly print: (text: string) => void
  /** The paths of packed packages, which the project installs in place of those of the registry. */
  readonly packed?: readonly string[]
}

/**
 * Runs a command line: writes a project, and installs its packages.
 *
 * @param args what stands behind `create-viewset`
 * @throws CliError
 */
export async function run(args: readonly string[], { cwd, terminal, print, packed }: Surroundings): Promise<void> {
  const { choices: said, yes, help } = parseCommandLine(args)
  if (help) return print(HELP)
  // Nobody shall answer four questions to hear that their folder is taken.
  if (said.folder !== undefined) targetOf(said.folder, cwd)
  const choices = terminal && !yes ? await askFor(said, cwd, terminal) : { ...DEFAULTS, ...said }
  const target = targetOf(choices.folder, cwd)
  await writeProject(target, choices, packed).catch((error: NodeJS.ErrnoException) => {
    // Such as a folder that belongs to somebody else; what has no code is a mistake of ours.
    throw error.code === undefined ? error : new CliError(`The project cannot be written: ${error.message}.`)
  })
  print(`${target.name} is written, with ${choices.framework} and ${choices.database}.`)
  if (choices.install && !(await install(target.path))) {
    const steps = nextSteps({ ...choices, install: false })
    throw new CliError(`npm install has failed; nothing else is missing. When it can work:\n\n${steps}`)
  }
  print(nextSteps(choices))
}
