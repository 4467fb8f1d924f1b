import inject from 'light-my-request'
import { startApi, type TestApi } from 'viewset/testing'
import { createApp } from '../../src/app.ts'
import { testDatabase } from './database.ts'

/** Starts the application on a database for one file of tests. */
export const startTestApi = (): Promise<TestApi> =>
  startApi({
    ...testDatabase,
    app: setup => {
      const { listener, handler } = createApp(setup)
      return { inject: request => inject(listener, request), close: handler.close }
    },
  })
