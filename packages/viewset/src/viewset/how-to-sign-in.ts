import { type ApiError, NOT_PROVIDED, NotAuthenticated } from '../core/errors.ts'
import type { Authenticate, SecurityScheme } from './handle.ts'

const BEARER = '"Authorization: Bearer <token>"'

/** The refusal of a request without credentials, which says what header it lacks if `authenticate` declares it. */
export function withSignIn(refused: ApiError, { securitySchemes, challenge }: Authenticate): ApiError {
  // A refusal with a challenge of its own says what it wants.
  if (refused.message !== NOT_PROVIDED || Object.keys(refused.headers).length > 0) return refused
  const headers = Object.values(securitySchemes ?? {}).flatMap(headerOf)
  if (!securitySchemes && challenge?.startsWith('Bearer')) headers.push(BEARER)
  if (headers.length === 0) return refused
  return new NotAuthenticated(`${NOT_PROVIDED} Send the header ${headers.join(' or ')}.`)
}

function headerOf(scheme: SecurityScheme): readonly string[] {
  if (scheme.type === 'apiKey') return scheme.in === 'header' ? [`"${scheme.name}: <key>"`] : []
  if (scheme.type !== 'http') return []
  return scheme.scheme.toLowerCase() === 'bearer' ? [BEARER] : [`"Authorization: ${scheme.scheme} <credentials>"`]
}
