import { execFile, spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { CONDITIONS } from '../../../viewset/test/support/node-options.ts'
import { env } from '../../../viewset/test/support/snippets.ts'
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
export const installed: NodeJS.ProcessEnv = { ...env, NEXT_TELEMETRY_DISABLED: '1' }

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
  /** The lines that it has printed up to its address, or as many as were asked for. */
  readonly printed: string
  /** Ends it as a container is ended. Returns its exit code, or the signal that has ended it. */
  stop(): Promise<number | string>
}

/** Starts a project, at any free port by default. Waits for its address, and for as many lines. */
export async function start(
  cwd: string,
  variables: NodeJS.ProcessEnv,
  command: readonly string[] = ['start.js'],
  { port = 0, lines = 1 }: { readonly port?: number; readonly lines?: number } = {},
): Promise<Running> {
  const server = spawn('node', command, {
    cwd,
    env: { ...variables, PORT: String(port), LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(server, 'exit')
  return {
    ...(await addressIn(server.stdout, lines)),
    stop: async () => {
      server.kill('SIGTERM')
      const [code, signal] = await exited
      return code ?? signal
    },
  }
}

/** The first address that a server prints. What it prints behind it is read as well, so that it never waits. */
async function addressIn(output: Readable, lines: number): Promise<{ address: string; printed: string }> {
  const printed: string[] = []
  for await (const line of on(createInterface(output), 'line', { close: ['close'] })) {
    printed.push(String(line))
    const [address] = /http:\/\/[\d.]+:\d+/.exec(printed.join('\n')) ?? []
    if (address !== undefined && printed.length >= lines) return { address, printed: printed.join('\n') }
  }
  throw new Error(`it says: ${printed.join('\n')}`)
}
