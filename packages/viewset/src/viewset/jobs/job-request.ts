import { currentContext, stderrLog } from '../../core/context.ts'
import { type ApiRequest, onlyParameters } from '../../core/request.ts'
import type { Job } from '../../jobs/job-store.ts'
import type { JobRequest } from '../../model/tables/job-columns.ts'

export interface KeptNames {
  /** The action's query parameters. Others may be secrets, such as `access_token`. */
  readonly parameters: readonly string[]
  /** In lower case. */
  readonly headers: readonly string[]
}

export function keptRequest(request: ApiRequest, { parameters, headers: keptHeaders }: KeptNames): JobRequest {
  const { method, origin, path, search, params, query, headers } = request
  const kept = onlyParameters(search, parameters)
  const names = Object.keys(headers)
  const isKept = (name: string) => keptHeaders.includes(name)
  return {
    method,
    origin,
    url: kept === '' ? path : `${path}?${kept}`,
    params,
    query: definedOf(Object.fromEntries(parameters.map(name => [name, query[name]]))),
    omittedParameters: Object.keys(query).filter(name => !parameters.includes(name)),
    headers: definedOf(Object.fromEntries(names.filter(isKept).map(name => [name, headers[name]]))),
    omittedHeaders: names.filter(name => !isKept(name)),
    language: currentContext().language.tag,
  }
}

/** Reading a value that was not kept is an error: code could take it for missing, and show or change too much. */
export function requestOfJob(
  { id, request }: Pick<Job, 'id' | 'request'>,
  body: unknown,
  signal: AbortSignal,
): ApiRequest {
  const { method, origin, url, params, query, omittedParameters = [], headers, omittedHeaders } = request
  const [path = '', ...search] = url.split('?')
  return {
    id,
    method,
    origin,
    url,
    path,
    search: search.join('?'),
    params,
    query: guardedQuery(query, omittedParameters),
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

/** Filters list the query and read only the action's parameters. Reading another omitted one is an error. */
function guardedQuery(query: JobRequest['query'], omitted: readonly string[]): ApiRequest['query'] {
  const remedy = 'name it in describes.actions of the resource, as one of the "query" of this action'
  return new Proxy(query, guard<JobRequest['query']>('query parameter', omitted, remedy))
}

/** Listing the headers is an error as well, if one was not kept. */
function guardedHeaders(headers: JobRequest['headers'], omitted: readonly string[]): ApiRequest['headers'] {
  const { check, ...reading } = guard<JobRequest['headers']>('header', omitted, 'name it in the option jobs.headers')
  return new Proxy(headers, {
    ...reading,
    getOwnPropertyDescriptor(kept, name) {
      check(name)
      return Reflect.getOwnPropertyDescriptor(kept, name)
    },
    ownKeys: kept => [...Reflect.ownKeys(kept), ...omitted],
  })
}

function guard<T extends object>(what: string, omitted: readonly string[], remedy: string) {
  const check = (name: string | symbol) => {
    if (typeof name !== 'string' || !omitted.includes(name)) return
    throw new Error(`A job does not know the ${what} "${name}" of its request: ${remedy}.`)
  }
  return {
    check,
    get(kept: T, name: string | symbol): unknown {
      check(name)
      return Reflect.get(kept, name)
    },
    has(kept: T, name: string | symbol): boolean {
      check(name)
      return Reflect.has(kept, name)
    },
  }
}

function definedOf<T>(values: Readonly<Record<string, T | undefined>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, T] => entry[1] !== undefined))
}
