import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { env as ofTests } from './snippets.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const NOT_COPIED = /(^|\/)(node_modules|dist|data|\.next)$/

// Next and npm go by it, and a test is not what they are for.
const env = { ...ofTests, NODE_ENV: undefined }

/** A program that is running, at its address. */
export interface RunningProgram {
  /** Without a slash at its end. */
  readonly address: string
  /** Tells it to stop, as a container is told, and waits until it has. */
  stop(): Promise<number | NodeJS.Signals>
}

/** A folder outside of the repository, with `packages/viewset` as it is packed. */
export class PackedProjects {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async create(): Promise<PackedProjects> {
    const folder = await mkdtemp(join(tmpdir(), 'viewset-packed-'))
    await run(ROOT, 'npm', 'run', 'build', '-w', 'viewset')
    await run(ROOT, 'npm', 'pack', '-w', 'viewset', '--pack-destination', folder)
    const target = join(folder, 'packages/viewset')
    await mkdir(target, { recursive: true })
    await run(folder, 'sh', '-c', 'tar -xzf viewset-*.tgz -C packages/viewset --strip-components=1')
    return new PackedProjects(folder)
  }

  /** Copies a folder of the repository to the same place here. */
  async copy(path: string): Promise<string> {
    const target = join(this.folder, path)
    await cp(join(ROOT, path), target, { recursive: true, filter: source => !NOT_COPIED.test(source) })
    return target
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true })
  }
}

/** Runs a command in a folder to its end; what it prints stands in the error, where it fails. */
export async function run(cwd: string, command: string, ...parameters: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)(command, parameters, { cwd, env, maxBuffer: 64 * 1024 ** 2 })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
    throw new Error(`${command} ${parameters.join(' ')}: ${stdout}${stderr}`, { cause: error })
  }
}

/** Starts a program that prints the address where it listens. */
export async function startProgram(
  cwd: string,
  [command, ...parameters]: readonly [string, ...string[]],
  variables: Readonly<Record<string, string>> = {},
): Promise<RunningProgram> {
  const child = spawn(command, parameters, { cwd, env: { ...env, ...variables }, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const lines: string[] = []
  const found = Promise.withResolvers<string>()
  createInterface(child.stdout).on('line', line => {
    lines.push(line)
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
    if (address !== undefined) found.resolve(address)
  })
  void exited.then(() => found.reject(new Error(`It ended before it listened: ${lines.join('\n')}`)), found.reject)
  return {
    address: await found.promise,
    stop: async () => {
      child.kill('SIGTERM')
      const [code, signal] = await exited
      return code ?? signal
    },
  }
}
