import { type ApiError, NOT_PROVIDED, NotAuthenticated } from '../core/errors.ts'

/** What a security scheme of OpenAPI says of the header that it wants. */
interface Scheme {
  readonly type: string
  readonly in?: string
  readonly name?: string
  readonly scheme?: string
}

/** What `authenticate` declares of credentials. */
interface SignIn {
  readonly challenge?: string
  readonly securitySchemes?: Readonly<Record<string, Scheme>>
}

const BEARER = '"Authorization: Bearer <token>"'

/** The refusal of a request without credentials, which says what header it lacks if `authenticate` declares it. */
export function withSignIn(refused: ApiError, { securitySchemes, challenge }: SignIn): ApiError {
  // A refusal with a challenge of its own says what it wants.
  if (refused.message !== NOT_PROVIDED || Object.keys(refused.headers).length > 0) return refused
  const headers = Object.values(securitySchemes ?? {}).flatMap(headerOf)
  if (!securitySchemes && challenge?.startsWith('Bearer')) headers.push(BEARER)
  if (headers.length === 0) return refused
  return new NotAuthenticated(`${NOT_PROVIDED} Send the header ${headers.join(' or ')}.`)
}

function headerOf({ type, in: place, name, scheme }: Scheme): readonly string[] {
  if (type === 'apiKey' && place === 'header') return [`"${name}: <key>"`]
  if (type !== 'http' || scheme === undefined) return []
  return scheme.toLowerCase() === 'bearer' ? [BEARER] : [`"Authorization: ${scheme} <credentials>"`]
}
