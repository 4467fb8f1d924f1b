import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { CONDITIONS, env } from '../../../viewset/test/support/snippets.ts'
import { type Choices, DATABASES, DEFAULTS, FRAMEWORKS } from '../../src/choices.ts'
import { writeProject } from '../../src/project.ts'

const run = promisify(execFile)

/** Every project that can be chosen, under a name that says what it is. */
export const everyProject: readonly (Choices & { readonly name: string })[] = Object.keys(FRAMEWORKS).flatMap(
  framework =>
    Object.keys(DATABASES).flatMap(database =>
      [true, false].map(example => ({
        ...DEFAULTS,
        ...({ framework, database } as Pick<Choices, 'framework' | 'database'>),
        example,
        name: `${framework}-${database}${example ? '' : '-empty'}`,
      })),
    ),
)

/** A folder for projects inside of this package: `viewset` is the workspace, and all packages are there. */
export class Projects {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async create(): Promise<Projects> {
    const folder = await mkdtemp(join(import.meta.dirname, '../../.projects-'))
    await writeFile(join(folder, '.gitignore'), '*\n')
    return new Projects(folder)
  }

  /** Writes a project. Returns its folder. */
  async write(name: string, choices: Partial<Choices> = {}): Promise<string> {
    const path = join(this.folder, name)
    await writeProject({ path, name }, { ...DEFAULTS, ...choices })
    return path
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true })
  }
}

/** The files of a project, in the order of their names. */
export async function filesOf(project: string): Promise<readonly string[]> {
  const entries = await readdir(project, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(project.length + 1))
    .toSorted()
}

/** What a project's tools see: the workspace's sources, and the repository's own Node. */
const environment = { ...env, NODE_OPTIONS: CONDITIONS }

/** Runs a command in a folder. Returns what it has printed, also where it fails. */
export async function output(command: string, args: readonly string[], cwd: string, more = {}): Promise<string> {
  const options = { cwd, env: { ...environment, ...more } }
  const { stdout, stderr } = await run(command, args, options).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  )
  return stdout + stderr
}

/** Starts a project at any free port. `stop` ends it as a container is ended, and returns the exit code. */
export async function start(
  project: string,
  more = {},
): Promise<{ readonly address: string; stop(): Promise<number> }> {
  const server = spawn(process.execPath, ['start.js'], {
    cwd: project,
    env: { ...environment, PORT: '0', LOG_LEVEL: 'warn', ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(server, 'exit')
  const [line] = await Promise.race([once(createInterface(server.stdout), 'line'), exited])
  const address = /http:\S+?(?=\/api\/)/.exec(String(line))?.[0]
  if (address === undefined) throw new Error(`it says: ${line}`)
  return {
    address,
    stop: async () => {
      server.kill('SIGTERM')
      const [code] = await exited
      return code
    },
  }
}
