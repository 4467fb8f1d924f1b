import cluster, { type Worker } from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from './start-error.ts'

/** What a process is told that has a successor. */
export const LEAVE = 'leave'
/** Milliseconds before a process is started again that has ended by itself; longer each time that it does so at once. */
const PAUSE = 100
const LONGEST_PAUSE = 10_000

export type Environment = Readonly<Record<string, string | undefined>>

/** How many processes `WEB_CONCURRENCY` asks for. @throws StartError */
export function concurrencyFrom({ WEB_CONCURRENCY }: Environment): number {
  if (!WEB_CONCURRENCY) return 1
  const count = Number(WEB_CONCURRENCY)
  if (Number.isInteger(count) && count >= 1 && count <= 1_000) return count
  throw new StartError(`WEB_CONCURRENCY=${WEB_CONCURRENCY} is no number of processes: give one from 1 to 1000.`)
}

/** Secrets that all processes have to share: of the environment, or new ones. */
export function sharedSecrets({ COMMON_SECRET_KEY }: Environment): Record<string, string> {
  return { COMMON_SECRET_KEY: COMMON_SECRET_KEY || randomBytes(32).toString('hex') }
}

/** Several processes behind one port: one that ends is replaced, and all of them can be, with nobody noticing. */
export class Supervisor {
  readonly #count: number
  readonly #environment: Readonly<Record<string, string>>
  readonly #serving = new Set<Worker>()
  #isStopping = false
  #turn: Promise<void> = Promise.resolve()

  constructor(count: number, environment: Readonly<Record<string, string>>) {
    this.#count = count
    this.#environment = environment
  }

  /** Resolves when all of them listen. @throws StartError when one cannot. */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#count }, () => this.#begin()))
  }

  /** Replaces all processes, one after the other: each leaves when its successor listens. */
  restart(prepare: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn
      .then(async () => {
        await prepare()
        for (const worker of [...this.#serving]) {
          if (this.#isStopping) return
          await this.#begin()
          this.#serving.delete(worker)
          worker.send(LEAVE)
        }
        console.log(`Atlas has been restarted: ${this.#serving.size} new processes`)
      })
      .catch(error => console.error(`Atlas goes on as it is: ${error instanceof Error ? error.message : error}`))
    return this.#turn
  }

  /** Ends all processes, each when it has answered. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const workers = Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined)
    const ends = workers.map(worker => once(worker, 'exit'))
    for (const { process } of workers) process.kill('SIGTERM')
    await Promise.all(ends)
  }

  async #begin(): Promise<void> {
    const worker = cluster.fork(this.#environment)
    const begun = performance.now()
    const isListening = once(worker, 'listening').then(() => true)
    const hasEnded = once(worker, 'exit').then(() => false)
    if (!(await Promise.race([isListening, hasEnded]))) {
      throw new StartError('A process ended before it listened: see the message above.')
    }
    this.#serving.add(worker)
    void hasEnded.then(() => this.#replace(worker, performance.now() - begun))
  }

  /** Whoever has not been told to leave is missed. */
  async #replace(worker: Worker, lived: number): Promise<void> {
    if (!this.#serving.delete(worker)) return
    for (let pause = lived > LONGEST_PAUSE ? 0 : PAUSE; !this.#isStopping; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      console.error(`Process ${worker.process.pid} of the atlas has ended; another one takes its place`)
      await sleep(pause)
      if (this.#isStopping) return
      const isThere = await this.#begin().then(
        () => true,
        () => false,
      )
      if (isThere) return
      pause ||= PAUSE
    }
  }
}
