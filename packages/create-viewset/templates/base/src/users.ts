import { type Authenticate, apiKey, hashApiKey } from 'viewset/auth'

/** Finds the user by the key in the header X-Api-Key. For users with tokens, take `bearerJwt` of `viewset/auth`. */
export function authenticateBy(key: string): Authenticate {
  return apiKey({ keys: { [hashApiKey(key)]: { id: 'admin', roles: ['admin'] } } })
}
