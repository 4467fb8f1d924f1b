import { type ApiError, NOT_PROVIDED, NotAuthenticated } from '../core/errors.ts'

interface Scheme {
  readonly type: string
  readonly in?: string
  readonly name?: string
  readonly scheme?: string
}

interface SignIn {
  readonly challenge?: string
  readonly securitySchemes?: Readonly<Record<string, Scheme>>
}

const BEARER = '"Authorization: Bearer <token>"'

export function withSignIn(refused: ApiError, { securitySchemes, challenge }: SignIn): ApiError {
  // An error with headers has a challenge and a message of its own.
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
