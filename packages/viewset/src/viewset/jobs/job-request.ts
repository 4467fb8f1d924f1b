import { stderrLog } from '../../core/error-log.ts'
import type { ApiRequest } from '../../core/request.ts'
import type { Job } from '../../jobs/job-store.ts'
import type { JobRequest } from '../../model/job-columns.ts'

/** What of a request stays with the job that it asks for: its address, and the headers that the API keeps. */
export function keptRequest(request: ApiRequest, keptHeaders: readonly string[]): JobRequest {
  const { method, origin, url, params, query, headers } = request
  const names = Object.keys(headers)
  const isKept = (name: string) => keptHeaders.includes(name)
  return {
    method,
    origin,
    url,
    params,
    query: definedOf(query),
    headers: definedOf(Object.fromEntries(names.filter(isKept).map(name => [name, headers[name]]))),
    omittedHeaders: names.filter(name => !isKept(name)),
  }
}

/**
 * The request of a job, as it was when it was asked for. What was not kept cannot be read: code that would see nothing
 * there could take that for an answer, and show or change more than it should.
 */
export function requestOfJob({ id, request }: Job, body: unknown, signal: AbortSignal): ApiRequest {
  const { method, origin, url, params, query, headers, omittedHeaders } = request
  const [path = '', ...search] = url.split('?')
  return {
    id,
    method,
    origin,
    url,
    path,
    search: search.join('?'),
    params,
    query,
    headers: guardedHeaders(headers, omittedHeaders),
    body,
    bodyStream: null,
    signal,
    get native(): never {
      throw new Error('A job has no request of a server: keep what it needs in the user or in its headers.')
    },
    ...stderrLog,
  }
}

function guardedHeaders(headers: JobRequest['headers'], omitted: readonly string[]): ApiRequest['headers'] {
  const check = (name: string | symbol) => {
    if (typeof name === 'string' && omitted.includes(name)) {
      throw new Error(`A job does not know the header "${name}" of its request: name it in the option jobs.headers.`)
    }
  }
  return new Proxy(headers, {
    get(kept, name) {
      check(name)
      return Reflect.get(kept, name)
    },
    has(kept, name) {
      check(name)
      return Reflect.has(kept, name)
    },
    getOwnPropertyDescriptor(kept, name) {
      check(name)
      return Reflect.getOwnPropertyDescriptor(kept, name)
    },
    // Who goes through all of them comes to those that were not kept.
    ownKeys: kept => [...Reflect.ownKeys(kept), ...omitted],
  })
}

function definedOf<T>(values: Readonly<Record<string, T | undefined>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, T] => entry[1] !== undefined))
}
