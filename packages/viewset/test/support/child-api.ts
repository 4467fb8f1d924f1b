import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TestResponse } from 'viewset/testing'
import type { Method } from './api.ts'
import { START_OPTIONS } from './node-options.ts'

const PROGRAM = join(import.meta.dirname, 'api-process.ts')

interface ChildOptions {
  /** Milliseconds that SQLite waits for others. */
  readonly busyTimeout?: number
}

/** The API of `api-process.ts`, whose process can be stopped and killed. */
export class ChildApi {
  readonly port: number
  /** Code and signal that the process ended with. */
  readonly exited: Promise<readonly [code: number | null, signal: string | null]>
  readonly #process: ChildProcess

  /** `location` is the path of an SQLite file, the address of a PostgreSQL database, or JSON of several servers. */
  static async start(location: string, { busyTimeout = 5_000 }: ChildOptions = {}): Promise<ChildApi> {
    const child = fork(PROGRAM, [location, String(busyTimeout)], {
      execArgv: [...START_OPTIONS],
    })
    const [address] = await Promise.race([once(child, 'message'), once(child, 'exit')])
    if (typeof address !== 'string') throw new Error('The API did not start: see the message above')
    return new ChildApi(Number(new URL(address).port), child)
  }

  private constructor(port: number, child: ChildProcess) {
    this.port = port
    this.#process = child
    this.exited = once(child, 'exit') as Promise<[number | null, string | null]>
  }

  /** Megabytes: what the process has, which depends on when the garbage collector ran, and what of it is in use. */
  async memory(): Promise<{ readonly resident: number; readonly used: number }> {
    const status = await readFile(`/proc/${this.#process.pid}/status`, 'utf8')
    const resident = Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024)
    const used = (await this.get('/notes/memory/')).envelope().data
    return { resident, used: Math.round(Number(used)) }
  }

  async request(method: Method, path: string, body?: unknown): Promise<TestResponse> {
    const response = await fetch(`http://127.0.0.1:${this.port}/api${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    return new TestResponse(response.status, Object.fromEntries(response.headers), bytes)
  }

  get(path: string): Promise<TestResponse> {
    return this.request('GET', path)
  }

  post(path: string, body?: unknown): Promise<TestResponse> {
    return this.request('POST', path, body)
  }

  /** Starts an action that has written and keeps its transaction open; `release` lets all of them end. */
  async hold(): Promise<{ readonly response: Promise<TestResponse>; readonly release: () => void }> {
    const holding = once(this.#process, 'message')
    const response = this.post('/notes/hold/')
    await holding
    return { response, release: () => void this.#process.send('release') }
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name)
  }

  /** Ends the process, if it has not ended already. */
  async kill(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) this.#process.kill('SIGKILL')
    await this.exited
  }
}
