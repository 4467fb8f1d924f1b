import { NotAuthenticated } from '../../core/errors.ts'
import type { Authenticate } from '../handle.ts'

/**
 * Combines several ways of authentication. The first that finds a user decides. If none does, the first that refused
 * the credentials answers. A request without credentials is anonymous.
 *
 * @example
 * authenticate: anyOf(bearerJwt({ jwks, issuer, audience }), apiKey({ keys }))
 */
export function anyOf(...ways: readonly Authenticate[]): Authenticate {
  const authenticate: Authenticate = async request => {
    let refusal: NotAuthenticated | undefined
    for (const authenticate of ways) {
      try {
        const user = await authenticate(request)
        if (user) return user
      } catch (error) {
        if (!(error instanceof NotAuthenticated)) throw error
        refusal ??= error
      }
    }
    if (refusal) throw refusal
    return null
  }
  const challenges = ways.flatMap(({ challenge }) => challenge ?? [])
  const schemes = ways.flatMap(({ securitySchemes }) => (securitySchemes ? [securitySchemes] : []))
  return Object.assign(
    authenticate,
    challenges.length > 0 && { challenge: challenges.join(', ') },
    schemes.length > 0 && { securitySchemes: Object.assign({}, ...schemes) },
  )
}
