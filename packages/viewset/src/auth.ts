import './core/check-node.ts'

export { authenticateRequest, type ServerRequest } from './http/authenticate-request.ts'
export { anyOf } from './viewset/authentication/any-of.ts'
export { type ApiKeyOptions, apiKey, hashApiKey } from './viewset/authentication/api-key.ts'
export {
  type BearerJwtOptions,
  bearerJwt,
  type Claims,
  type JwtKeySetOptions,
  type JwtSecretOptions,
} from './viewset/authentication/bearer-jwt.ts'
export type { Authenticate, SecurityScheme } from './viewset/handle.ts'
