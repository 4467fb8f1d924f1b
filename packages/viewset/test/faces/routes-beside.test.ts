import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { SignJWT } from 'jose'
import { AllowAny, BaseViewSet, findRecords, type User } from 'viewset'
import { type Authenticate, anyOf, apiKey, authenticateRequest, bearerJwt, hashApiKey } from 'viewset/auth'
import { resources } from 'viewset/fastify'
import { createHandler } from 'viewset/fetch'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { models } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const secret = randomBytes(32)
const key = randomBytes(24).toString('base64url')
const robot: User = { id: 'robot' }
const authenticate = anyOf(bearerJwt({ secret, audience: 'shop' }), apiKey({ keys: { [hashApiKey(key)]: robot } }))
const tokenOf = (sub: string) =>
  new SignJWT({ sub, aud: 'shop' }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1h').sign(secret)

describeOneDialect('a route beside the API', dialect => {
  const tables = models(dialect.kit)
  const api = useApi(dialect, { tables, resources: {} })
  const authors = BaseViewSet({
    model: tables.authors,
    serializer: serializers(tables).AuthorReference,
    permissionClasses: [AllowAny],
  })
  const options = () => ({ prefix: '/api', database: api.database, authenticate, resources: { authors } })

  /** Each has the route `/me`, which answers with the user. */
  const servers: readonly (readonly [
    name: string,
    start: () => Promise<{ url: string; close(): Promise<unknown> }>,
  ])[] = [
    [
      'Fastify',
      async () => {
        const app = Fastify()
        await app.register(resources, options())
        app.get('/me', async request => ({ user: await authenticateRequest(authenticate, request) }))
        return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() }
      },
    ],
    [
      'Express',
      async () => {
        const app = express().set('env', 'test')
        app.get('/me', async (request, response) => {
          response.json({ user: await authenticateRequest(authenticate, request) })
        })
        return listening(app.listen(0, '127.0.0.1'))
      },
    ],
    [
      'Hono',
      async () => {
        const app = new Hono()
        const handler = createHandler(options())
        app.get('/me', async c => c.json({ user: await authenticateRequest(authenticate, c.req.raw) }))
        app.onError((error, c) => handler.refuse(error, c.req.raw))
        return listening(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server)
      },
    ],
  ]

  describe.each(servers)('of %s', (_, start) => {
    let server: Awaited<ReturnType<typeof start>>
    beforeAll(async () => {
      server = await start()
    })
    afterAll(() => server.close())
    const ask = (headers: Record<string, string> = {}) => fetch(`${server.url}/me?x=1`, { headers })

    test('knows the user of the API', async () => {
      const byToken = await ask({ authorization: `Bearer ${await tokenOf('ann')}` })
      expect([byToken.status, await byToken.json()]).toEqual([200, { user: { id: 'ann' } }])
      expect(await (await ask({ 'x-api-key': key })).json()).toEqual({ user: robot })
    })

    test('knows an anonymous request', async () => {
      expect(await (await ask()).json()).toEqual({ user: null })
    })

    test('refuses wrong credentials with the status and the challenge of the API', async () => {
      const refused = await ask({ authorization: 'Bearer stolen' })
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer error="invalid_token", error_description="The token is not valid."',
      ])
    })
  })

  test('gives authenticate the request as the API does', async () => {
    const seen: unknown[] = []
    const looking: Authenticate = ({ method, path, search, query, origin, params, headers, native }) => {
      seen.push([method, path, search, { ...query }, origin, params, headers['x-a'], typeof native])
      return null
    }
    const expected = ['GET', '/a/7', 'b=1&b=2', { b: ['1', '2'] }, 'http://shop.example:81']
    const app = Fastify()
    app.get('/a/:id', request => authenticateRequest(looking, request))
    await app.inject({ url: '/a/7?b=1&b=2', headers: { host: 'shop.example:81', 'x-a': '1' } })
    await authenticateRequest(looking, new Request('http://shop.example:81/a/7?b=1&b=2', { headers: { 'X-A': '1' } }))
    expect(seen).toEqual([
      [...expected, { id: '7' }, '1', 'object'],
      [...expected, {}, '1', 'object'],
    ])
  })

  test('may read users from a database that its caller names', async () => {
    const byRecord: Authenticate = async () => {
      const [found] = await findRecords(tables.users)
      return found ? { id: found.id } : null
    }
    const request = new Request('http://shop.example/')
    expect(await api.database.use(() => authenticateRequest(byRecord, request))).toBeNull()
  })
})

async function listening(server: Server) {
  if (!server.listening) await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => server.close(),
  }
}
