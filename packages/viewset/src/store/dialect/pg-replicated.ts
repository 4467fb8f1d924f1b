import { within } from '../../core/clock.ts'
import { reportError } from '../../core/context.ts'
import { ApiError, ConfigError } from '../../core/errors.ts'
import { refuseUnknown } from '../../core/setting-rules.ts'
import { driverError } from '../../model/dialect/fault.ts'
import { pgFault } from '../../model/dialect/pg-faults.ts'
import type { PrepareBatch, RawRow, Reader, Result, Statement } from '../connection/driver.ts'
import { PostgresDriver } from './pg-driver.ts'
import type { PostgresOptions, PostgresSource } from './pg-source.ts'
import { type Position, primaryPosition, Standby, shareAnswers, systemOf } from './pg-standby.ts'

/** Milliseconds for the primary's answer about its position, which is immediate. */
const PATIENCE = 1_000

/** A primary for the writes, and its replicas for reads. */
export interface PostgresServers {
  readonly primary: PostgresSource
  readonly replicas: readonly PostgresSource[]
}

export function isServers(source: unknown): source is PostgresServers {
  return typeof source === 'object' && source !== null && ('primary' in source || 'replicas' in source)
}

/** A primary with replicas that serve reads. No read is older than the commits before its request's first read. */
export class ReplicatedDriver extends PostgresDriver {
  readonly #standbys: readonly Standby[]
  readonly #position = shareAnswers(() => within(PATIENCE, primaryPosition(this)))
  #system: Promise<string> | undefined
  #turn = 0
  #isReported = false

  constructor(servers: PostgresServers, options: PostgresOptions) {
    checkServers(servers)
    super(servers.primary, options, 'postgres.primary')
    this.#standbys = servers.replicas.map((source, index) => {
      const name = `postgres.replicas[${index}]`
      return new Standby(new PostgresDriver(source, options, name), name, () => this.#systemName())
    })
  }

  reader(): Reader {
    return new FreshReader(this, () => this.#choose())
  }

  override async close(): Promise<void> {
    await Promise.all([super.close(), ...this.#standbys.map(({ driver }) => driver.close())])
  }

  /** A standby that has replayed all commits so far; `undefined` if none will soon. */
  async #choose(): Promise<Standby | undefined> {
    const candidates = this.#standbys.filter(({ isCandidate }) => isCandidate)
    if (candidates.length === 0) return undefined
    let needed: Position
    try {
      needed = await this.#position()
    } catch (error) {
      this.#report(error)
      return undefined
    }
    const ready = candidates.filter(standby => standby.isReady(needed))
    const asked = candidates
      .filter(standby => !ready.includes(standby))
      .map(standby => ({ standby, reached: standby.reaches(needed) }))
    if (ready.length > 0) return ready[this.#turn++ % ready.length]
    return firstOf(asked)
  }

  /** A primary that is down reports that itself at the next read. */
  #report(error: unknown): void {
    if (this.#isReported || error instanceof ApiError || pgFault(error)) return
    this.#isReported = true
    reportError(error, 'the primary does not tell how far it is: no replica is read')
  }

  #systemName(): Promise<string> {
    this.#system ??= systemOf(this).catch(error => {
      this.#system = undefined
      throw error
    })
    return this.#system
  }
}

function firstOf(asked: readonly { standby: Standby; reached: Promise<boolean> }[]): Promise<Standby | undefined> {
  const { promise, resolve } = Promise.withResolvers<Standby | undefined>()
  const answers = asked.map(async ({ standby, reached }) => {
    if (await reached) resolve(standby)
  })
  void Promise.all(answers).then(() => resolve(undefined))
  return promise
}

/** The reads of one request: from one standby as long as it answers, then from the primary. */
class FreshReader implements Reader {
  readonly #primary: PostgresDriver
  readonly #choose: () => Promise<Standby | undefined>
  #standby: Promise<Standby | undefined> | undefined

  constructor(primary: PostgresDriver, choose: () => Promise<Standby | undefined>) {
    this.#primary = primary
    this.#choose = choose
  }

  async run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    this.#standby ??= this.#choose()
    const standby = await this.#standby
    if (!standby) return this.#primary.run(statement, values)
    try {
      const result = await standby.driver.run(statement, values)
      standby.heard()
      return result
    } catch (error) {
      this.#leave(standby, error)
      return this.#primary.run(statement, values)
    }
  }

  async *stream(
    statement: Statement,
    values: readonly unknown[],
    batch: number,
    prepare?: PrepareBatch,
  ): AsyncGenerator<readonly RawRow[]> {
    this.#standby ??= this.#choose()
    const standby = await this.#standby
    if (standby) {
      let isBegun = false
      try {
        for await (const rows of standby.driver.stream(statement, values, batch, prepare)) {
          isBegun = true
          yield rows
        }
        return
      } catch (error) {
        // Rows of another server would be from another snapshot.
        if (isBegun) throw error
        this.#leave(standby, error)
      }
    }
    yield* this.#primary.stream(statement, values, batch, prepare)
  }

  /** @throws the error if the primary would fail too. */
  #leave(standby: Standby, error: unknown): void {
    if (!isOfReplica(error)) throw error
    if (mayBeGone(error)) standby.leaveOut()
    this.#standby = Promise.resolve(undefined)
  }
}

/** @throws ConfigError */
function checkServers(servers: PostgresServers): void {
  refuseUnknown('postgres', 'option', Object.keys(servers), ['primary', 'replicas'])
  const { primary, replicas }: { readonly primary?: unknown; readonly replicas?: unknown } = servers
  if (primary === undefined) {
    throw new ConfigError('postgres', 'primary', 'is required: the server that takes the writes')
  }
  if (!Array.isArray(replicas)) {
    throw new ConfigError('postgres', 'replicas', 'must be a list of addresses, such as ["postgres://db-2/shop"]')
  }
  const all: readonly unknown[] = [primary, ...replicas]
  const double = all.findIndex((source, index) => all.indexOf(source) < index)
  if (double > 0) {
    throw new ConfigError('postgres', `replicas[${double - 1}]`, 'is listed already; each server is named once')
  }
}

/** Our own statement timeout, which applies on the primary too. */
const OWN_LIMIT = '57014'
const READ_ONLY = '25006'
/** Resources that the server lacks for this statement. */
const SHORTAGES = new Set(['53200', '53400'])

/** Whether the server rather than the statement caused the failure. */
function isOfReplica(thrown: unknown): boolean {
  const kind = pgFault(thrown)?.kind
  // A conflict with replication has the code of a lost transaction.
  return (kind === 'unavailable' || kind === 'retry') && codeOf(thrown) !== OWN_LIMIT
}

function mayBeGone(thrown: unknown): boolean {
  const code = codeOf(thrown)
  return pgFault(thrown)?.kind === 'unavailable' && code !== READ_ONLY && !SHORTAGES.has(code)
}

function codeOf(thrown: unknown): string {
  const error = driverError(thrown)
  return String(error && Reflect.get(error, 'code'))
}
