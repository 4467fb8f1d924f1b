import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const PROGRAM = join(import.meta.dirname, 'crowd-process.ts')

/** Very many connections to a server, in a process of their own, since each process has only so many. */
export class Crowd {
  readonly #process: ChildProcess

  /** Connects, and asks once on each connection. */
  static async connect(port: number, connections: number): Promise<Crowd> {
    const child = fork(PROGRAM, [String(port), String(connections)])
    const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')])
    if (message !== 'connected') throw new Error('Not all could connect: see the message above')
    return new Crowd(child)
  }

  private constructor(child: ChildProcess) {
    this.#process = child
  }

  /** Asks on all connections at once; returns how often each status was answered. */
  async ask(): Promise<Readonly<Record<number, number>>> {
    const answered = once(this.#process, 'message')
    this.#process.send('ask')
    const [statuses] = await answered
    return statuses
  }

  /** Ends all connections. */
  async leave(): Promise<void> {
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exited
  }
}
