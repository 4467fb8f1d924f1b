import { default as findMyWay } from 'find-my-way'
import { pluralize, singularize } from 'inflection'
import { ConfigError, ValidationError } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import type { ApiRequest } from '../core/request.ts'
import { nearest } from '../core/suggestion.ts'
import type { Endpoint } from '../viewset/endpoints/endpoint.ts'

/** A text can be a long key. The router finds no id that is longer. */
export const MAX_PARAM_LENGTH = 20_000

/** A path of an API, with its endpoints by method. */
export interface ApiPath {
  /** Below the API's prefix, with a slash at both ends. */
  readonly path: string
  readonly endpoints: readonly Endpoint[]
  /** The methods for the header `Allow`. */
  readonly allowed: readonly string[]
}

export interface Match extends Pick<ApiRequest, 'params' | 'query'> {
  readonly at: ApiPath
}

export class Router {
  readonly paths: readonly ApiPath[]
  readonly #prefix: readonly (string | null)[]
  readonly #fullPrefix: string
  /** The last parts of paths below a resource, such as `import-from-file`. */
  readonly #actions: ReadonlySet<string>
  // Fastify's router, so that all faces decode and choose alike: a static part precedes a parameter.
  readonly #router = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: MAX_PARAM_LENGTH,
    onBadUrl: () => {},
  })

  /** `prefix` may have parameters: `/:tenant/api`. */
  constructor(prefix: string, endpoints: readonly Endpoint[]) {
    this.#prefix = prefix.split('/').map(fixedPart)
    this.#fullPrefix = prefix
    refuseTwice(endpoints)
    const byPath = Map.groupBy(endpoints, ({ path }) => path)
    this.paths = [...byPath].map(([path, at]) => ({
      path,
      endpoints: at,
      allowed: allowedBy(at.map(({ method }) => method)),
    }))
    this.#actions = new Set(this.paths.map(({ path }) => partsOf(path)).flatMap(parts => parts.slice(1).at(-1) ?? []))
    // The method is checked later: `/cities/bulk-create/` is never a city of that name.
    for (const path of this.paths) this.#router.on('GET', prefix + path.path, () => {}, path)
  }

  owns(address: string): boolean {
    const asked = (address.split('?', 1)[0] ?? '').split('/', this.#prefix.length)
    return this.#prefix.every((part, i) => (part === null ? Boolean(asked[i]) : part === decoded(asked[i])))
  }

  /** The path that was probably meant, among those that answer the method; `undefined` if none is near. */
  nearest(address: string, method: string): string | undefined {
    const asked = address.split('?', 1)[0] ?? ''
    const parts = asked.split('/')
    const prefix = parts.slice(0, this.#prefix.length).join('/')
    const found = nearestAddress(parts.slice(this.#prefix.length).join('/'), method, this.paths)
    return found && prefix + found
  }

  /** The path that changes many records with this method, if a client has sent it to their list. */
  bulkPathAt(path: string, method: string): string | undefined {
    const action = BULK_ACTIONS[method]
    const meant = this.paths.find(other => action !== undefined && other.path === `${path}${action}/`)
    return meant?.allowed.includes(method) ? meant.path : undefined
  }

  /** The name of an action at the end of an address, if a resource of the API has it. */
  actionAt(address: string): string | undefined {
    const last = partsOf(address.split('?', 1)[0] ?? '').at(-1)
    return last !== undefined && this.#actions.has(last) ? last : undefined
  }

  /**
   * The path and query of an address; `undefined` without a match.
   *
   * @throws ValidationError for an invalid address and for broken percent-encoding.
   */
  match(address: string): Match | undefined {
    const found = this.#router.find('GET', address)
    if (found === null) return undefined
    // The router rejects a malformed URL with a match without a store.
    if (found.store === null) throw new ValidationError(message('malformed.url'))
    const at = found.store as ApiPath
    if (!writesFixedParts(this.#fullPrefix + at.path, address)) return undefined
    return { at, params: found.params as Match['params'], query: found.searchParams }
  }
}

export function withoutEndSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}

function fixedPart(part: string): string | null {
  return part.replaceAll('::', '').includes(':') ? null : part.replaceAll('::', ':')
}

/**
 * Whether an address spells the fixed parts of a route without needless encoding. The router decodes them, but a guard
 * before it (Express's `app.use(path)`) does not: `/%61uthors/` would pass a guard for `/authors/`.
 */
export function writesFixedParts(route: string, address: string): boolean {
  if (!address.includes('%')) return true
  const asked = (address.split(/[?#]/, 1)[0] ?? '').split('/')
  return route.split('/').every((part, i) => {
    const fixed = fixedPart(part)
    return fixed === null || isWrittenPlainly(fixed, asked[i] ?? '')
  })
}

function isWrittenPlainly(fixed: string, asked: string): boolean {
  if (asked === fixed) return true
  return asked.replace(/%[0-9a-f]{2}/gi, code => code.toUpperCase()) === encodeURI(fixed)
}

function decoded(part: string | undefined): string | undefined {
  if (!part?.includes('%')) return part
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export function allowedBy(methods: readonly string[]): readonly string[] {
  return [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])]
}

/** @throws ConfigError for an address that two resources answer, or that they read in two ways. */
function refuseTwice(endpoints: readonly Endpoint[]): void {
  const seen = new Map<string, Endpoint>()
  for (const endpoint of endpoints) {
    const { method, path } = endpoint
    const pattern = path.replace(/:[^/]+/g, ':')
    const first = seen.get(`${method} ${pattern}`) ?? seen.get(pattern)
    const isOther = first && (first.path !== path || first.method === method)
    if (isOther) throw new ConfigError('api', 'resources', `${method} ${path} is at the address of ${first.path}`)
    seen.set(`${method} ${pattern}`, endpoint)
    seen.set(pattern, endpoint)
  }
}

/** A deletion of all records of a list is hardly meant. */
const BULK_ACTIONS: Readonly<Record<string, string>> = { POST: 'bulk-create', PUT: 'bulk-update', PATCH: 'bulk-update' }

interface Offered {
  readonly path: string
  readonly allowed: readonly string[]
}

/** Parts to compare: a requested path may have very many. */
const MOST_PARTS = 20

/**
 * The path that was probably meant, among those that answer the method. It has the same number of parts, and each fixed
 * part is equal or similar. `asked` and the result are below the prefix; `undefined` if none is near.
 */
function nearestAddress(asked: string, method: string, paths: readonly Offered[]): string | undefined {
  const parts = asked.split('/', MOST_PARTS).filter(part => part !== '')
  const candidates = paths
    // Without the files of the reference page.
    .filter(({ path, allowed }) => allowed.includes(method) && !path.includes('.'))
    .flatMap(({ path }) => meant(parts, path) ?? [])
    // `//cities/` has the same parts as `/cities/`.
    .filter(candidate => candidate !== addressOf(parts) || asked.startsWith('/') || asked.includes('//'))
  return candidates.length < 2 ? candidates[0] : nearest(addressOf(parts), candidates)
}

function meant(parts: readonly string[], route: string): string | undefined {
  const fixed = partsOf(route)
  if (fixed.length !== parts.length) return undefined
  const filled = fixed.map((part, i) => {
    const asked = parts[i] as string
    if (part.includes(':')) return asked
    const isOtherNumber = singularize(part) === asked || pluralize(part) === asked
    return asked === part || isOtherNumber ? part : nearest(asked, [part])
  })
  return filled.every(part => part !== undefined) ? addressOf(filled) : undefined
}

function partsOf(path: string): readonly string[] {
  return path.split('/').filter(part => part !== '')
}

function addressOf(parts: readonly string[]): string {
  return `/${parts.map(part => `${part}/`).join('')}`
}
