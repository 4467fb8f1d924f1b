import type { tokens } from '../small-atlas.ts'
import type { KnownKeys } from './atlas-copies.ts'

/** What is asked of every face. */
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
): RecordedRequest {
  return { method, path, as, headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) }
}

/** An address of a path in the document, `/cities/{id}/`; that of the first record, where nothing else is said. */
export function addressOf(path: string, known: KnownKeys, key?: string): string {
  const resource = path.split('/')[1] as keyof KnownKeys
  return path.replace('{id}', () => key ?? known[resource][0] ?? '')
}
