import { createRequire } from 'node:module'
import type { User } from '../../core/context.ts'
import { ConfigError, NotAuthenticated, ServiceUnavailable } from '../../core/errors.ts'
import { inEnglish, message } from '../../core/messages/message.ts'
import type { ApiRequest } from '../../core/request.ts'
import { refuseUnknown } from '../../core/setting-rules.ts'
import type { Authenticate } from '../handle.ts'

interface Payload {
  readonly exp: number
  readonly iss?: string
  readonly aud?: string | readonly string[]
  readonly [claim: string]: unknown
}

/** The contents of a checked token. */
export interface Claims extends Payload {
  /** Never empty. */
  readonly sub: string
}

interface CommonOptions {
  /** The user of a token; `null` refuses it. Default: `sub` as the id, the claim `roles` as the roles. */
  readonly user?: (claims: Claims, request: ApiRequest) => User | null | Promise<User | null>
  /**
   * Checks `sub` if it is not a text. The returned text replaces it; `null` refuses the token. Default: a text that is
   * not empty.
   */
  readonly subject?: (sub: unknown) => string | null
  /** The word before the token in `Authorization`, such as `Token`. Default `Bearer`. */
  readonly scheme?: string
  /** The tolerated difference of clocks, in seconds. Default 5. */
  readonly clockTolerance?: number
}

/** Options of {@link bearerJwt} for tokens that the application signs itself. */
export interface JwtSecretOptions extends CommonOptions {
  /** The secret that signs the tokens, at least as long as the hash: 32 bytes for HS256. */
  readonly secret: string | Uint8Array
  readonly jwks?: never
  readonly issuer?: string | readonly string[]
  readonly audience?: string | readonly string[]
  /** The algorithms that a token may be signed with. Default `['HS256']`. */
  readonly algorithms?: readonly ('HS256' | 'HS384' | 'HS512')[]
}

/** Options of {@link bearerJwt} for tokens of an issuer with public keys. */
export interface JwtKeySetOptions extends CommonOptions {
  /** The issuer's public keys: the address of its JWKS, or the set itself. */
  readonly jwks: string | URL | { readonly keys: readonly object[] }
  readonly secret?: never
  /** The issuers of accepted tokens. */
  readonly issuer: string | readonly string[]
  /** The audiences of accepted tokens: an issuer signs tokens for other services with the same keys. */
  readonly audience: string | readonly string[]
  /** The algorithms that a token may be signed with. Default `['RS256', 'ES256', 'EdDSA']`. */
  readonly algorithms?: readonly AsymmetricAlgorithm[]
}

type AsymmetricAlgorithm = `${'RS' | 'PS' | 'ES'}${256 | 384 | 512}` | 'EdDSA'

/** Options of {@link bearerJwt}: a shared secret, or the issuer's public keys. */
export type BearerJwtOptions = JwtSecretOptions | JwtKeySetOptions

const SCHEME = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } as const

const OPTIONS = ['secret', 'jwks', 'issuer', 'audience', 'algorithms', 'user', 'subject', 'scheme', 'clockTolerance']

const SYMMETRIC: readonly string[] = ['HS256', 'HS384', 'HS512']
const ASYMMETRIC: readonly string[] = [
  ...['RS', 'PS', 'ES'].flatMap(name => [256, 384, 512].map(n => name + n)),
  'EdDSA',
]

/**
 * Finds users by a JWT in `Authorization: Bearer ...`. Needs the package `jose`.
 *
 * A token must be signed by one of `algorithms`, not be expired, have `exp` and a text `sub`, and come from `issuer`
 * for `audience`. Other tokens are refused with 401. A request without a token is anonymous.
 *
 * @throws ConfigError if `jose` is not installed, or for options that would accept unchecked tokens
 * @example
 * authenticate: bearerJwt({
 *   jwks: 'https://login.example.org/.well-known/jwks.json',
 *   issuer: 'https://login.example.org/',
 *   audience: 'atlas',
 * })
 */
export function bearerJwt(options: BearerJwtOptions): Authenticate {
  const algorithms = checkOptions(options)
  const { subject = asText, scheme: expected = 'Bearer' } = options
  const pattern = new RegExp(`^${expected}(?: +(.*))?$`, 'i')
  requireJose()
  let verifier: Promise<Verifier> | undefined
  const authenticate: Authenticate = async request => {
    const { authorization } = request.headers
    // An empty token is a bad one, not a missing one. HTTP removes a blank at the end of the header.
    const [scheme, token = ''] = pattern.exec(String(authorization)) ?? []
    if (scheme === undefined) return null
    verifier ??= import('jose').then(jose => new Verifier(jose, options, algorithms))
    const payload = await (await verifier).verify(token)
    const sub = subject(payload.sub)
    if (typeof sub !== 'string' || sub === '') throw refusal('not_authenticated.token')
    const claims: Claims = { ...payload, sub }
    const user = options.user ? await options.user(claims, request) : userOf(claims)
    if (!user) throw refusal('not_authenticated.token')
    return user
  }
  const isBearer = expected.toLowerCase() === 'bearer'
  return Object.assign(authenticate, {
    challenge: expected,
    securitySchemes: { bearer: isBearer ? SCHEME : ({ type: 'apiKey', in: 'header', name: 'authorization' } as const) },
  })
}

