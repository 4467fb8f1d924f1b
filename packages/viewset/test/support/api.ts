import type { Server } from 'node:http'
import type { FastifyHttpOptions, FastifyInstance } from 'fastify'
import { Database, type User } from 'viewset'
import type { ResourcesOptions } from 'viewset/fastify'
import {
  type RequestOptions as BaseRequestOptions,
  type TestApi as BaseTestApi,
  startApi,
  type TestResponse,
} from 'viewset/testing'
import { afterAll, beforeAll, beforeEach, inject } from 'vitest'
import { CountingDriver } from './counting-driver.ts'
import type { TestDialect } from './dialects.ts'
import { appOf, type FaceApp } from './test-app.ts'

export type { TestResponse }

export type Method = Parameters<BaseTestApi['request']>[0]

export interface RequestOptions extends Omit<BaseRequestOptions, 'as'> {
  /** The user who asks, by the name in {@link ApiOptions.users}; any other name is a token that nobody has. */
  readonly as?: string
}

export interface ApiOptions extends Omit<ResourcesOptions, 'database'> {
  readonly tables: Readonly<Record<string, unknown>>
  /** Who may ask, by the name that {@link RequestOptions.as} takes. */
  readonly users?: Readonly<Record<string, User>>
  readonly server?: FastifyHttpOptions<Server>
}

/** An application whose database writes down what it is sent. */
interface CountedApp extends FaceApp {
  readonly driver: CountingDriver
  readonly database: Database
}

/** An API of `viewset/testing` whose users have names and whose statements can be looked at. */
export class TestApi {
  readonly #api: BaseTestApi<CountedApp>
  readonly #users: Readonly<Record<string, User>>

  private constructor(api: BaseTestApi<CountedApp>, users: Readonly<Record<string, User>>) {
    this.#api = api
    this.#users = users
  }

  static async start(dialect: TestDialect, { tables, users = {}, server, ...options }: ApiOptions): Promise<TestApi> {
    const api = await startApi({
      ...dialect.server,
      ...(Object.keys(tables).length > 0 && { schema: tables }),
      app: async (setup, url): Promise<CountedApp> => {
        const driver = new CountingDriver((dialect.open?.(url) ?? setup.database).driver)
        const database = new Database(driver)
        const app = await appOf(inject('face'), { authenticate: setup.authenticate, ...options, database }, server)
        return {
          ...app,
          driver,
          database,
          close: async () => {
            await app.close()
            if (dialect.open) await database.close()
          },
        }
      },
    })
    return new TestApi(api, users)
  }

  /** The application, for what is about Fastify. */
  get app(): FastifyInstance {
    const { fastify } = this.#api.app
    if (!fastify) throw new Error('This test is about Fastify: leave it out of the runs over other faces.')
    return fastify
  }

  get server(): Server {
    return this.#api.app.server
  }

  /** The port on 127.0.0.1 at which it listens from now on. */
  listen(): Promise<number> {
    return this.#api.app.listen()
  }

  get database(): Database {
    return this.#api.app.database
  }

  request(method: Method, path: string, { as, headers, ...options }: RequestOptions = {}): Promise<TestResponse> {
    const user = as === undefined ? undefined : this.#users[as]
    return this.#api.request(method, path, {
      ...options,
      ...(user && { as: user }),
      headers: { ...(as !== undefined && !user && { authorization: `Bearer ${as}` }), ...headers },
    })
  }

  get(path: string, options?: RequestOptions): Promise<TestResponse> {
    return this.request('GET', path, options)
  }

  post(path: string, body?: unknown, options?: RequestOptions): Promise<TestResponse> {
    return this.request('POST', path, { body, ...options })
  }

  put(path: string, body?: unknown, options?: RequestOptions): Promise<TestResponse> {
    return this.request('PUT', path, { body, ...options })
  }

  patch(path: string, body?: unknown, options?: RequestOptions): Promise<TestResponse> {
    return this.request('PATCH', path, { body, ...options })
  }

  delete(path: string, options?: RequestOptions): Promise<TestResponse> {
    return this.request('DELETE', path, options)
  }

  /** The SQL that `fn` sends. With `keptCounts`, a list may know its count. */
  async statementsOf(fn: () => Promise<unknown>, { keptCounts = false } = {}): Promise<readonly string[]> {
    const { driver } = this.#api.app
    const { statements } = driver
    const start = statements.length
    driver.countsAnew = !keptCounts
    try {
      await fn()
    } finally {
      driver.countsAnew = false
    }
    return statements.slice(start)
  }

  /** All rows of a table, straight from the database. */
  async rows(table: string): Promise<readonly (readonly unknown[])[]> {
    return (await this.#api.database.driver.run({ text: `select * from "${table}"` }, [])).rows
  }

  /** Closes the application; its database stays until {@link close}. */
  async stop(): Promise<void> {
    await this.#api.app.close()
  }

  clear(): Promise<void> {
    return this.#api.clear()
  }

  close(): Promise<void> {
    return this.#api.close()
  }
}

/**
 * An API for the tests of the surrounding suite, with empty tables before each of them. Its members can be used inside
 * tests and hooks only.
 */
export function useApi(dialect: TestDialect, options: ApiOptions): TestApi {
  let api: TestApi | undefined
  beforeAll(async () => {
    api = await TestApi.start(dialect, options)
  })
  beforeEach(() => api?.clear())
  afterAll(() => api?.close())
  return new Proxy({} as TestApi, {
    get: (_target, property) => {
      if (!api) throw new Error('The API has not been started yet: use it inside of a test.')
      const value: unknown = Reflect.get(api, property, api)
      return typeof value === 'function' ? value.bind(api) : value
    },
  })
}
