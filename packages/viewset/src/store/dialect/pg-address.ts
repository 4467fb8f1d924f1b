import pg from 'pg'
import { ConfigError } from '../../core/errors.ts'

const EXAMPLE = 'postgres://user:password@localhost:5432/shop'

/** A URL, or the folder of a socket, as `pg` reads them. It would read anything else as a database on `localhost`. */
const ADDRESS = /^(?:postgres(?:ql)?:\/\/|socket:|\/)/i

/** `host:port/database`, as it is written for other programs; the user and the password are optional. */
const WITHOUT_SCHEME = /^(?:[^/?#]*@)?([\w.-]+(?::\d+)?\/\w.*|[\w.-]+:\d+\/?)$/

/** @throws ConfigError for what is no address of PostgreSQL; passwords are not repeated. */
export function checkAddress(address: string, name: string): string {
  if (!ADDRESS.test(address)) {
    throw new ConfigError(name, 'url', `must begin with "postgres://"; write "${meantBy(address) ?? EXAMPLE}"`)
  }
  try {
    // It reads the address, and connects only when it is asked to.
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
