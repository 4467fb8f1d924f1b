import './core/check-node.ts'

export { startApi, type TestApiOptions, type TestSetup } from './testing/start-api.ts'
export {
  type Envelope,
  type InjectedRequest,
  type InjectedResponse,
  type RequestOptions,
  type TestApi,
  type TestApp,
  TestResponse,
} from './testing/test-api.ts'
export { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './testing/test-database.ts'
