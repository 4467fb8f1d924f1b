import type { tokens } from '../small-atlas.ts'
import type { KnownKeys } from './atlas-copies.ts'

/** The country of the nested route `/countries/{country}/cities/`, with Oslo as its city. */
export const COUNTRY = 'NO'

/** The key of no record. */
export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

/** A request to every face. */
export interface RecordedRequest {
  readonly method: string
  /** Behind `/api`, with the query. */
  readonly path: string
  readonly as?: keyof typeof tokens | 'stranger'
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string | Buffer
}

export function jsonRequest(
  method: string,
  path: string,
  body: unknown,
  as: RecordedRequest['as'] = 'admin',
  headers: RecordedRequest['headers'] = {},
): RecordedRequest {
  return {
    method,
    path,
    as,
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(body),
  }
}

/** The parameters of paths in the document. */
export const PARAMETERS = ['country', 'id'] as const

/** The address of a path in the document, such as `/cities/{id}/`. Default: the address of the first record. */
export function addressOf(
  path: string,
  known: KnownKeys,
  { country = COUNTRY, id }: { readonly [K in (typeof PARAMETERS)[number]]?: string } = {},
): string {
  const resource = path.includes('{country}') ? 'cities' : (path.split('/')[1] as keyof KnownKeys)
  return path.replace('{country}', () => country).replace('{id}', () => id ?? known[resource][0] ?? '')
}

/** The operation of a request, as the document has it: `PATCH /cities/{id}/`. */
export function operationOf({ method, path }: RecordedRequest, known: ReadonlySet<string>): string {
  const parts = path.replace(/\/?(\?.*)?$/, '/').split('/')
  const generic = parts.map(part => (known.has(part) ? '{id}' : part)).join('/')
  return `${method} ${generic.replace(/^\/countries\/[A-Z]{2}\//, '/countries/{country}/')}`
}
