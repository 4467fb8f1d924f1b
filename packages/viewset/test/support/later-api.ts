import type { Database, User } from 'viewset'
import { createHandler, type FetchHandler } from 'viewset/fetch'
import type { ApiOptions } from './api.ts'
import { ManualQueue } from './manual-queue.ts'

interface LaterOptions extends Pick<ApiOptions, 'resources' | 'jobs' | 'settings'> {
  readonly users?: Readonly<Record<string, User>>
}

export interface LaterAnswer<T = unknown> {
  readonly status: number
  readonly text: string
  readonly data: T
  readonly message: string
  readonly errors: Readonly<Record<string, readonly string[]>> | undefined
}

/** A later release of an API, with other models, on the database of an earlier one. */
export class LaterApi {
  readonly warnings: string[] = []
  readonly errors: string[] = []
  readonly #handler: FetchHandler
  readonly #queue: ManualQueue | undefined

  constructor(database: Database, { users = {}, ...options }: LaterOptions) {
    this.#queue = options.jobs?.queue instanceof ManualQueue ? options.jobs.queue : undefined
    this.#handler = createHandler({
      ...options,
      prefix: '/api',
      database,
      authenticate: ({ headers }) => users[String(headers['x-user'])] ?? null,
      logger: {
        error: (details, message) => this.errors.push(`${message} ${Reflect.get(details, 'err')}`),
        warn: message => this.warnings.push(message),
      },
    })
  }

  ready(): Promise<void> {
    return this.#handler.ready()
  }

  get<T = unknown>(path: string, as?: string): Promise<LaterAnswer<T>> {
    return this.#send('GET', path, as)
  }

  post<T = unknown>(path: string, body?: unknown, as?: string): Promise<LaterAnswer<T>> {
    return this.#send('POST', path, as, body)
  }

  patch<T = unknown>(path: string, body: unknown, as?: string): Promise<LaterAnswer<T>> {
    return this.#send('PATCH', path, as, body)
  }

  /** Runs a job of its queue. */
  async run(id: string): Promise<void> {
    await this.#queue?.run(id)
  }

  async #send<T>(method: string, path: string, as = '', body?: unknown): Promise<LaterAnswer<T>> {
    const isForm = body instanceof FormData
    const request = new Request(`http://localhost/api${path}`, {
      method,
      headers: { 'x-user': as, ...(body !== undefined && !isForm && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    })
    const response = await this.#handler(request)
    const text = await response.text()
    const { data = null, message = '', errors } = text.startsWith('{') ? JSON.parse(text) : {}
    return { status: response.status, text, data, message, errors }
  }

  close(): Promise<void> {
    return this.#handler.close()
  }
}
