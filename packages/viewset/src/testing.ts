import './core/check-node.ts'

export {
  type Envelope,
  type InjectedRequest,
  type InjectedResponse,
  type RequestOptions,
  startApi,
  type TestApi,
  type TestApiOptions,
  type TestApp,
  TestResponse,
  type TestSetup,
} from './testing/test-api.ts'
export { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './testing/test-database.ts'
