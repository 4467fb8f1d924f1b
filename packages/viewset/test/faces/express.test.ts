import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import express, { type Express } from 'express'
import { createHandler } from 'viewset/node'
import { describeFaces, type FaceOptions } from 'viewset-faces'
import { afterAll, describe, expect, test } from 'vitest'
import { FILE } from '../../../viewset-faces/src/sample-api.ts'
import { expectError, nonField } from '../support/expect.ts'
import { askOver, expressFace } from '../support/faces.ts'

/** As middleware that compresses stands between an application and its response. */
const wrapping = (_request: unknown, response: ServerResponse, next: () => void) => {
  const { write, end } = response
  response.write = ((...args: Parameters<typeof write>) => write.apply(response, args)) as typeof write
  response.end = ((...args: Parameters<typeof end>) => end.apply(response, args)) as typeof end
  next()
}

/** An application in the usual order: what `prepare` puts there, the API, its error middleware. */
const usual = (prepare: (app: Express) => unknown) =>
  expressFace('Express', (app, { prefix, ...options }: FaceOptions) => {
    const handler = createHandler(options)
    prepare(app)
    app.use(prefix || '/', handler)
    app.use(prefix || '/', handler.onError)
    return handler
  })

describeFaces(
  { describe, test, after: afterAll },
  {
    ...usual(app => {
      app.set('trust proxy', '10.0.0.0/8')
      app.use(wrapping, express.urlencoded())
    }),
    name: 'Express, mounted at a path, behind other middleware',
  },
)

describe('behind express.json()', () => {
  const parsing = usual(app => app.use(express.json({ limit: '200kb' })))

  test('a body is what Express has read', () =>
    askOver(parsing, async api => {
      expect((await api.send('POST', '/notes/', { text: 'ü' })).data()).toMatchObject({ text: 'ü' })
      expect((await api.send('POST', '/notes/', {})).envelope().errors).toEqual({ text: ['This field is required.'] })
      expect((await api.ask('/notes/echo/', { method: 'POST' })).status).toBe(200)
    }))

  test('what Express cannot read is refused in the words of the API', () =>
    askOver(parsing, async api => {
      const message = 'The body is not valid JSON.'
      expectError(await api.send('POST', '/notes/', '{'), 400, message, nonField(message))
      expectError(
        await api.send('POST', '/notes/', { text: 'x'.repeat(300_000) }),
        413,
        'The body is too large. The limit is 204800 bytes.',
      )
      const latin = await api.send('POST', '/notes/', '{}', { 'content-type': 'application/json; charset=latin1' })
      expectError(latin, 415, 'Send the body as application/json.')
    }))

  test('a body that Express has decompressed is a 415 all the same', () =>
    askOver(parsing, async api => {
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
      const answer = await api.ask('/notes/', { method: 'POST', headers, body: gzipSync('{"text":"a"}') })
      expectError(answer, 415, 'Send the body as it is, without content-encoding.')
    }))

  test('the bytes count where they are kept, as Nest does with rawBody', async () => {
    const verify = (request: IncomingMessage, _response: unknown, bytes: Buffer) =>
      Object.assign(request, { rawBody: bytes })
    const keeping = usual(app => app.use(express.json({ verify })))
    const headers = { 'content-type': 'application/json' }
    const body = Buffer.from('{"text":"\xff"}', 'latin1')
    await askOver(keeping, async api => {
      expect((await api.ask('/notes/', { method: 'POST', headers, body })).status).toBe(400)
      expect((await api.send('POST', '/notes/', { text: 'ü' })).data()).toMatchObject({ text: 'ü' })
    })
  })
})

test('a body that other middleware has as text is read, and limited', () =>
  askOver(
    usual(app =>
      app.use((request, _response, next) => {
        request.setEncoding('utf8')
        next()
      }),
    ),
    async api => {
      expect((await api.send('POST', '/notes/', { text: 'ü' })).data()).toMatchObject({ text: 'ü' })
      expectError(
        await api.send('POST', '/notes/', { text: 'ü'.repeat(600_000) }),
        413,
        'The body is too large. The limit is 1 MB.',
      )
    },
  ))

