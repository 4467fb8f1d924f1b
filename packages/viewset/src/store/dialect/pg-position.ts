import { ServiceUnavailable } from '../../core/errors.ts'
import type { Executor, Statement } from '../driver.ts'

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
export async function standbyPosition(server: Executor): Promise<(Position & { system: string }) | undefined> {
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
export function includes(reached: Position, needed: Position): boolean {
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
