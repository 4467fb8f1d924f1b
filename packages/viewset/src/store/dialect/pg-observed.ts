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

/** A pool as Drizzle sees it; `observer` tells of its queries. */
export function observedPool<C extends pg.Pool | pg.PoolClient>(pool: C, observer: ObservedExecutor): C {
  return new Proxy(pool, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property)
      if (typeof value !== 'function') return value
      const call = value.bind(target)
      if (property === 'query') return (...args: unknown[]) => tellQuery(observer, args, () => call(...args))
      if (property === 'connect') return async () => observedPool((await call()) as pg.PoolClient, observer)
      return call
    },
  })
}
