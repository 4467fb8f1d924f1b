import cluster, { type Worker } from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from './start-error.ts'

/** The message to a process that has a successor. */
export const LEAVE = 'leave'
/** Milliseconds before a process that ended by itself is started again. The pause grows if it ends at once again. */
const PAUSE = 100
const LONGEST_PAUSE = 10_000

export type Environment = Readonly<Record<string, string | undefined>>

/** The number of processes in `WEB_CONCURRENCY`. @throws StartError */
export function concurrencyFrom({ WEB_CONCURRENCY }: Environment): number {
  if (!WEB_CONCURRENCY) return 1
  const count = Number(WEB_CONCURRENCY)
  if (Number.isInteger(count) && count >= 1 && count <= 1_000) return count
  throw new StartError(`WEB_CONCURRENCY=${WEB_CONCURRENCY} is no number of processes: give one from 1 to 1000.`)
}

/** Secrets that all processes share: from the environment, or new ones. */
export function sharedSecrets({ COMMON_SECRET_KEY }: Environment): Record<string, string> {
  return { COMMON_SECRET_KEY: COMMON_SECRET_KEY || randomBytes(32).toString('hex') }
}

/**
 * Several processes behind one port. A process that ends is replaced. All processes can be replaced without a failed
 * request.
 */
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

  /** Resolves when all processes listen. @throws StartError if one cannot */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#count }, () => this.#begin()))
  }

  /** Replaces all processes one after the other. Each process leaves when its successor listens. */
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

  /** Ends all processes, each after its last response. */
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

  /** Starts another process, unless the supervisor has ended this one on purpose. */
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
