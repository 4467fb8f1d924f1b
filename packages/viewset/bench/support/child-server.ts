import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { BenchCase, DialectName, Side } from '../case.ts'
import type { ServerMessage, ServerQuestion, Usage } from '../server.ts'
import type { TimeParts } from './profile-parts.ts'

/** Old space in MB: what a server holds has to fit, however much memory the machine has. */
const HEAP = 256
const PROGRAM = join(import.meta.dirname, '../server.ts')

export interface ServerOptions {
  readonly side: Side
  readonly dialect: DialectName
  readonly benchCase: BenchCase
  /** Of the database. */
  readonly location: string
  /** A folder for a CPU profile of the server. */
  readonly profile: string | undefined
  /** Whether it runs the package's sources, as `--conditions=viewset-source` says, also where the benchmark does not. */
  readonly fromSource?: boolean
}

/** One of the two servers that are compared. */
export class ChildServer {
  readonly side: Side
  readonly port: number
  readonly #process: ChildProcess

  static async start(options: ServerOptions): Promise<ChildServer> {
    const { side, dialect, benchCase, location, profile, fromSource = false } = options
    const name = `${dialect}-${benchCase.name}-${side}.cpuprofile`
    const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${name}`] : []
    const child = fork(PROGRAM, [side, dialect, benchCase.name, location], {
      execArgv: [
        ...process.execArgv,
        ...(fromSource ? ['--conditions=viewset-source'] : []),
        `--max-old-space-size=${HEAP}`,
        ...profiling,
      ],
      env: { ...process.env, NODE_ENV: 'production' },
    })
    const message = await nextMessage(child)
    if (!('port' in message)) throw new Error(`The ${side} server did not tell its port`)
    return new ChildServer(side, message.port, child)
  }

  private constructor(side: Side, port: number, child: ChildProcess) {
    this.side = side
    this.port = port
    this.#process = child
  }

  async usage(): Promise<Usage> {
    const message = await this.#ask('usage')
    if ('usage' in message) return message.usage
    throw new Error(`The ${this.side} server did not tell what it has used`)
  }

  /** From here on, it notes where its time goes. */
  async beginProfile(): Promise<void> {
    await this.#ask('profile')
  }

  /** Where its time has gone since {@link beginProfile}. */
  async endProfile(): Promise<TimeParts> {
    const message = await this.#ask('parts')
    if ('parts' in message) return message.parts
    throw new Error(`The ${this.side} server did not tell where its time has gone`)
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, 'exit')
    this.#process.disconnect()
    await exited
  }

  #ask(question: ServerQuestion): Promise<ServerMessage> {
    this.#process.send(question)
    return nextMessage(this.#process)
  }
}

async function nextMessage(child: ChildProcess): Promise<ServerMessage> {
  const ended = new AbortController()
  const exited = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`A server ended with code ${code}: see the message above`)
  })
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: ended.signal }), exited])
    return message as ServerMessage
  } finally {
    ended.abort()
    exited.catch(() => {})
  }
}
