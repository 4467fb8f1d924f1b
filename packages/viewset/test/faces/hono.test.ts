import { Hono } from 'hono'
import { basicAuth } from 'hono/basic-auth'
import { compress } from 'hono/compress'
import { cors } from 'hono/cors'
import { HTTPException } from 'hono/http-exception'
import type { NativeRequest } from 'viewset'
import { createHandler } from 'viewset/fetch'
import { describeFaces } from 'viewset-faces'
import { afterAll, describe, expect, test } from 'vitest'
import { expectError } from '../support/expect.ts'
import { askOver, honoFace } from '../support/faces.ts'

describeFaces(
  { describe, test, after: afterAll },
  honoFace('Hono, below a base path, with its context', (app, options) => {
    const handler = createHandler(options)
    // Tests of all faces are one program, in which only one of them has a type.
    app.route(
      options.prefix,
      new Hono().all('*', c => handler.answer(c.req.raw, { native: c as unknown as NativeRequest })),
    )
    app.onError((error, c) => handler.refuse(error, c.req.raw))
    return handler
  }),
)

/** An application in the usual order: what `prepare` puts there, the API, its hook for errors. */
const usual = (prepare: (app: Hono) => unknown) =>
  honoFace('Hono', (app, options) => {
    const handler = createHandler(options)
    prepare(app)
    app.all(`${options.prefix}/*`, c => handler(c.req.raw))
    app.onError((error, c) => handler.refuse(error, c.req.raw))
    return handler
  })

describe('behind other middleware', () => {
  test('answers are compressed as any other, and files come whole', () =>
    askOver(
      usual(app => app.use(compress())),
      async (api, context) => {
        await context.store(Array.from({ length: 20 }, (_, i) => `note ${i}`))
        const list = await api.ask('/pages/?paginated=false')
        expect(list.headers['content-encoding']).toBe('gzip')
        expect(list.data()).toHaveLength(20)
        expect((await api.send('POST', '/notes/export/', { file_type: 'csv' })).text.split('\r\n')).toHaveLength(22)
        await expect(api.ask('/notes/broken/')).rejects.toThrow()
      },
    ))

  test('a client that leaves a compressed list ends it', () =>
    askOver(
      usual(app => app.use(compress())),
      async (api, context) => {
        await context.store(Array.from({ length: 500 }, (_, i) => `note ${i}`))
        for (let i = 0; i < 7; i++) {
          const leaving = new AbortController()
          await fetch(`${api.url}/pages/?paginated=false`, { signal: leaving.signal })
          leaving.abort()
        }
        await expect.poll(async () => (await api.ask('/pages/?paginated=false')).status).toBe(200)
      },
    ))

  test('other origins are let in by what lets them in elsewhere', () =>
    askOver(
      usual(app => app.use(cors({ origin: 'https://shop.example' }))),
      async api => {
        const headers = { origin: 'https://shop.example' }
        for (const path of ['/notes/', '/nothing/', '/notes/crash/']) {
          expect((await api.ask(path, { headers })).headers['access-control-allow-origin']).toBe('https://shop.example')
        }
        expect((await api.ask('/notes/', { method: 'OPTIONS', headers })).status).toBe(204)
      },
    ))
})

describe('errors of other middleware', () => {
  test('keep their status where they are for clients', () =>
    askOver(
      usual(app =>
        app.use(() => {
          throw new HTTPException(403, { message: 'Closed on Sundays.' })
        }),
      ),
      async api => expectError(await api.ask('/notes/'), 403, 'Closed on Sundays.'),
    ))

  test('keep the challenge of the answer that Hono would give', () =>
    askOver(
      usual(app => app.use(basicAuth({ username: 'ann', password: 'x', realm: 'shop' }))),
      async api => {
        const answer = await api.ask('/notes/')
        expectError(answer, 401, 'Unauthorized')
        expect(answer.headers['www-authenticate']).toBe('Basic realm="shop"')
      },
    ))

  test('are faults with an error id where they are not', () =>
    askOver(
      usual(app =>
        app.use(() => {
          throw new Error('the database password is wrong')
        }),
      ),
      async api => {
        const answer = await api.ask('/notes/')
        const errorId = String(answer.headers['x-error-id'])
        expectError(answer, 500, `Something went wrong on our side. Please quote error id ${errorId}.`)
        expect(api.log).toMatchObject([{ errorId, err: { message: 'the database password is wrong' } }])
      },
    ))
})
