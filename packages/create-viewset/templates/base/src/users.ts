import { type Authenticate, apiKey, hashApiKey } from 'viewset/auth'

/** Who asks: whoever sends this key in the header X-Api-Key. `bearerJwt` of `viewset/auth` is for users with tokens. */
export function authenticateBy(key: string): Authenticate {
  return apiKey({ keys: { [hashApiKey(key)]: { id: 'admin' } } })
}
