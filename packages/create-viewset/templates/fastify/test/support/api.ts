import { startApi, type TestApi } from 'viewset/testing'
import { createApp } from '../../src/app.ts'
import { testDatabase } from './database.ts'

/** Starts the application on a database for one file of tests. */
export const startTestApi = (): Promise<TestApi> => startApi({ ...testDatabase, app: createApp })
