import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { CONDITIONS, env } from '../../../viewset/test/support/snippets.ts'
import { type Choices, DEFAULTS } from '../../src/choices.ts'
import { DATABASES, FRAMEWORKS } from '../../src/parts.ts'
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

/** What the tools of a project inside of the workspace see: its sources, and the repository's own Node. */
export const workspace: NodeJS.ProcessEnv = { ...env, NODE_OPTIONS: CONDITIONS }

/** What they see of one that has installed its packages. */
export const installed: NodeJS.ProcessEnv = env

/** Runs a command in a folder. Returns what it has printed, also where it fails. */
export async function output(cwd: string, variables: NodeJS.ProcessEnv, command: string, ...args: readonly string[]) {
  const ended = run(command, args, { cwd, env: variables })
  const { stdout, stderr } = await ended.catch((failed: { stdout: string; stderr: string }) => failed)
  return stdout + stderr
}

/** A server that is running. */
export interface Running {
  /** Without a slash at its end. */
  readonly address: string
  /** Ends it as a container is ended. Returns the exit code. */
  stop(): Promise<number>
}

/** Starts a file of a project at any free port. */
export async function start(cwd: string, variables: NodeJS.ProcessEnv, file = 'start.js'): Promise<Running> {
  const server = spawn('node', [file], {
    cwd,
    env: { ...variables, PORT: '0', LOG_LEVEL: 'warn' },
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
