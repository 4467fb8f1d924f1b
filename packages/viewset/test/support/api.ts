import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { Database, NotAuthenticated, type User } from 'viewset'
import { type ResourcesOptions, resources, serverOptions } from 'viewset/fastify'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { CountingDriver } from './counting-driver.ts'
import type { TestDialect } from './dialects.ts'
import { clearTables, createTables, type Tables } from './schema.ts'

export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface RequestOptions {
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is. */
  readonly payload?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
  /** The user who asks, by the name in {@link ApiOptions.users}. */
  readonly as?: string
}

export interface TestResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, number | string | string[] | undefined>>
  readonly text: string
  /** The envelope's data. */
  data<T = Record<string, unknown>>(): T
}

export interface ApiOptions extends Omit<ResourcesOptions, 'database'> {
  readonly tables: Tables
  /** Who may ask, by the name that {@link RequestOptions.as} takes. */
  readonly users?: Readonly<Record<string, User>>
  readonly server?: FastifyServerOptions
}

/** An API on a database of its own, asked without a network. */
export class TestApi {
  readonly app: FastifyInstance
  readonly database: Database
  readonly #driver: CountingDriver
  readonly #tables: Tables
  readonly #drop: () => Promise<void>

  private constructor(
    app: FastifyInstance,
    driver: CountingDriver,
    database: Database,
    tables: Tables,
    drop: () => Promise<void>,
  ) {
    this.app = app
    this.database = database
    this.#driver = driver
    this.#tables = tables
    this.#drop = drop
  }

  static async start(dialect: TestDialect, { tables, users = {}, server, ...options }: ApiOptions): Promise<TestApi> {
    const temporary = await dialect.createDatabase()
    try {
      const driver = new CountingDriver(temporary.database.driver)
      const database = new Database(driver)
      await createTables(database, tables)
      const app = Fastify({ ...serverOptions, ...server })
      await app.register(resources, {
        prefix: '/api',
        authenticate: ({ headers }) => {
          if (headers.authorization === undefined) return null
          const user = users[String(headers.authorization).replace('Bearer ', '')]
          if (!user) throw new NotAuthenticated('The token is not valid.')
          return user
        },
        ...options,
        database,
      })
      return new TestApi(app, driver, database, tables, () => temporary.drop())
    } catch (error) {
      await temporary.drop()
      throw error
    }
  }

  async request(
    method: Method,
    path: string,
    { body, payload, headers, as }: RequestOptions = {},
  ): Promise<TestResponse> {
    const response = await this.app.inject({
      method,
      url: `/api${path}`,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(as !== undefined && { authorization: `Bearer ${as}` }),
        ...headers,
      },
      ...(body === undefined ? payload !== undefined && { payload } : { payload: JSON.stringify(body) }),
    })
    const { statusCode, payload: text } = response
    return {
      status: statusCode,
      headers: response.headers,
      text,
      data: <T>() => (JSON.parse(text) as { data: T }).data,
    }
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

  /** The SQL that `fn` sends. */
  async statementsOf(fn: () => Promise<unknown>): Promise<readonly string[]> {
    const start = this.#driver.statements.length
    await fn()
    return this.#driver.statements.slice(start)
  }

  /** All rows of a table, straight from the database. */
  async rows(table: string): Promise<readonly (readonly unknown[])[]> {
    return (await this.#driver.run({ text: `select * from "${table}"` }, [])).rows
  }

  clear(): Promise<void> {
    return clearTables(this.database, this.#tables)
  }

  async close(): Promise<void> {
    await this.app.close()
    await this.#drop()
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
