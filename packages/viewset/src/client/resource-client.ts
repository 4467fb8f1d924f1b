import type { Envelope } from './client-error.ts'
import {
  type CallOptions,
  type QueryOptions,
  type QueryValue,
  queryString,
  type RequestOptions,
  segment,
  whenFilled,
} from './options.ts'
import type { Download, Sender } from './send.ts'
import { type OnProgress, type Upload, uploadRequest } from './upload.ts'

/** A part of a list, and links to the rest. */
export interface Page<T> {
  readonly items: T[]
  /** The number of all results; `null` if the API does not count them. */
  readonly count: number | null
  /** The URL of the next page. */
  readonly next: string | null
  readonly previous: string | null
}

type UploadOptions = CallOptions & {
  readonly mapping?: object
  readonly values?: object
  readonly onProgress?: OnProgress
}
type Query = Readonly<Record<string, QueryValue>>
type Id = string | number | bigint

export class ResourceCalls {
  readonly #sender: Sender
  readonly #path: string

  constructor(sender: Sender, path: string) {
    this.#sender = sender
    this.#path = path
  }

  async list(query: Query = {}, options?: CallOptions): Promise<Page<unknown>> {
    return this.#page(queryString(query), options)
  }

  async *all(query: Query = {}, options?: CallOptions): AsyncGenerator<unknown> {
    let search: string | undefined = queryString(query)
    while (search !== undefined) {
      const { items, next } = await this.#page(search, options)
      yield* items
      // Without its host: the token belongs to the configured API only.
      search = next?.slice(next.indexOf('?'))
    }
  }

  async #page(search: string, options?: CallOptions): Promise<Page<unknown>> {
    const { envelope } = await this.#sender.send<unknown[]>('GET', `${this.#path}/${search}`, options)
    const { data, count, next = null, previous = null } = envelope as Envelope<unknown[]>
    const isWhole = envelope && !('next' in envelope)
    return { items: data, count: count ?? (isWhole ? data.length : null), next, previous }
  }

  async retrieve(id: Id, options?: CallOptions) {
    return this.#call('GET', segment(id), undefined, options)
  }

  async create(body: unknown, options?: CallOptions) {
    return this.#call('POST', '', body, options)
  }

  async update(id: Id, body: unknown, options?: CallOptions) {
    return this.#call('PUT', segment(id), body, options)
  }

  async partialUpdate(id: Id, body: unknown, options?: CallOptions) {
    return this.#call('PATCH', segment(id), body, options)
  }

  async destroy(id: Id, options?: CallOptions): Promise<void> {
    await this.#call('DELETE', segment(id), undefined, options)
  }

  async restore(id: Id, options?: CallOptions) {
    return this.#call('POST', `${segment(id)}/restore`, undefined, options)
  }

  async bulkCreate(items: unknown, options?: CallOptions) {
    return this.#call('POST', 'bulk-create', items, options)
  }

  async bulkUpdate(items: unknown, options?: CallOptions) {
    return this.#call('PUT', 'bulk-update', items, options)
  }

  async bulkPartialUpdate(items: unknown, options?: CallOptions) {
    return this.#call('PATCH', 'bulk-update', items, options)
  }

  async bulkUpsert(items: unknown, options?: CallOptions) {
    return this.#call('POST', 'bulk-upsert', items, options)
  }

  // POST, because some proxies drop the body of a DELETE.
  async bulkDelete(ids: unknown, options?: CallOptions) {
    return this.#call('POST', 'bulk-delete', ids, options)
  }

  async bulkSoftDelete(ids: unknown, options?: CallOptions) {
    return this.#call('POST', 'bulk-soft-delete', ids, options)
  }

  async bulkRestore(ids: unknown, options?: CallOptions) {
    return this.#call('POST', 'bulk-restore', ids, options)
  }

  export(
    body: unknown,
    query?: Query,
    { background, ...options }: CallOptions & { readonly background?: boolean } = {},
  ): Promise<unknown> {
    return this.#file('POST', 'export', { ...options, body, query: { ...query, background } })
  }

  importTemplate({ file_type, ...options }: CallOptions & { readonly file_type?: string } = {}): Promise<Download> {
    return this.#file('GET', 'import-template', { ...options, query: { file_type } })
  }

  async importFile(file: Upload, options: UploadOptions): Promise<unknown> {
    return this.#upload('import-from-file', file, options)
  }

  async importPreview(file: Upload, options: UploadOptions = {}): Promise<unknown> {
    return this.#upload('import-preview', file, options)
  }

  async importMappings(query: Query = {}, options?: CallOptions): Promise<Page<unknown>> {
    return this.#page(`import-mappings/${queryString(query)}`, options)
  }

  async saveImportMapping(body: unknown, options?: CallOptions) {
    return this.#call('POST', 'import-mappings', body, options)
  }

  async deleteImportMapping(id: string, options?: CallOptions): Promise<void> {
    await this.#call('DELETE', `import-mappings/${segment(id)}`, undefined, options)
  }

  async #upload(path: string, file: Upload, options: UploadOptions): Promise<unknown> {
    const { onProgress, signal, headers: _headers, ifMatch: _ifMatch, idempotencyKey: _key, ...sent } = options
    const fields = fieldsOf(sent)
    const { ask, init } = await uploadRequest(file, fields, { ask: this.#sender.options.fetch, onProgress, signal })
    return (await this.#sender.ask(ask, 'POST', `${this.#path}/${path}/`, init, options)).data
  }

  async history(id: Id, query: Query = {}, options?: CallOptions): Promise<Page<unknown>> {
    return this.#page(`${segment(id)}/history/${queryString(query)}`, options)
  }

  async historyDiff(id: Id, query: Query, options?: CallOptions) {
    return this.#call('GET', `${segment(id)}/history/diff`, undefined, { ...options, query })
  }

  async retrieveAt(id: Id, at: string, options?: CallOptions) {
    return this.#call('GET', segment(id), undefined, { ...options, query: { at } })
  }

  async revert(id: Id, body: unknown, options?: CallOptions) {
    return this.#call('POST', `${segment(id)}/revert`, body, options)
  }

  get actions(): unknown {
    return this.#actions(this.#path)
  }

  actionsOf(id: Id): unknown {
    return this.#actions(`${this.#path}/${segment(id)}`)
  }

  #actions(base: string): unknown {
    return named(name =>
      whenFilled(name, path => {
        const call = (method: string) => (body?: unknown, options?: QueryOptions) =>
          this.#sender.send(method, `${base}/${path}/`, { ...options, body }).then(({ data }) => data)
        const get = (options?: QueryOptions) => call('GET')(undefined, options)
        return { get, post: call('POST'), put: call('PUT'), patch: call('PATCH'), delete: call('DELETE') }
      }),
    )
  }

  async #call(method: string, part: string, body: unknown, options?: QueryOptions): Promise<unknown> {
    const path = `${this.#path}/${part && `${part}/`}`
    return (await this.#sender.send(method, path, { ...options, body })).data
  }

  async #file(method: string, part: string, options: RequestOptions): Promise<Download> {
    return (await this.#sender.send<Download>(method, `${this.#path}/${part}/`, options, true)).data
  }
}

function fieldsOf(sent: object): Record<string, string> {
  const given = Object.entries(sent).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
  )
}

export function named<T>(make: (name: string) => T, members: Record<string, T> = {}): Readonly<Record<string, T>> {
  return new Proxy(members, {
    get: (members, name) => {
      if (typeof name === 'symbol') return undefined
      if (!Object.hasOwn(members, name)) members[name] = make(name)
      return members[name]
    },
  })
}
