import { type Client, type ClientOptions, createClient } from 'viewset/client'
import { beforeAll, beforeEach } from 'vitest'
import { type ApiOptions, type TestApi, useApi } from './api.ts'
import type { TestDialect } from './dialects.ts'

/** An API that listens, and clients of it. */
export interface ListeningApi<R> {
  readonly api: TestApi
  /** A client whose requests are written down. */
  client(options?: Partial<ClientOptions>): Client<R>
  /** Where the API is. */
  readonly baseUrl: string
  /** What clients have asked for since the test began: `GET /authors/?page=2`. */
  readonly asked: readonly string[]
}

/** A server on 127.0.0.1 for the tests of the surrounding suite. */
export function useClient<R extends ApiOptions['resources']>(
  dialect: TestDialect,
  options: Omit<ApiOptions, 'resources'> & { readonly resources: R },
): ListeningApi<R> {
  const api = useApi(dialect, options)
  const asked: string[] = []
  let baseUrl = ''
  beforeAll(async () => {
    baseUrl = `http://127.0.0.1:${await api.listen()}/api`
  })
  beforeEach(() => {
    asked.length = 0
  })
  return {
    api,
    asked,
    get baseUrl() {
      return baseUrl
    },
    client: more =>
      createClient<R>({
        baseUrl,
        fetch: (address, init) => {
          asked.push(`${init.method} ${decodeURIComponent(address.replace(baseUrl, ''))}`)
          return fetch(address, init)
        },
        ...more,
      }),
  }
}