/** RFC 7519, 4.1.2: a subject is a text. Comparisons with a number or an object could go wrong. */
function asText(sub: unknown): string | null {
  return typeof sub === 'string' ? sub : null
}

class Verifier {
  readonly #jose: Jose
  readonly #check: (token: string) => Promise<Payload>

  constructor(jose: Jose, options: BearerJwtOptions, algorithms: readonly string[]) {
    this.#jose = jose
    const { issuer, audience, clockTolerance = 5 } = options
    const rules = {
      algorithms: [...algorithms],
      clockTolerance,
      requiredClaims: ['sub', 'exp'],
      ...(issuer !== undefined && { issuer: [issuer].flat() }),
      ...(audience !== undefined && { audience: [audience].flat() }),
    }
    const payloadOf = ({ payload }: { readonly payload: object }) => payload as Payload
    if (options.secret !== undefined) {
      const secret = bytesOf(options.secret)
      this.#check = async token => payloadOf(await jose.jwtVerify(token, secret, rules))
    } else {
      const keys = keySetOf(jose, options.jwks)
      this.#check = async token => payloadOf(await jose.jwtVerify(token, keys, rules))
    }
  }

  async verify(token: string): Promise<Payload> {
    try {
      return await this.#check(token)
    } catch (error) {
      const { JOSEError, JWKSInvalid, JWKSTimeout, JWTExpired } = this.#jose.errors
      if (error instanceof JWTExpired) throw refusal('not_authenticated.expired')
      // Jose throws its base class if the answer is no key set, which is not the client's fault.
      const isOurs = !(error instanceof JOSEError) || error.code === JOSEError.code
      if (isOurs || error instanceof JWKSTimeout || error instanceof JWKSInvalid) {
        throw new ServiceUnavailable(message('service_unavailable.keys'), 5, error)
      }
      throw refusal('not_authenticated.token')
    }
  }
}

function keySetOf(jose: Jose, jwks: JwtKeySetOptions['jwks']) {
  if (typeof jwks === 'string' || jwks instanceof URL) return jose.createRemoteJWKSet(new URL(jwks))
  return jose.createLocalJWKSet(jwks as Parameters<Jose['createLocalJWKSet']>[0])
}

function userOf({ sub, roles }: Claims): User {
  const isList = Array.isArray(roles) && roles.every(role => typeof role === 'string')
  return { id: sub, ...(isList && { roles }) }
}

/** RFC 6750, 3: the challenge names the problem of the token. */
function refusal(name: 'not_authenticated.token' | 'not_authenticated.expired'): NotAuthenticated {
  const text = message(name)
  return new NotAuthenticated(text, `Bearer error="invalid_token", error_description="${inEnglish(text)}"`)
}

function checkOptions(options: BearerJwtOptions): readonly string[] {
  const refuse = (key: string, problem: string) => new ConfigError('bearerJwt', key, problem)
  const { secret, jwks, issuer, audience } = options as {
    [K in keyof JwtSecretOptions | keyof JwtKeySetOptions]?: unknown
  }
  refuseUnknown('bearerJwt', 'option', Object.keys(options), OPTIONS)
  const { scheme = 'Bearer' } = options
  if (!/^[a-z]+$/i.test(scheme)) throw refuse('scheme', 'must be one word, such as "Token"')
  if ((secret === undefined) === (jwks === undefined)) throw refuse('secret', 'give either secret or jwks')
  const possible = secret === undefined ? ASYMMETRIC : SYMMETRIC
  const algorithms: readonly string[] =
    options.algorithms ?? (secret === undefined ? ['RS256', 'ES256', 'EdDSA'] : ['HS256'])
  const wrong = algorithms.find(algorithm => !possible.includes(algorithm))
  if (wrong !== undefined) throw refuse('algorithms', `"${wrong}" is none of ${possible.join(', ')}`)
  if (algorithms.length === 0) throw refuse('algorithms', 'name at least one')
  if (secret !== undefined) {
    const needed = Math.max(...algorithms.map(algorithm => Number(algorithm.slice(2)) / 8))
    const { length } = bytesOf(secret as string | Uint8Array)
    if (length < needed)
      throw refuse('secret', `has ${length} bytes; ${algorithms.join(', ')} needs at least ${needed}`)
  } else if (!issuer || !audience) {
    throw refuse(issuer ? 'audience' : 'issuer', 'is required with jwks')
  } else if (typeof jwks === 'string' && !URL.canParse(jwks)) {
    throw refuse('jwks', `"${jwks}" is no URL`)
  }
  return algorithms
}

function bytesOf(secret: string | Uint8Array): Uint8Array {
  return typeof secret === 'string' ? new TextEncoder().encode(secret) : secret
}

type Jose = typeof import('jose')

/** @throws ConfigError if `jose` is not installed: at start, not with the first token */
export function requireJose(resolve: (name: string) => string = createRequire(import.meta.url).resolve): void {
  try {
    resolve('jose')
  } catch {
    throw new ConfigError('bearerJwt', 'jose', 'the package is not installed; run npm install jose')
  }
}
