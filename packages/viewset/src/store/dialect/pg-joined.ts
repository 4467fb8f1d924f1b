import { is } from 'drizzle-orm'
import { PgTransaction } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import { ConfigError } from '../../core/errors.ts'
import { originalOf } from './pg-observed.ts'
import { isIdle } from './pg-session.ts'

/**
 * The connection of a transaction that the application began.
 *
 * @throws ConfigError for anything but Drizzle's `tx` of node-postgres or a client of `pg`, with an open transaction.
 */
export function clientOf(transaction: unknown): pg.Client {
  // A transaction of Drizzle's knows its connection, but tells only itself.
  const client = is(transaction, PgTransaction)
    ? Reflect.get(Reflect.get(transaction, 'session') as object, 'client')
    : transaction
  if (!isClient(client)) {
    throw new ConfigError(
      'withTransaction',
      'tx',
      'must be what transaction() of a "drizzle-orm/node-postgres" database hands out, or a client of "pg"',
    )
  }
  if (isIdle(client)) {
    throw new ConfigError(
      'withTransaction',
      'tx',
      'no transaction is open on it; begin one, and wait for the end of fn',
    )
  }
  return originalOf(client)
}

function isClient(value: unknown): value is pg.Client {
  return typeof value === 'object' && value !== null && 'escapeLiteral' in value && 'query' in value
}
