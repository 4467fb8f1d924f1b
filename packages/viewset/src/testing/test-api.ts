import type { User } from '../core/context.ts'
import type { PageLinks } from '../core/envelope.ts'
import { ConfigError, type FieldTexts, NotAuthenticated } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import type { Database } from '../store/connection/database.ts'
import type { Authenticate } from '../viewset/handle.ts'
import { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './test-database.ts'

/** A server with Fastify's `inject`, which needs no network. */
export interface TestApp {
  inject(request: InjectedRequest): PromiseLike<InjectedResponse>
  close(): PromiseLike<unknown>
}

type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A request for `inject`. */
export interface InjectedRequest {
  method: Method
  url: string
  headers: Record<string, string>
  payload?: Buffer
}

/** A response of `inject`. */
export interface InjectedResponse {
  readonly statusCode: number
  readonly headers: TestResponse['headers']
  readonly rawPayload: Buffer
}

/** Options of a test's request. */
export interface RequestOptions {
  /** The user of the request. The app has to use the given `authenticate`. */
  readonly as?: User
  /** Sent as JSON; a `FormData` as multipart, as for an import. */
  readonly body?: unknown
  /** Sent unchanged, in place of `body`. */
  readonly payload?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** The standard envelope of responses, with the expected type of `data`. */
export interface Envelope<T> extends Partial<PageLinks> {
  readonly success: boolean
  readonly timestamp: string
  readonly message: string
  readonly data: T
  readonly errors?: FieldTexts
  /** The codes of the errors, if the API sends them. */
  readonly codes?: FieldTexts
}

/** An API on its own database without a network; made by `startApi`. */
export class TestApi<App extends TestApp = TestApp> {
  readonly app: App
  readonly #database: TestDatabase
  readonly #users: TestUsers
  readonly #prefix: string

  /** @internal */
  constructor(app: App, database: TestDatabase, users: TestUsers, prefix: string) {
    this.app = app
    this.#database = database
    this.#users = users
    this.#prefix = prefix
  }

  /** The database, for the test's own queries. */
  get database(): Database {
    return this.#database.database
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

  /** Requests a path below the API's prefix: `/articles/?page=2`. */
  async request(method: Method, path: string, options: RequestOptions = {}): Promise<TestResponse> {
    const content = await contentOf(options)
    const response = await this.app.inject({
      method,
      url: this.#prefix + path,
      headers: {
        ...(content.type !== null && { 'content-type': content.type }),
        ...(options.as && { authorization: this.#users.credentials(options.as) }),
        ...options.headers,
      },
      ...(content.payload && { payload: content.payload }),
    })
    return new TestResponse(response.statusCode, response.headers, response.rawPayload)
  }

  /** Empties all tables, for the next test. */
  clear(): Promise<void> {
    return this.#database.clear()
  }

  /** Closes the app and removes its database. */
  async close(): Promise<void> {
    await this.app.close()
    await this.#database.drop()
  }
}

/** A response. Construct it yourself for a test over a network. */
export class TestResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, number | string | string[] | undefined>>
  /** The body, such as an exported file. */
  readonly bytes: Buffer

  constructor(status: number, headers: TestResponse['headers'], bytes: Buffer) {
    this.status = status
    this.headers = headers
    this.bytes = bytes
  }

  get text(): string {
    return this.bytes.toString()
  }

  /** The body as an envelope. @throws Error with the body, if it is not JSON: a file, or the empty body of a 204. */
  envelope<T = unknown>(): Envelope<T> {
    try {
      return JSON.parse(this.text) as Envelope<T>
    } catch {
      const text = this.text.length > 500 ? `${this.text.slice(0, 500)}...` : this.text
      throw new Error(`The response ${this.status} has no JSON, but ${JSON.stringify(text)}.`)
    }
  }

  /** The envelope's data. */
  data<T = Record<string, unknown>>(): T {
    return this.envelope<T>().data
  }
}

async function contentOf({ body, payload }: RequestOptions): Promise<{ type: string | null; payload?: Buffer }> {
  if (payload !== undefined) return { type: null, payload: Buffer.from(payload) }
  if (body === undefined) return { type: null }
  if (!(body instanceof FormData)) return { type: 'application/json', payload: Buffer.from(JSON.stringify(body)) }
  const encoded = new Response(body)
  return { type: encoded.headers.get('content-type'), payload: Buffer.from(await encoded.arrayBuffer()) }
}

/** The setup for an app in a test: options of the plugin `resources`. */
export interface TestSetup {
  readonly database: Database
  /**
   * Recognizes the users of requests made `as` them. An app with its own `authenticate` accepts only its own
   * credentials.
   */
  readonly authenticate: Authenticate
}

/** Options of {@link startApi}. */
export interface TestApiOptions<App extends TestApp = TestApp> extends TestDatabaseOptions {
  /**
   * Makes the app as in production except for its database: any server with Fastify's `inject`. `url` is for an app
   * that opens its database itself.
   */
  readonly app: (setup: TestSetup, url: string) => App | Promise<App>
  /** The start of all paths. Default `/api`. */
  readonly prefix?: string
}

/**
 * Starts an app on its own database, without a network.
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

/** The token of a user is a number. */
class TestUsers {
  readonly #users: User[] = []

  credentials(user: User): string {
    const known = this.#users.indexOf(user)
    return `Bearer ${known === -1 ? this.#users.push(user) - 1 : known}`
  }

  readonly authenticate: Authenticate = ({ headers: { authorization } }) => {
    if (authorization === undefined) return null
    const number = /^Bearer (\d+)$/.exec(String(authorization))?.[1]
    const user = number === undefined ? undefined : this.#users[Number(number)]
    if (!user) throw new NotAuthenticated(message('not_authenticated.token'))
    return user
  }
}
