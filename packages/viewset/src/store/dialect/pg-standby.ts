import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '../../core/clock.ts'
import { reportError } from '../../core/context.ts'
import { ApiError, ConfigError, ServiceUnavailable } from '../../core/errors.ts'
import { pgFault } from '../../model/dialect/pg-faults.ts'
import type { Executor, Statement } from '../connection/driver.ts'
import type { PostgresDriver } from './pg-driver.ts'

/** How long a read waits for a standby before it goes to the primary, in ms. */
const PATIENCE = 100
/** Milliseconds between two questions to a standby that is behind. */
const PAUSE = 2
/** Milliseconds without an answer after which a standby is asked whether it is alive. */
const SILENCE = 1_000
/** Milliseconds between attempts to use an excluded standby again. */
const PROBE = 1_000

export class Standby {
  readonly driver: PostgresDriver
  readonly #name: string
  readonly #system: () => Promise<string>
  #known: Position | undefined
  #heard = Number.NEGATIVE_INFINITY
  #answeredAt = Number.NEGATIVE_INFINITY
  #isOut = false
  #probed = Number.NEGATIVE_INFINITY
  #question: Promise<unknown> | undefined
  #isReported = false

  constructor(driver: PostgresDriver, name: string, system: () => Promise<string>) {
    this.driver = driver
    this.#name = name
    this.#system = system
  }

  get isCandidate(): boolean {
    return !this.#isOut || performance.now() - this.#probed > PROBE
  }

  isReady(needed: Position): boolean {
    return !this.#isOut && this.#shows(needed) && performance.now() - this.#heard < SILENCE
  }

  /** Whether it has replayed `needed`, perhaps after a moment. Does not wait for an excluded standby. Never throws. */
  async reaches(needed: Position): Promise<boolean> {
    if (!this.#isOut) return this.#catchUp(needed)
    if (performance.now() - this.#probed > PROBE) {
      this.#probed = performance.now()
      void this.#catchUp(needed)
    }
    return false
  }

  heard(): void {
    this.#heard = performance.now()
  }

  leaveOut(): void {
    this.#isOut = true
    this.#probed = performance.now()
  }

  async #catchUp(needed: Position): Promise<boolean> {
    let isOver = false
    const asking = async () => {
      // The known position of a silent standby may be its last one.
      do await this.#ask()
      while (!isOver && !this.#shows(needed))
    }
    try {
      await within(PATIENCE, asking())
      this.#isOut = false
      return true
    } catch (error) {
      this.#report(error)
      this.leaveOut()
      // The answer may never come, so the next caller asks anew.
      this.#question = undefined
      return false
    } finally {
      isOver = true
    }
  }

  #shows(needed: Position): boolean {
    return this.#known !== undefined && includes(this.#known, needed)
  }

  /** An answer to an earlier question is also valid: a standby never goes back. */
  #ask(): Promise<unknown> {
    if (this.#question) return this.#question
    const question = this.#learn().finally(() => {
      if (this.#question === question) this.#question = undefined
    })
    this.#question = question
    return question
  }

  async #learn(): Promise<void> {
    if (performance.now() - this.#answeredAt < PAUSE) await sleep(PAUSE)
    const position = await standbyPosition(this.driver)
    this.heard()
    this.#answeredAt = performance.now()
    if (!position) throw new ConfigError(this.#name, 'server', 'is no standby; it is not read')
    if (position.system !== (await this.#system())) {
      throw new ConfigError(this.#name, 'server', 'is a standby of another server than the primary; it is not read')
    }
    this.#known = position
    this.#isReported = false
  }

  /** Logs the failure once until the standby recovers. */
  #report(error: unknown): void {
    if (this.#isReported || error instanceof ApiError || pgFault(error)) return
    this.#isReported = true
    reportError(error, 'a replica is left out; its reads go to the others and to the primary')
  }
}

export interface Position {
  /** A promoted server begins a new timeline. Positions of different timelines cannot be compared. */
  readonly timeline: string
  readonly bytes: bigint
}

/**
 * The primary's position. A commit is flushed to the log before the client gets its result. With asynchronous commit,
 * the insert position counts.
 */
const PRIMARY: Statement = {
  name: 'viewset_primary_position',
  text: `select substr(pg_walfile_name(at), 1, 8), at - '0/0' from (select case current_setting('synchronous_commit')
    when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end) as place(at)`,
}

/**
 * A standby's replay position. Its timeline comes from its last checkpoint, which may be late but never early. A
 * primary returns no row.
 */
const STANDBY: Statement = {
  name: 'viewset_standby_position',
  text: `select lpad(upper(to_hex(timeline_id)), 8, '0'), pg_last_wal_replay_lsn() - '0/0', system_identifier
    from pg_control_checkpoint(), pg_control_system() where pg_is_in_recovery()`,
}

const SYSTEM: Statement = { text: 'select system_identifier from pg_control_system()' }

export async function primaryPosition(server: Executor): Promise<Position> {
  const { rows } = await server.run(PRIMARY, [])
  return positionOf(rows[0])
}

export async function systemOf(server: Executor): Promise<string> {
  const { rows } = await server.run(SYSTEM, [])
  return String(rows[0]?.[0])
}

/** `undefined` for a server that is not a standby. */
async function standbyPosition(server: Executor): Promise<(Position & { system: string }) | undefined> {
  const { rows } = await server.run(STANDBY, [])
  return rows[0] && { ...positionOf(rows[0]), system: String(rows[0][2]) }
}

function positionOf([timeline, bytes]: readonly unknown[] = []): Position {
  if (typeof timeline !== 'string' || typeof bytes !== 'string') {
    throw new ServiceUnavailable(undefined, undefined, new Error('The server does not tell its place in the log.'))
  }
  return { timeline, bytes: BigInt(bytes) }
}

function includes(reached: Position, needed: Position): boolean {
  return reached.timeline === needed.timeline && reached.bytes >= needed.bytes
}

/**
 * Shares one answer among concurrent callers. A caller never gets the answer to an earlier question, which would not
 * include the changes in between.
 */
export function shareAnswers<T>(ask: () => Promise<T>): () => Promise<T> {
  let sent: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined
  const send = () => {
    next = undefined
    return ask()
  }
  return () => {
    if (next) return next
    next = sent.then(send)
    sent = next.catch(() => {})
    return next
  }
}
