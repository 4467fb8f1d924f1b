import type { RequestListener } from 'node:http'
import { createHandler, type TrustProxy } from 'viewset/node'
import { describeFaces, type Face } from 'viewset-faces'
import { afterAll, describe, expect, test } from 'vitest'
import { expectError, nonField } from '../support/expect.ts'
import { askOver, onNode, serveNode } from '../support/faces.ts'

describeFaces({ describe, test, after: afterAll }, onNode)

describe('trustProxy', () => {
  const trusting = (trustProxy: TrustProxy): Face => ({
    name: 'node:http',
    start(options) {
      const handler = createHandler({ ...options, trustProxy })
      return serveNode(handler, handler)
    },
  })
  const forwarded = { 'x-forwarded-host': 'evil.example, api.example.org', 'x-forwarded-proto': 'http, https' }

  test.each<[TrustProxy, boolean]>([
    [true, true],
    ['loopback', true],
    ['10.0.0.0/8, 127.0.0.0/8', true],
    [['127.0.0.1'], true],
    [false, false],
    ['10.0.0.0/8', false],
  ])('of %j takes the word of 127.0.0.1: %s', (trustProxy, isTrusted) =>
    askOver(trusting(trustProxy), async (api, context) => {
      await context.store(['one', 'two'])
      const { next } = (await api.ask('/notes/?page_size=1', { headers: forwarded })).envelope()
      const origin = isTrusted ? 'https://api.example.org/v1/api' : api.url
      expect(next).toBe(`${origin}/notes/?page_size=1&page=2`)
    }),
  )

  test('does not make a host of what is none', () =>
    askOver(trusting(true), async (api, context) => {
      await context.store(['one', 'two'])
      for (const host of ['evil.example/path', '"><script>', 'a b', 'user@evil.example']) {
        const answer = await api.ask('/notes/?page_size=1', { headers: { 'x-forwarded-host': host } })
        expect(answer.status).toBe(400)
        expect(answer.text).not.toContain(host)
      }
    }))

  test.each(['javascript', 'https://evil.example/x?y=', '"><script>'])('does not make a link of %s', proto =>
    askOver(trusting(true), async api => {
      const answer = await api.ask('/', { headers: { 'x-forwarded-proto': proto } })
      const message = 'The X-Forwarded-Proto header is malformed.'
      expectError(answer, 400, message, nonField(message))
    }),
  )

  test.each(['10.0.0.0/99', 'nobody'])('that is no address stops the start: %s', async address => {
    await expect(askOver(trusting(address), async () => {})).rejects.toThrow(/^api: trustProxy: must be true, false/)
  })
})

test('what is outside of the prefix goes to the next listener, and without one it is a 404', () => {
  const face: Face = {
    name: 'node:http',
    start(options) {
      const handler = createHandler(options)
      const listener = (request: Parameters<typeof handler>[0], response: Parameters<typeof handler>[1]) =>
        handler(request, response, () => response.end('mine'))
      return serveNode(listener, handler)
    },
  }
  return askOver(face, async api => {
    expect(await (await fetch(new URL('/elsewhere', api.url))).text()).toBe('mine')
    expect((await api.ask('/nothing/')).status).toBe(404)
  })
})

test('below a path that Connect takes off, links have it all the same', () => {
  const face: Face = {
    name: 'Connect',
    start({ prefix, ...options }) {
      const handler = createHandler(options)
      return serveNode((request, response) => {
        const { url = '' } = request
        Object.assign(request, { originalUrl: url, url: url.slice(prefix.length) || '/' })
        handler(request, response)
      }, handler)
    },
  }
  return askOver(face, async (api, context) => {
    await context.store(['one', 'two'])
    const { next } = (await api.ask('/notes/?page_size=1')).envelope()
    expect(next).toBe(`${api.url}/notes/?page_size=1&page=2`)
  })
})

test.each([
  ['/v:version/api', '/v2/api', '/w2/api'],
  ['/:a-:b', '/1-2', ''],
  ['/a::b', '/a:b', '/ab'],
  ['/a b', '/a%20b', '/ab'],
  ['/ü', '/%C3%BC', '/%zz'],
  ['/api/', '/api', '/apis'],
  ['/api', '/api', '/%61pi'],
])('the prefix %s is that of %s, and not of %s', async (prefix, own, other) => {
  const face: Face = {
    name: 'node:http',
    start(options) {
      const handler = createHandler({ ...options, prefix })
      const listener: RequestListener = (request, response) => handler(request, response, () => response.end('mine'))
      return serveNode(listener, handler)
    },
  }
  await askOver(face, async api => {
    const ask = async (path: string) => (await fetch(new URL(`${path}/notes/`, api.url))).text()
    expect(JSON.parse(await ask(own))).toMatchObject({ success: true })
    expect(await ask(other)).not.toContain('"success":true')
  })
})
