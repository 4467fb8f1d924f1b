import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '../../core/clock.ts'
import { reportError } from '../../core/context.ts'
import { ApiError, ConfigError, ServiceUnavailable } from '../../core/errors.ts'
import { pgFault } from '../../model/dialect/pg-faults.ts'
import type { Executor, Statement } from '../driver.ts'
import type { PostgresDriver } from './pg-driver.ts'

/** Milliseconds that a read waits for a standby at most: the primary has the same. */
const PATIENCE = 100
/** Milliseconds between two questions to one that is behind. */
const PAUSE = 2
/** Milliseconds after which one that was silent is asked whether it is still there. */
const SILENCE = 1_000
/** Milliseconds between two attempts to take one back that is left out. */
const PROBE = 1_000

/** A server that repeats what another one writes, and what is known of how far it is. */
export class Standby {
  readonly driver: PostgresDriver
  readonly #name: string
  /** What names the primary and its copies. */
  readonly #system: () => Promise<string>
  #known: Position | undefined
  #heard = Number.NEGATIVE_INFINITY
  /** When it last told how far it is. */
  #told = Number.NEGATIVE_INFINITY
  #isOut = false
  #probed = Number.NEGATIVE_INFINITY
  #question: Promise<unknown> | undefined
  #isReported = false

  constructor(driver: PostgresDriver, name: string, system: () => Promise<string>) {
    this.driver = driver
    this.#name = name
    this.#system = system
  }

  /** Whether it may be asked: it is not left out, or it is time to see whether it is back. */
  get isCandidate(): boolean {
    return !this.#isOut || performance.now() - this.#probed > PROBE
  }

  /** Whether it is known to be there and to show all of `needed`. */
  isReady(needed: Position): boolean {
    return !this.#isOut && this.#shows(needed) && performance.now() - this.#heard < SILENCE
  }

  /** Whether it shows all of `needed`, perhaps after a moment. Nobody waits for one that is left out. Never throws. */
  async reaches(needed: Position): Promise<boolean> {
    if (!this.#isOut) return this.#catchUp(needed)
    if (performance.now() - this.#probed > PROBE) {
      this.#probed = performance.now()
      void this.#catchUp(needed)
    }
    return false
  }

  /** It has answered. */
  heard(): void {
    this.#heard = performance.now()
  }

  /** Nobody reads there until it has answered again. */
  leaveOut(): void {
    this.#isOut = true
    this.#probed = performance.now()
  }

  async #catchUp(needed: Position): Promise<boolean> {
    let isOver = false
    const asking = async () => {
      // What is known of a silent one may be all that there will ever be.
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
      // Whoever asks next asks anew: this answer may never come.
      this.#question = undefined
      return false
    } finally {
      isOver = true
    }
  }

  #shows(needed: Position): boolean {
    return this.#known !== undefined && includes(this.#known, needed)
  }

  /** Any answer will do, also to an earlier question: a standby never goes back. */
  #ask(): Promise<unknown> {
    if (this.#question) return this.#question
    const question = this.#learn().finally(() => {
      if (this.#question === question) this.#question = undefined
    })
    this.#question = question
    return question
  }

  async #learn(): Promise<void> {
    if (performance.now() - this.#told < PAUSE) await sleep(PAUSE)
    const position = await standbyPosition(this.driver)
    this.heard()
    this.#told = performance.now()
    if (!position) throw new ConfigError(this.#name, 'server', 'is no standby; it is not read')
    if (position.system !== (await this.#system())) {
      throw new ConfigError(this.#name, 'server', 'is a standby of another server than the primary; it is not read')
    }
    this.#known = position
    this.#isReported = false
  }

  /** Once, until it is well again. That a server is away is for those to notice who run it. */
  #report(error: unknown): void {
    if (this.#isReported || error instanceof ApiError || pgFault(error)) return
    this.#isReported = true
    reportError(error, 'a replica is left out; its reads go to the others and to the primary')
  }
}

/** A place in the log that a server writes and others repeat: the further on, the more was committed. */
export interface Position {
  /** Servers that were promoted begin another one; places of two of them say nothing of each other. */
  readonly timeline: string
  readonly bytes: bigint
}

/**
 * Where a primary is. Each commit is in its log, on disk, before anybody is told of it; only where commits do not wait for
 * the disk is it what is yet to be written that counts.
 */
const PRIMARY: Statement = {
  name: 'viewset_primary_position',
  text: `select substr(pg_walfile_name(at), 1, 8), at - '0/0' from (select case current_setting('synchronous_commit')
    when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end) as place(at)`,
}

/**
 * Up to where a standby shows what the primary has. Its timeline is told by its last checkpoint: late, never too early.
 * A server that is no standby has no row.
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

/** What names a server and all its copies. */
export async function systemOf(server: Executor): Promise<string> {
  const { rows } = await server.run(SYSTEM, [])
  return String(rows[0]?.[0])
}

/** `undefined` for a server that is no standby. */
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

/** Whether who has come to `reached` shows all that there was at `needed`. */
function includes(reached: Position, needed: Position): boolean {
  return reached.timeline === needed.timeline && reached.bytes >= needed.bytes
}

/**
 * Shares the answers to a question among those who ask at the same time. Nobody gets one to a question that was sent before
 * they asked: it would not know what happened in between.
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
