import inject from 'light-my-request'
import { startApi, type TestApi } from 'viewset/testing'
import { createApp } from '../../src/app.ts'
import { testDatabase } from './database.ts'

/** Starts the application on a database for one file of tests. */
export const startTestApi = (): Promise<TestApi> =>
  startApi({
    ...testDatabase,
    app: async setup => {
      const app = await createApp(setup)
      await app.init()
      const listener = app.getHttpAdapter().getInstance()
      return { inject: request => inject(listener, request), close: () => app.close() }
    },
  })
