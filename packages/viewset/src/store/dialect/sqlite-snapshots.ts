import { statSync } from 'node:fs'
import { Busy, retryWhileBusy } from './sqlite-busy.ts'

/** Bytes of the write-ahead log at which nobody may begin to read for long. */
const LONG_LOG = 256 * 1024 ** 2

/** Bytes of it that a commit would take milliseconds to write to the database. */
const WORTH_A_THREAD = 16 * 1024 ** 2

/**
 * The states of a database that streams hold on to. As long as there is one, the write-ahead log cannot begin anew; streams
 * that follow each other would let it grow for ever, so where it is long, all have to end before the next one begins. With
 * the last one, what has gathered is written to the database: whoever commits next would have to do it otherwise.
 */
export class SqliteSnapshots {
  readonly #log: string
  readonly #busyTimeout: number
  readonly #shortenLog: () => Promise<void>
  #shortening: Promise<void> | undefined
  #held = 0

  constructor(path: string, busyTimeout: number, shortenLog: () => Promise<void>) {
    this.#log = `${path}-wal`
    this.#busyTimeout = busyTimeout
    this.#shortenLog = shortenLog
  }

  /** Waits until one may be taken, and returns what gives it back. @throws ServiceUnavailable after the busy timeout */
  async take(): Promise<() => void> {
    await retryWhileBusy(this.#busyTimeout, () => {
      if (this.#held > 0 && this.#logSize() > LONG_LOG) throw new Busy('The log is long, and streams hold on to it.')
    })
    // What other processes read is not for us to wait for: then it stays as it is.
    if (this.#held === 0 && this.#logSize() > LONG_LOG) await this.#shorten()
    this.#held++
    return () => {
      this.#held--
      // If that fails, the next commit says why.
      if (this.#held === 0 && this.#logSize() > WORTH_A_THREAD) this.#shorten().catch(() => {})
    }
  }

  /** Once for all who ask for it. */
  #shorten(): Promise<void> {
    this.#shortening ??= this.#shortenLog().finally(() => {
      this.#shortening = undefined
    })
    return this.#shortening
  }

  #logSize(): number {
    return statSync(this.#log, { throwIfNoEntry: false })?.size ?? 0
  }
}
