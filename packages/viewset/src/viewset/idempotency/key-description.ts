import { type RouteDescription, TEXT } from '../description/route-description.ts'

export const KEY_HEADER = 'Idempotency-Key'

export interface IdempotentRoute {
  readonly action: string
  readonly method: string
  readonly writes: boolean
  readonly readsBody: boolean
}

/** Whether a route takes keys: a POST or PATCH that writes, of a resource or an action that opts in. */
export function takesKeys(
  idempotency: boolean | readonly string[] | undefined,
  { action, method, writes, readsBody }: IdempotentRoute,
): boolean {
  if (!idempotency || (method !== 'POST' && method !== 'PATCH')) return false
  // An import has no transaction of its own, and a preview stores nothing.
  const stores = writes || (readsBody && action === 'importFile')
  return stores && (idempotency === true || idempotency.includes(action))
}

/** What a route that takes keys adds to its description. */
export const KEY_DESCRIPTION: Partial<RouteDescription> = {
  headers: {
    [KEY_HEADER]: {
      ...TEXT,
      minLength: 1,
      maxLength: 257,
      description: 'A text that the client chooses for this request. A repeated request with it gets the first answer.',
    },
    Prefer: { ...TEXT, description: '`wait=10` waits up to 10 seconds for an earlier request with the same key.' },
  },
  answerHeaders: {
    'Idempotency-Replayed': { ...TEXT, description: '`true` if the answer is that of an earlier request.' },
  },
  errors: {
    409: 'The request conflicts with stored data, or another request with its key has not ended.',
    422: 'The key belongs to a request with another body.',
  },
}
