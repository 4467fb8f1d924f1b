import type { ServerResponse } from 'node:http'
import express from 'express'
import { createHandler } from 'viewset/node'
import { describeFaces } from 'viewset/testing'
import { afterAll, describe, test } from 'vitest'
import { expressFace } from '../support/faces.ts'

/** As middleware that compresses stands between an application and its response. */
const wrapping = (_request: unknown, response: ServerResponse, next: () => void) => {
  const { write, end } = response
  response.write = ((...args: Parameters<typeof write>) => write.apply(response, args)) as typeof write
  response.end = ((...args: Parameters<typeof end>) => end.apply(response, args)) as typeof end
  next()
}

describeFaces(
  { describe, test, after: afterAll },
  expressFace('Express, with a prefix', (app, options) => {
    const handler = createHandler(options)
    app.use(handler)
    app.use(handler.onError)
    return handler
  }),
  expressFace('Express, mounted at a path, behind other middleware', (app, { prefix, ...options }) => {
    const handler = createHandler(options)
    app.set('trust proxy', '10.0.0.0/8')
    app.use(wrapping, express.urlencoded())
    app.use(prefix || '/', handler)
    app.use(handler.onError)
    return handler
  }),
)
