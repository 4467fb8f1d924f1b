import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { familyCpu, familyMemory } from './processes.ts'

/** ms to wait for a first answer: the atlas loads its data first, on a machine that may be busy. */
const PATIENCE = 900_000

export interface Start {
  readonly command: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Asked until it answers. */
  readonly path: string
}

/** A server in a process of its own, whatever it is written in. */
export class StartedProcess {
  readonly origin: string
  /** From the start to the first answer, ms. */
  readonly startMs: number
  readonly startCpuMs: number
  /** At the first answer, bytes. */
  readonly startMemory: number
  readonly #child: ChildProcess
  /** However the benchmark ends, its servers end with it. */
  readonly #kill = () => void this.#child.kill()

  /** Starts it with `PORT` in its command replaced, and waits for its first answer. */
  static async start({ command, cwd, env = {}, path }: Start): Promise<StartedProcess> {
    const port = String(await freePort())
    const [program = '', ...args] = command.map(part => part.replace('PORT', port))
    const started = performance.now()
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '', ...env, PORT: port },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const origin = `http://127.0.0.1:${port}`
    await firstAnswer(origin + path, child)
    return new StartedProcess(origin, performance.now() - started, child)
  }

  private constructor(origin: string, startMs: number, child: ChildProcess) {
    this.origin = origin
    this.startMs = startMs
    this.#child = child
    process.once('exit', this.#kill)
    this.startCpuMs = this.cpu() / 1_000
    this.startMemory = familyMemory(child.pid as number)
  }

  /** CPU time so far, in microseconds. */
  cpu(): number {
    return familyCpu(this.#child.pid as number)
  }

  memory(): number {
    return familyMemory(this.#child.pid as number)
  }

  async stop(): Promise<void> {
    process.off('exit', this.#kill)
    if (this.#child.exitCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill()
    await exited
  }
}

async function firstAnswer(url: string, child: ChildProcess): Promise<void> {
  const until = performance.now() + PATIENCE
  while (performance.now() < until && child.exitCode === null) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return void (await response.arrayBuffer())
    if (response) throw new Error(`${url} answers ${response.status}: ${await response.text()}`)
    await sleep(5)
  }
  child.kill()
  throw new Error(`${child.spawnargs.join(' ')} does not answer at ${url}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}
