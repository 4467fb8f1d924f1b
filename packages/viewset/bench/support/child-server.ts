import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { BenchCase, DialectName, Side } from '../case.ts'
import type { ServerMessage, Usage } from '../server.ts'

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
}

/** One of the two servers that are compared. */
export class ChildServer {
  readonly side: Side
  readonly port: number
  readonly #process: ChildProcess

  static async start({ side, dialect, benchCase, location, profile }: ServerOptions): Promise<ChildServer> {
    const name = `${dialect}-${benchCase.name}-${side}.cpuprofile`
    const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${name}`] : []
    const child = fork(PROGRAM, [side, dialect, benchCase.name, location], {
      execArgv: [...process.execArgv, `--max-old-space-size=${HEAP}`, ...profiling],
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
    this.#process.send('usage')
    const message = await nextMessage(this.#process)
    if (!('microseconds' in message)) throw new Error(`The ${this.side} server did not tell what it has used`)
    return message
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, 'exit')
    this.#process.disconnect()
    await exited
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
