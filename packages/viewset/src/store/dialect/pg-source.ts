import { default as pg } from 'pg'
import { ConfigError } from '../../core/errors.ts'
import { checkNumber, refuseUnknown } from '../../core/setting-rules.ts'
import type { SessionSettings } from './pg-session.ts'

/** A PostgreSQL database: an address, a configuration or pool of `pg`, or Drizzle's database on a pool. */
export type PostgresSource = string | pg.PoolConfig | pg.Pool | { readonly $client: pg.Pool }

/** Options of {@link postgres}, for each of its servers. */
export interface PostgresOptions {
  /** Most connections. Default 10. */
  readonly poolSize?: number
  /** Milliseconds to wait for a free connection before answering 503. Default 5,000. */
  readonly connectTimeout?: number
  /**
   * Milliseconds that a statement may take. Default 30,000. Behind a pooler, only statements in transactions have this
   * limit.
   */
  readonly statementTimeout?: number
  /** Milliseconds that a transaction may be idle before the server ends it. Default 300,000. */
  readonly idleTransactionTimeout?: number
  /** Whether statements are kept prepared. Default: yes, unless a pooler is in between. */
  readonly namedStatements?: boolean
}

const NAMES = {
  poolSize: 'max',
  connectTimeout: 'connectionTimeoutMillis',
  statementTimeout: 'statement_timeout',
  idleTransactionTimeout: 'idle_in_transaction_session_timeout',
} as const
const SHARED = Object.keys(NAMES) as (keyof typeof NAMES)[]

const MOST_CONNECTIONS = 10_000

type Introduce = (client: pg.Client, settings: SessionSettings) => Promise<unknown>

interface PoolSource {
  readonly pool: pg.Pool
  /** Whether the application made the pool. Then it closes the pool and chooses the session settings. */
  readonly isForeign: boolean
}

/** @throws ConfigError for an invalid database, and for options that do not fit it. */
export function openPool(
  source: PostgresSource,
  options: PostgresOptions,
  name: string,
  introduce: Introduce,
): PoolSource {
  refuseUnknown(name, 'option', Object.keys(options), [...SHARED, 'namedStatements'])
  checkNumber(name, 'poolSize', options.poolSize ?? 1, 1, MOST_CONNECTIONS)
  const given: unknown = isObject(source) && '$client' in source ? source.$client : source
  if (!isPool(given)) return { pool: ownPool(configOf(given, name), options, name, introduce), isForeign: false }
  const option = SHARED.find(key => options[key] !== undefined)
  if (option) throw new ConfigError(name, option, `your own pool decides that; make it with "${NAMES[option]}"`)
  return { pool: given, isForeign: true }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Not by class: the application may have its own copy of `pg`. */
function isPool(value: unknown): value is pg.Pool {
  return value instanceof pg.Pool || (isObject(value) && 'totalCount' in value && 'connect' in value)
}

function configOf(given: unknown, name: string): pg.PoolConfig {
  // Without an address, pg would use the environment or the local server.
  if (given === undefined || given === '') {
    throw new ConfigError(name, 'url', 'is required, such as "postgres://user:password@localhost/shop"')
  }
  if (typeof given === 'string') return { connectionString: checkAddress(given, name) }
  if (!isObject(given) || 'query' in given || 'session' in given) {
    throw new ConfigError(
      name,
      'database',
      'must be an address, a configuration or a Pool of "pg", or a database of "drizzle-orm/node-postgres" on a Pool',
    )
  }
  const misplaced = SHARED.find(key => key in given)
  if (misplaced) throw new ConfigError(name, misplaced, 'belongs into the options, the second argument')
  if (!('connectionString' in given || 'host' in given)) {
    throw new ConfigError(name, 'host', 'the configuration needs a "host" or a "connectionString"')
  }
  const config = given as pg.PoolConfig
  if (config.connectionString !== undefined) checkAddress(config.connectionString, name)
  return config
}

function ownPool(config: pg.PoolConfig, options: PostgresOptions, name: string, introduce: Introduce): pg.Pool {
  const double = SHARED.find(key => options[key] !== undefined && config[NAMES[key]] !== undefined)
  if (double) throw new ConfigError(name, double, `the configuration has it as "${NAMES[double]}"; give one of them`)
  const { poolSize, connectTimeout, statementTimeout = 30_000, idleTransactionTimeout = 300_000 } = options
  const ours = { statement_timeout: statementTimeout, idle_in_transaction_session_timeout: idleTransactionTimeout }
  // `pg` itself applies the settings of its configuration.
  const settings = Object.entries(ours).flatMap(([key, value]) =>
    Reflect.get(config, key) === undefined ? [[key, Math.trunc(value)]] : [],
  )
  return new pg.Pool({
    Client: UtcClient,
    ...config,
    max: poolSize ?? config.max ?? 10,
    connectionTimeoutMillis: connectTimeout ?? config.connectionTimeoutMillis ?? 5_000,
    onConnect: async client => {
      await config.onConnect?.(client)
      await introduce(client as pg.Client, Object.fromEntries(settings))
    },
  })
}

/** `pg` collects the parameters of a new session here; its types omit it. */
interface StartsSession {
  getStartupConf(): Readonly<Record<string, string>>
}

const StartingClient = pg.Client as unknown as new (config?: pg.ClientConfig) => pg.Client & StartsSession

/**
 * A session in UTC with ISO dates. Poolers reject most startup parameters but keep these two for each client: Java's
 * driver always sends them.
 */
class UtcClient extends StartingClient {
  override getStartupConf(): Readonly<Record<string, string>> {
    return { ...super.getStartupConf(), TimeZone: 'UTC', DateStyle: 'ISO' }
  }
}

const EXAMPLE = 'postgres://user:password@localhost:5432/shop'

/** A URL or the folder of a socket. `pg` would read anything else as a database on `localhost`. */
const ADDRESS = /^(?:postgres(?:ql)?:\/\/|socket:|\/)/i

/** `host:port/database`, as for other programs. User and password are optional. */
const WITHOUT_SCHEME = /^(?:[^/?#]*@)?([\w.-]+(?::\d+)?\/\w.*|[\w.-]+:\d+\/?)$/

/** @throws ConfigError for an address that is not PostgreSQL's; passwords are not repeated. */
function checkAddress(address: string, name: string): string {
  if (!ADDRESS.test(address)) {
    throw new ConfigError(name, 'url', `must begin with "postgres://"; write "${meantBy(address) ?? EXAMPLE}"`)
  }
  try {
    // The constructor parses the address and does not connect.
    new pg.Client({ connectionString: address })
  } catch {
    throw new ConfigError(name, 'url', `is not a valid address; write it like "${EXAMPLE}"`)
  }
  return address
}

function meantBy(address: string): string | undefined {
  const [, place] = WITHOUT_SCHEME.exec(address) ?? []
  if (place === undefined || place.startsWith('postgres:')) return undefined
  return `postgres://${address.includes('@') ? 'user:password@' : ''}${place}`
}
