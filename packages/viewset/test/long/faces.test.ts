import { createHandler as createFetchHandler } from 'viewset/fetch'
import { createHandler as createNodeHandler } from 'viewset/node'
import { describeFaces } from 'viewset-faces'
import { afterAll, describe, test } from 'vitest'
import { expressFace, honoFace, onKoa } from '../support/faces.ts'

// Each is much like one that test/faces asks each time.
describeFaces(
  { describe, test, after: afterAll },
  onKoa,
  expressFace('Express, with a prefix', (app, options) => {
    const handler = createNodeHandler(options)
    app.use(handler)
    app.use(handler.onError)
    return handler
  }),
  honoFace('Hono', (app, options) => {
    const handler = createFetchHandler(options)
    app.all('*', c => handler(c.req.raw))
    return handler
  }),
)