test('a body that something else has read, and kept nowhere, is a fault that the log tells', () =>
  askOver(
    usual(app => app.use((request, _response, next) => void request.resume().once('end', next))),
    async api => {
      expect((await api.send('POST', '/notes/', { text: 'a' })).status).toBe(500)
      expect(String(api.log[0]?.err)).toContain('put its handler before what reads bodies')
    },
  ))

describe('errors of other middleware', () => {
  const refusing = (error: unknown) => usual(app => app.use((_request, _response, next) => next(error)))

  test('keep their status where they are for clients', () =>
    askOver(refusing(Object.assign(new Error('Closed on Sundays.'), { status: 403, expose: true })), async api => {
      expectError(await api.ask('/notes/'), 403, 'Closed on Sundays.')
    }))

  test('are faults with an error id where they are not', () =>
    askOver(refusing(new Error('the database password is wrong')), async api => {
      const answer = await api.ask('/notes/')
      const errorId = String(answer.headers['x-error-id'])
      expectError(answer, 500, `Something went wrong on our side. Please quote error id ${errorId}.`)
      expect(api.log).toMatchObject([{ errorId, err: { message: 'the database password is wrong' } }])
    }))

  test("are Express's own outside of the prefix", () => {
    const face = expressFace('Express', (app, options) => {
      const handler = createHandler(options)
      app.use((_request, _response, next) => next(Object.assign(new Error('Closed.'), { status: 403, expose: true })))
      app.use(handler, handler.onError)
      app.use((error: Error, _request: unknown, response: express.Response, _next: unknown) => {
        response.status(418).send(`own: ${error.message}`)
      })
      return handler
    })
    return askOver(face, async api => {
      expect(await (await fetch(new URL('/elsewhere', api.url))).text()).toBe('own: Closed.')
      expectError(await api.ask('/notes/'), 403, 'Closed.')
    })
  })
})

test("links are as Express's own trust proxy says", () =>
  askOver(
    usual(app => app.set('trust proxy', 'loopback')),
    async (api, context) => {
      await context.store(['one', 'two'])
      const headers = { 'x-forwarded-host': 'api.example.org', 'x-forwarded-proto': 'https' }
      const { next } = (await api.ask('/notes/?page_size=1', { headers })).envelope()
      expect(next).toBe('https://api.example.org/v1/api/notes/?page_size=1&page=2')
    },
  ))

test('an answer that other middleware gives ends what was begun', () =>
  askOver(
    usual(app =>
      app.use((_request, response, next) => {
        next()
        response.status(202).send('later')
      }),
    ),
    async api => {
      for (const path of ['/notes/file/', '/notes/flood/', '/notes/']) expect((await api.ask(path)).text).toBe('later')
      await Promise.all(api.sample.floods.map(({ ended }) => ended))
    },
  ))

test('a length that middleware has set is not that of a file or of nothing', () =>
  askOver(
    usual(app =>
      app.use((_request, response, next) => {
        response.setHeader('content-length', 3)
        next()
      }),
    ),
    async api => {
      expect((await api.ask('/notes/file/')).bytes.equals(FILE)).toBe(true)
      const nothing = await api.ask('/notes/', { method: 'OPTIONS' })
      expect([nothing.status, nothing.headers['content-length']]).toEqual([204, undefined])
    },
  ))

test('headers that middleware sets stay, and files come whole through it', () =>
  askOver(
    usual(app =>
      app.use(wrapping, (_request, response, next) => {
        response.setHeader('x-frame-options', 'DENY')
        next()
      }),
    ),
    async api => {
      const answer = await api.ask('/notes/file/')
      expect(answer.headers['x-frame-options']).toBe('DENY')
      expect(answer.bytes.equals(FILE)).toBe(true)
    },
  ))

test('an address that middleware has rewritten is answered, with links as the client asked', () =>
  askOver(
    usual(app =>
      app.use((request, _response, next) => {
        request.url = request.url.replace('/old/', '/v1/api/')
        next()
      }),
    ),
    async (api, context) => {
      await context.store(['one', 'two'])
      const old = new URL('/old/notes/?page_size=1', api.url).href
      const { next } = (await (await fetch(old)).json()) as { next: string }
      expect(next).toBe(`${old}&page=2`)
      expect((await fetch(next)).status).toBe(200)
    },
  ))
