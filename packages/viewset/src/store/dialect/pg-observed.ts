import type pg from 'pg'
import type { ObservedExecutor, Statement } from '../driver.ts'

/** Tells of what somebody else, such as Drizzle, sends by `query` of a client of `pg`. */
export function tellQuery<T>(
  observer: ObservedExecutor,
  [query]: readonly unknown[],
  send: () => Promise<T>,
): Promise<T> {
  return observer.tell(typeof query === 'string' ? { text: query } : (query as Statement), send, rowsOf)
}

function rowsOf(result: unknown): number {
  return (result as pg.QueryResult | undefined)?.rowCount ?? 0
}

/** The clients behind those of {@link observedPool}. */
const originals = new WeakMap<object, pg.Client>()

/** The client itself, for whoever tells of its queries by other means. */
export function originalOf(client: pg.Client): pg.Client {
  return originals.get(client) ?? client
}

/** A pool as Drizzle sees it; `observer` tells of its queries, and of those of its clients. */
export function observedPool(pool: pg.Pool, observer: ObservedExecutor): pg.Pool {
  const connect = async () => {
    const client = (await pool.connect()) as pg.PoolClient & pg.Client
    const seen = new Proxy(client, { get: (_, property) => observedMember(client, property, observer) })
    originals.set(seen, client)
    return seen
  }
  return new Proxy(pool, {
    get: (_, property) => (property === 'connect' ? connect : observedMember(pool, property, observer)),
  })
}

function observedMember(target: object, property: string | symbol, observer: ObservedExecutor): unknown {
  const value: unknown = Reflect.get(target, property)
  if (typeof value !== 'function') return value
  const call = value.bind(target)
  if (property !== 'query') return call
  return (...args: unknown[]) => tellQuery(observer, args, () => call(...args))
}
