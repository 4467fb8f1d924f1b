import { createHandler } from 'viewset/fetch'
import { startApi, type TestApi } from 'viewset/testing'
import { api } from '../../src/api.ts'
import { testDatabase } from './database.ts'

/** Starts the API on a database for one file of tests. */
export const startTestApi = (): Promise<TestApi> =>
  startApi({
    ...testDatabase,
    app: setup => {
      const handler = createHandler({ ...api, ...setup })
      return {
        inject: async ({ url, payload, ...request }) => {
          const body = payload === undefined ? null : new Uint8Array(payload)
          const response = await handler(new Request(new URL(url, 'http://localhost'), { ...request, body }))
          return {
            statusCode: response.status,
            headers: Object.fromEntries(response.headers),
            rawPayload: Buffer.from(await response.arrayBuffer()),
          }
        },
        close: handler.close,
      }
    },
  })
