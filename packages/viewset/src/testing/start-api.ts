import { ConfigError } from '../core/errors.ts'
import type { Database } from '../store/database.ts'
import type { Authenticate } from '../viewset/handle.ts'
import { TestApi, type TestApp } from './test-api.ts'
import { createTestDatabase, type TestDatabaseOptions } from './test-database.ts'
import { TestUsers } from './test-users.ts'

/** What an app is made with in a test: options of the plugin `resources`. */
export interface TestSetup {
  readonly database: Database
  /** Knows the users that requests are made `as`. An app that keeps its own way takes its own credentials only. */
  readonly authenticate: Authenticate
}

/** Options of {@link startApi}. */
export interface TestApiOptions<App extends TestApp = TestApp> extends TestDatabaseOptions {
  /**
   * Makes the app as it is made in production, but for its database: any server with Fastify's `inject`. `url` is for
   * an app that opens its database by itself.
   */
  readonly app: (setup: TestSetup, url: string) => App | Promise<App>
  /** What stands before all paths. Default `/api`. */
  readonly prefix?: string
}

/**
 * Starts an app on a database of its own, to be asked without a network.
 *
 * @throws ConfigError as `createTestDatabase` does.
 * @example
 * const api = await startApi({ schema: { articles }, app: buildApp })
 * const { status } = await api.post('/articles/', { title: 'First' }, { as: { id: 'ann' } })
 * await api.close()
 */
export async function startApi<App extends TestApp>(options: TestApiOptions<App>): Promise<TestApi<App>> {
  const { app: makeApp, prefix = '/api', ...databaseOptions } = options
  if (typeof makeApp !== 'function') {
    throw new ConfigError(
      'testing',
      'app',
      'is required; give the function that makes your app of { database, authenticate }',
    )
  }
  const database = await createTestDatabase(databaseOptions)
  try {
    const users = new TestUsers()
    const app = await makeApp({ database: database.database, authenticate: users.authenticate }, database.url)
    return new TestApi(app, database, users, prefix)
  } catch (error) {
    await database.drop()
    throw error
  }
}
