import { ConfigError } from '../../core/errors.ts'
import { checkOptions, setting } from '../../core/setting-rules.ts'
import { missingPackages } from '../../tabular/errors.ts'

/** What is used of a `PgBoss` of the application's own. */
export interface Boss {
  createQueue(name: string, options: object): Promise<void>
  send(name: string, data: object, options: object): Promise<string | null>
  work(name: string, options: object, handler: (jobs: BossJob[]) => Promise<void>): Promise<string>
  offWork(name: string, options: { readonly wait: boolean }): Promise<void>
}

/** A job of ours, as pg-boss hands it out. */
export interface BossJob {
  readonly data: { readonly id: string }
  readonly signal: AbortSignal
}

/** What is used of a pool of `pg`. */
export interface BossPool {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** A database by its address, a pool of yours on it, or a `PgBoss` that you start and stop. */
export type PgBossSource = string | BossPool | Boss

/** Options of {@link pgBossQueue}. */
export interface PgBossQueueOptions {
  /** Jobs that run at the same time in one worker. Default 2: a short one does not wait for a long one. */
  readonly concurrency?: number
  /** The schema of pg-boss's tables, which it makes and keeps up to date. Default `pgboss`. */
  readonly schema?: string
  /** The name of the queue, where several applications share a schema. Default `viewset`. */
  readonly name?: string
}

const RULES = { concurrency: setting.wholeNumber, schema: setting.text, name: setting.text }

/** @throws ConfigError */
export function checkPgBossOptions(source: PgBossSource, options: PgBossQueueOptions): void {
  checkOptions('pgBossQueue', RULES, options)
  if (isBoss(source)) {
    if (options.schema === undefined) return
    throw new ConfigError('pgBossQueue', 'schema', 'your PgBoss decides that; make it with "schema"')
  }
  if (!isPool(source) && !(typeof source === 'string' && source !== '')) {
    throw new ConfigError('pgBossQueue', 'source', 'must be an address, a pool of pg, or a PgBoss')
  }
  if (missingPackages(['pg-boss']).length === 0) return
  throw new ConfigError('pgBossQueue', 'source', 'needs a package that is not installed: npm install pg-boss')
}

export function isBoss(source: unknown): source is Boss {
  return typeof source === 'object' && source !== null && 'createQueue' in source
}

export function isPool(source: unknown): source is BossPool {
  return typeof source === 'object' && source !== null && 'query' in source
}
