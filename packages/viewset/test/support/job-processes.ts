import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Moment } from './mortal-driver.ts'
import { START_OPTIONS } from './node-options.ts'

const PROGRAM = join(import.meta.dirname, 'job-process.ts')

/** What a worker is told: the job, and the step at which it kills itself. */
export interface JobStep {
  readonly id: string
  readonly step: number
  readonly moment: Moment
}

/** Workers that are killed: there is always one, and another one that begins. */
export class JobProcesses {
  kills = 0
  readonly #args: readonly string[]
  #current: Promise<ChildProcess>
  #next: Promise<ChildProcess>

  constructor(dialect: string, url: string, path: string) {
    this.#args = [dialect, url, path]
    this.#current = this.#start()
    this.#next = this.#start()
  }

  /** Has a worker run a job until it is done or the worker has killed itself. */
  async run(id: string, step: number, moment: Moment): Promise<void> {
    const worker = await this.#current
    const ended = once(worker, 'exit')
    worker.send({ id, step, moment } satisfies JobStep)
    const [said] = await Promise.race([once(worker, 'message'), ended])
    if (said === 'done') return
    if (worker.signalCode !== 'SIGKILL') throw new Error(`A worker ended with code ${worker.exitCode}: see above.`)
    this.kills++
    this.#current = this.#next
    this.#next = this.#start()
  }

  async end(): Promise<void> {
    for (const worker of await Promise.all([this.#current, this.#next])) {
      const ended = once(worker, 'exit')
      worker.disconnect()
      await ended
    }
  }

  async #start(): Promise<ChildProcess> {
    // Each reads what the one before it has compiled.
    const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'viewset-test-compiled') }
    const worker = fork(PROGRAM, this.#args, { execArgv: [...START_OPTIONS], env })
    const [said] = await Promise.race([once(worker, 'message'), once(worker, 'exit')])
    if (said !== 'ready') throw new Error('A worker did not start: see the message above.')
    return worker
  }
}
