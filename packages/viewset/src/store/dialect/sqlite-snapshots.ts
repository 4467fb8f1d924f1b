import { statSync } from 'node:fs'
import { Busy, retryWhileBusy } from './sqlite-busy.ts'

/** Bytes of the write-ahead log at which nobody may begin to read for long. */
const LONG_LOG = 256 * 1024 ** 2

/**
 * The states of a database that streams hold on to. As long as there is one, the write-ahead log cannot begin anew; streams
 * that follow each other would let it grow for ever, so where it is long, all have to end before the next one begins.
 */
export class SqliteSnapshots {
  readonly #log: string
  readonly #busyTimeout: number
  readonly #shortenLog: () => void
  #held = 0

  constructor(path: string, busyTimeout: number, shortenLog: () => void) {
    this.#log = `${path}-wal`
    this.#busyTimeout = busyTimeout
    this.#shortenLog = shortenLog
  }

  /** Waits until one may be taken, and returns what gives it back. @throws ServiceUnavailable after the busy timeout */
  async take(): Promise<() => void> {
    await retryWhileBusy(this.#busyTimeout, () => {
      if (this.#held > 0 && this.#isLogLong()) throw new Busy('The log is long, and streams hold on to it.')
    })
    // What other processes read is not for us to wait for: then it stays as it is.
    if (this.#held === 0 && this.#isLogLong()) this.#shortenLog()
    this.#held++
    return () => {
      this.#held--
    }
  }

  #isLogLong(): boolean {
    return (statSync(this.#log, { throwIfNoEntry: false })?.size ?? 0) > LONG_LOG
  }
}
