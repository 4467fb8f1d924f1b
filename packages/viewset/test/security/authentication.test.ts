import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eq } from 'drizzle-orm'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { AllowAny, BaseViewSet, ConfigError, findRecords, IsAuthenticated, NotAuthenticated, type User } from 'viewset'
import { type Authenticate, anyOf, apiKey, type BearerJwtOptions, bearerJwt, hashApiKey } from 'viewset/auth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requireJose } from '../../src/viewset/authentication/bearer-jwt.ts'
import { type TestApi, type TestResponse, useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError, expectSuccess, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const secret = randomBytes(32).toString('hex')
const bytes = new TextEncoder().encode(secret)
const issuer = 'https://login.example.org/'
const audience = 'atlas'
const NOBODY = 'Authentication credentials were not provided.'

const valid = () =>
  new SignJWT({ roles: ['staff'] })
    .setSubject(uuid(901))
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime('1h')
const signed = (token: SignJWT, key: Parameters<SignJWT['sign']>[0] = bytes, alg = 'HS256', kid?: string) =>
  token.setProtectedHeader({ alg, ...(kid && { kid }) }).sign(key)

function expectRefused(response: TestResponse, message: string, challenge: string) {
  expectError(response, 401, message)
  expect(response.headers['www-authenticate']).toBe(challenge)
}
function expectBadToken(response: TestResponse, message = 'The token is not valid.') {
  expectRefused(response, message, `Bearer error="invalid_token", error_description="${message}"`)
}
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describeOneDialect('authentication', dialect => {
  const tables = models(dialect.kit)
  const { AuthorReference } = serializers(tables)
  const whoami = {
    method: 'GET',
    detail: false,
    handler: (view: { readonly user: User | null }) => view.user,
  } as const
  const resources = {
    known: BaseViewSet({
      model: tables.authors,
      serializer: AuthorReference,
      permissionClasses: [IsAuthenticated],
      actions: { whoami },
    }),
    open: BaseViewSet({
      model: tables.authors,
      serializer: AuthorReference,
      permissionClasses: [AllowAny],
      actions: { whoami },
    }),
  }
  const useAuthenticated = (options: BearerJwtOptions) =>
    useApi(dialect, { tables, resources, authenticate: bearerJwt(options) })

  describe('by code without types that has found no user', () => {
    const nobody = (() => undefined) as unknown as Authenticate
    const api = useApi(dialect, { tables, resources, authenticate: nobody })

    test('lets nobody in', async () => {
      expectRefused(await api.get('/known/'), NOBODY, 'Bearer')
      expect((await api.get('/open/')).status).toBe(200)
    })
  })

  describe("by a JWT whose subjects are the application's own", () => {
    const seen: unknown[] = []
    const api = useAuthenticated({
      secret,
      subject: sub => (Number.isSafeInteger(sub) ? `user-${sub}` : null),
      user: ({ sub }) => {
        seen.push(sub)
        return { id: sub }
      },
    })
    const ask = async (sub: unknown) =>
      api.get('/known/whoami/', bearer(await signed(new SignJWT({ sub: sub as string }).setExpirationTime('1h'))))

    test('its rule makes the subject that everybody sees, or refuses it', async () => {
      expectSuccess(await ask(7), 200, { data: { id: 'user-7' } })
      expect(seen.splice(0)).toEqual(['user-7'])
      for (const sub of ['7', '', 7.5, { id: 7 }]) expectBadToken(await ask(sub))
      expect(seen).toEqual([])
    })
  })

  describe('by a JWT with a secret', () => {
    const api = useAuthenticated({ secret, issuer, audience })

    test("the subject is the user, with the token's roles", async () => {
      const token = await signed(valid())
      expectSuccess(await api.get('/known/whoami/', bearer(token)), 200, { data: { id: uuid(901), roles: ['staff'] } })
      const lower = { headers: { authorization: `bearer ${token}` } }
      expectSuccess(await api.get('/known/whoami/', lower), 200, { data: { id: uuid(901), roles: ['staff'] } })
    })

    test.each([[''], [0], [7], [true], [null], [{ $ne: null }], [['ann']]])(
      'a subject that is no text, or none at all, is refused: %j',
      async sub => {
        const token = signed(new SignJWT({ sub: sub as string, iss: issuer, aud: audience }).setExpirationTime('1h'))
        expectBadToken(await api.get('/known/whoami/', bearer(await token)))
        expectBadToken(await api.get('/open/', bearer(await token)))
      },
    )

    test('is recorded as the creator', async () => {
      expect((await api.post('/known/', { name: 'Ada' }, bearer(await signed(valid())))).status).toBe(201)
      expect((await api.rows('authors')).flat()).toContain(uuid(901))
    })

    test('roles that are no list of names are none', async () => {
      for (const roles of ['admin', [1], { admin: true }]) {
        const token = await signed(
          new SignJWT({ roles }).setSubject('x').setIssuer(issuer).setAudience(audience).setExpirationTime('1h'),
        )
        expectSuccess(await api.get('/known/whoami/', bearer(token)), 200, { data: { id: 'x' } })
      }
    })

    test('without a token, nobody is asking', async () => {
      expectRefused(await api.get('/known/'), `${NOBODY} Send the header "Authorization: Bearer <token>".`, 'Bearer')
      expectSuccess(await api.get('/open/whoami/'), 200, { data: null })
      expectSuccess(await api.get('/open/whoami/', { headers: { authorization: 'Basic YTpi' } }), 200, { data: null })
    })

    test.each<[string, () => Promise<string> | string]>([
      ['another secret', () => signed(valid(), randomBytes(32))],
      ['an algorithm that is not named', () => signed(valid(), randomBytes(64), 'HS512')],
      ['alg: none', () => new UnsecuredJWT({ sub: 'x', exp: 9999999999, iss: issuer, aud: audience }).encode()],
      ['another issuer', () => signed(valid().setIssuer('https://evil.example.org/'))],
      ['another audience', () => signed(valid().setAudience('other'))],
      ['no audience', () => signed(new SignJWT({ sub: 'x', iss: issuer }).setExpirationTime('1h'))],
      ['no subject', () => signed(new SignJWT({}).setIssuer(issuer).setAudience(audience).setExpirationTime('1h'))],
      ['no expiry', () => signed(new SignJWT({ sub: 'x' }).setIssuer(issuer).setAudience(audience))],
      ['a time before which it must not be used', () => signed(valid().setNotBefore('1h'))],
      ['nothing in it', () => ''],
      ['no JWT', () => 'abc'],
      ['half a JWT', async () => (await signed(valid())).slice(0, 60)],
      [
        'a changed payload',
        async () => {
          const [head, , signature] = (await signed(valid())).split('.')
          return `${head}.${Buffer.from(JSON.stringify({ sub: 'admin', exp: 9999999999, iss: issuer, aud: audience })).toString('base64url')}.${signature}`
        },
      ],
      ['a hundred dots', () => '.'.repeat(100)],
      ['broken JSON', () => `${Buffer.from('{').toString('base64url')}.e30.x`],
    ])('refuses %s, also where anybody may ask', async (_, token) => {
      expectBadToken(await api.get('/known/', bearer(await token())))
      expectBadToken(await api.get('/open/', bearer(await token())))
    })

    test('refuses a scheme without a token, as HTTP delivers an empty one', async () => {
      const empty = { headers: { authorization: 'Bearer' } }
      expectBadToken(await api.get('/known/', empty))
      expectBadToken(await api.get('/open/', empty))
    })

    test('refuses an expired one, and says so', async () => {
      const token = await signed(valid().setExpirationTime(Math.floor(Date.now() / 1000) - 60))
      expectBadToken(await api.get('/known/', bearer(token)), 'The token has expired.')
      const almost = await signed(valid().setExpirationTime(Math.floor(Date.now() / 1000) - 2))
      expect((await api.get('/known/', bearer(almost))).status).toBe(200)
    })

    test('a refused token asks no database', async () => {
      expect(await api.statementsOf(() => api.get('/open/', bearer('abc')))).toEqual([])
    })
  })

  describe('the challenge to who brings no credentials', () => {
    const challengeOf = (authenticate: Authenticate) => {
      const api = useApi(dialect, { tables, resources, authenticate })
      return async () => {
        const response = await api.get('/known/')
        const { message } = response.envelope()
        expectError(response, 401, message)
        expect(message).toContain(NOBODY)
        return [response.headers['www-authenticate'], message.slice(NOBODY.length)]
      }
    }
    const token = '"Authorization: Bearer <token>"'
    const key = '"x-api-key: <key>"'
    const byKey = apiKey({ keys: {} })
    const byToken = bearerJwt({ secret })
    const cases = [
      ['Bearer', ` Send the header ${token}.`, challengeOf(byToken)],
      ['ApiKey', ` Send the header ${key}.`, challengeOf(byKey)],
      ['Bearer, ApiKey', ` Send the header ${token} or ${key}.`, challengeOf(anyOf(byToken, byKey))],
      ['ApiKey', ` Send the header ${key}.`, challengeOf(anyOf(byKey, () => null))],
      ['Bearer', '', challengeOf(() => null)],
      ['Basic realm="shop"', '', challengeOf(Object.assign(() => null, { challenge: 'Basic realm="shop"' }))],
    ] as const

    test.each(cases)('is %s, and the message names the header:%s', async (challenge, hint, ask) => {
      expect(await ask()).toEqual([challenge, hint])
    })
  })

  describe("by a JWT, with a user of one's own", () => {
    const api = useAuthenticated({
      secret: bytes,
      algorithms: ['HS512', 'HS256'].slice(1) as ['HS256'],
      user: async ({ sub }) => {
        const [user] = await findRecords(tables.users, eq(tables.users.username, sub))
        return user ? { id: user.id, roles: ['known'] } : null
      },
    })

    test('the claims are looked up in the database', async () => {
      await seed(api.database, tables, { users: [{ id: uuid(5), username: 'ann', password: 'x' }] })
      const token = (name: string) => signed(new SignJWT({}).setSubject(name).setExpirationTime('1h'))
      expectSuccess(await api.get('/known/whoami/', bearer(await token('ann'))), 200, {
        data: { id: uuid(5), roles: ['known'] },
      })
      expectBadToken(await api.get('/known/whoami/', bearer(await token('bob'))))
    })
  })

  describe('by a JWT after another word', () => {
    const api = useAuthenticated({ secret: bytes, scheme: 'Token' })

    test('the word is read as it is set, and named in the challenge', async () => {
      const token = await signed(new SignJWT({}).setSubject('ann').setExpirationTime('1h'))
      const known = await api.get('/known/whoami/', { headers: { authorization: `token ${token}` } })
      expect(known.data()).toEqual({ id: 'ann' })
      const other = await api.get('/known/whoami/', bearer(token))
      expect([other.status, other.headers['www-authenticate']]).toEqual([401, 'Token'])
      expect(() => bearerJwt({ secret: bytes, scheme: 'two words' })).toThrow(/scheme: must be one word/)
    })
  })

  describe('by an API key', () => {
    const key = randomBytes(24).toString('base64url')
    const robot = { id: 'robot', roles: ['import'] }
    const api = useApi(dialect, { tables, resources, authenticate: apiKey({ keys: { [hashApiKey(key)]: robot } }) })
    const looked = useApi(dialect, {
      tables,
      resources,
      authenticate: apiKey({
        header: 'X-Robot',
        lookup: async hash => {
          const [user] = await findRecords(tables.users, eq(tables.users.password, hash))
          return user ? { id: user.id } : null
        },
      }),
    })
    const send = (from: TestApi, name: string, value: string) =>
      from.get('/open/whoami/', { headers: { [name]: value } })

    test('its user asks', async () => {
      expectSuccess(await send(api, 'x-api-key', key), 200, { data: robot })
      expectSuccess(await api.get('/open/whoami/'), 200, { data: null })
    })

    test.each(['', 'x', 'constructor', hashApiKey(key), `${key} `.repeat(2), 'x'.repeat(2000)])(
      'refuses %j',
      async value => {
        expectRefused(await send(api, 'x-api-key', value), 'The API key is not valid.', 'ApiKey')
      },
    )

    test('may be kept in a table, as its hash', async () => {
      await seed(looked.database, tables, { users: [{ id: uuid(7), username: 'robot', password: hashApiKey(key) }] })
      expectSuccess(await send(looked, 'x-robot', key), 200, { data: { id: uuid(7) } })
      expectRefused(await send(looked, 'x-robot', 'other'), 'The API key is not valid.', 'ApiKey')
      expectSuccess(await send(looked, 'x-api-key', key), 200, { data: null })
    })
  })

  describe('by any of several', () => {
    const key = 'k'.repeat(32)
    const other = randomBytes(32)
    const api = useApi(dialect, {
      tables,
      resources,
      authenticate: anyOf(
        bearerJwt({ secret, issuer, audience }),
        bearerJwt({ secret: other, issuer: 'https://other.example.org/' }),
        apiKey({ keys: { [hashApiKey(key)]: { id: 'robot' } } }),
      ),
    })

    test('the first that knows the user decides', async () => {
      const second = await signed(
        new SignJWT({ sub: 'second', iss: 'https://other.example.org/' }).setExpirationTime('1h'),
        other,
      )
      expectSuccess(await api.get('/known/whoami/', bearer(await signed(valid()))), 200, {
        data: { id: uuid(901), roles: ['staff'] },
      })
      expectSuccess(await api.get('/known/whoami/', bearer(second)), 200, { data: { id: 'second' } })
      expectSuccess(await api.get('/known/whoami/', { headers: { 'x-api-key': key } }), 200, { data: { id: 'robot' } })
    })

    test('credentials that nobody knows are refused', async () => {
      expectBadToken(await api.get('/open/', bearer('abc')))
      expectRefused(await api.get('/open/', { headers: { 'x-api-key': 'x' } }), 'The API key is not valid.', 'ApiKey')
      expectSuccess(await api.get('/open/whoami/'), 200, { data: null })
    })
  })
})

describe("by a JWT with an issuer's keys", () => {
  let server: Server
  let address: string
  let answer: () => [number, string] = () => [500, '']
  beforeAll(async () => {
    server = createServer((_, response) => {
      const [status, body] = answer()
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`
  })
  afterAll(() => void server.close())

  const ask = (options: BearerJwtOptions, token: string) =>
    bearerJwt(options)({ headers: { authorization: `Bearer ${token}` } } as never)
  const pair = async (alg: string, kid: string) => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
    return { privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), alg, kid } }
  }

  test('from its address, and given as they are', async () => {
    const { privateKey, jwk } = await pair('ES256', 'a')
    const another = await pair('RS256', 'b')
    const keys = { keys: [jwk, another.jwk] }
    answer = () => [200, JSON.stringify(keys)]
    for (const jwks of [address, new URL(address), keys]) {
      const options = { jwks, issuer, audience }
      expect(await ask(options, await signed(valid(), privateKey, 'ES256', 'a'))).toEqual({
        id: uuid(901),
        roles: ['staff'],
      })
      expect(await ask(options, await signed(valid(), another.privateKey, 'RS256', 'b'))).toMatchObject({
        id: uuid(901),
      })
      const unknown = await signed(valid(), privateKey, 'ES256', 'zzz')
      await expect(ask(options, unknown)).rejects.toBeInstanceOf(NotAuthenticated)
      const forOthers = await signed(valid().setAudience('others'), privateKey, 'ES256', 'a')
      await expect(ask(options, forOthers)).rejects.toBeInstanceOf(NotAuthenticated)
    }
  })

  test('a public key is no secret: HS256 with it is refused', async () => {
    const { jwk } = await pair('RS256', 'a')
    const forged = await signed(valid(), new TextEncoder().encode(JSON.stringify(jwk)), 'HS256', 'a')
    await expect(ask({ jwks: { keys: [jwk] }, issuer, audience }, forged)).rejects.toMatchObject({ status: 401 })
  })

  test("an issuer that does not answer is nobody's bad token", async () => {
    const { privateKey } = await pair('ES256', 'a')
    const token = await signed(valid(), privateKey, 'ES256', 'a')
    const options = { jwks: address, issuer, audience }
    for (const bad of [
      [500, ''],
      [200, 'no json'],
      [200, '{}'],
    ] as [number, string][]) {
      answer = () => bad
      await expect(ask(options, token)).rejects.toMatchObject({ status: 503 })
    }
    await expect(ask({ ...options, jwks: 'http://127.0.0.1:9/jwks.json' }, token)).rejects.toMatchObject({
      status: 503,
    })
  })
})

describe('options that would let anybody in stop the start', () => {
  test.each<[string, object, string]>([
    ['nothing', {}, 'secret: give either secret or jwks'],
    ['both', { secret, jwks: 'https://x.org/' }, 'secret: give either secret or jwks'],
    ['a short secret', { secret: 'short' }, 'secret: has 5 bytes; HS256 needs at least 32'],
    ['a secret too short for its algorithm', { secret: 'x'.repeat(32), algorithms: ['HS512'] }, 'needs at least 64'],
    ['none', { secret, algorithms: ['none'] }, 'algorithms: "none" is none of HS256, HS384, HS512'],
    ['no algorithm', { secret, algorithms: [] }, 'algorithms: name at least one'],
    ['a secret for public keys', { secret, algorithms: ['RS256'] }, 'algorithms: "RS256" is none of'],
    [
      'public keys as secrets',
      { jwks: 'https://x.org/', issuer, audience, algorithms: ['HS256'] },
      'algorithms: "HS256" is none of',
    ],
    ['keys of whatever issuer', { jwks: 'https://x.org/', audience }, 'issuer: is required with jwks'],
    ['keys for whatever audience', { jwks: 'https://x.org/', issuer }, 'audience: is required with jwks'],
    ['keys at no address', { jwks: 'x', issuer, audience }, 'jwks: "x" is no URL'],
  ])('%s', (_, options, problem) => {
    expect(() => bearerJwt(options as never)).toThrow(ConfigError)
    expect(() => bearerJwt(options as never)).toThrow(problem)
  })

  test('no keys, or a key instead of its hash', () => {
    expect(() => apiKey({})).toThrow('keys: is required; give keys or a lookup')
    expect(() => apiKey({ keys: { key: { id: 1 } } })).toThrow('must be named by the hashes of the keys')
  })

  test('a missing package is named with the command that installs it', () => {
    const missing = () => {
      throw new Error('Cannot find module')
    }
    expect(() => requireJose(missing)).toThrow('bearerJwt: jose: the package is not installed; run npm install jose')
  })
})
