import { Hono } from 'hono'
import type { NativeRequest } from 'viewset'
import { createHandler } from 'viewset/fetch'
import { describeFaces } from 'viewset/testing'
import { afterAll, describe, test } from 'vitest'
import { honoFace } from '../support/faces.ts'

describeFaces(
  { describe, test, after: afterAll },
  honoFace('Hono', (app, options) => {
    const handler = createHandler(options)
    app.all('*', c => handler(c.req.raw))
    return handler
  }),
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
