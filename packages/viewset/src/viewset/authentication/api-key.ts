import { createHash, timingSafeEqual } from 'node:crypto'
import type { User } from '../../core/context.ts'
import { ConfigError, NotAuthenticated } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { Authenticate } from '../handle.ts'

/** Options of {@link apiKey}. */
export interface ApiKeyOptions {
  /** The users by the hash of their key. {@link hashApiKey} makes it. */
  readonly keys?: Readonly<Record<string, User>>
  /** Finds a user by the hash of the key, for keys in a table; `null` for an unknown key. */
  readonly lookup?: (hash: string) => User | null | Promise<User | null>
  /** The header of the key. Default `x-api-key`. */
  readonly header?: string
}

/** No key is longer. Hashing a longer text would only cost time. */
const MAX_KEY_LENGTH = 1_000

const CHALLENGE = 'ApiKey'

/**
 * The SHA-256 of an API key in hexadecimal, to store instead of the key. It is safe for a key of 128 or more random
 * bits, but not for a password.
 *
 * @example
 * const key = randomBytes(24).toString('base64url')
 * await createRecord(apiKeys, { hash: hashApiKey(key), user: user.id })
 */
export function hashApiKey(key: string): string {
  return digest(key).toString('hex')
}

/**
 * Finds users by a key in a header. Keys are stored as hashes and compared in constant time.
 *
 * @throws ConfigError without keys, or for a malformed hash
 * @example
 * authenticate: apiKey({ keys: { [process.env.ROBOT_KEY_HASH]: { id: 'robot', roles: ['import'] } } })
 * @example
 * authenticate: apiKey({ lookup: async hash => (await findRecords(apiKeys, eq(apiKeys.hash, hash)))[0] ?? null })
 */
export function apiKey({ keys, lookup, header = 'x-api-key' }: ApiKeyOptions): Authenticate {
  if (!keys && !lookup) throw new ConfigError('apiKey', 'keys', 'is required; give keys or a lookup')
  const known = Object.entries(keys ?? {}).map(([hash, user]) => {
    if (!/^[0-9a-f]{64}$/i.test(hash)) {
      throw new ConfigError('apiKey', 'keys', 'must be named by the hashes of the keys, as hashApiKey(key) makes them')
    }
    return { hash: Buffer.from(hash, 'hex'), user }
  })
  const name = header.toLowerCase()
  const authenticate: Authenticate = async request => {
    const key = request.headers[name]
    if (key === undefined) return null
    if (typeof key !== 'string' || key.length > MAX_KEY_LENGTH) throw refusal()
    const hash = digest(key)
    // Every hash is compared, and all have one length: the time reveals nothing about the key.
    const [match] = known.filter(entry => timingSafeEqual(entry.hash, hash))
    const user = match?.user ?? (await lookup?.(hash.toString('hex')))
    if (!user) throw refusal()
    return user
  }
  const scheme = { type: 'apiKey', in: 'header', name } as const
  return Object.assign(authenticate, { challenge: CHALLENGE, securitySchemes: { apiKey: scheme } })
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function refusal(): NotAuthenticated {
  return new NotAuthenticated(message('not_authenticated.api_key'), CHALLENGE)
}
