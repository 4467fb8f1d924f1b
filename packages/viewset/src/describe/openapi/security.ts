import type { JsonSchema } from '../../kinds/json-schema.ts'
import type { Authenticate } from '../../viewset/handle.ts'

/** How clients say who they are, as `authenticate` tells it; else by the challenge of a 401. */
export function securitySchemesOf(authenticate: Authenticate | undefined): Readonly<Record<string, JsonSchema>> {
  if (!authenticate) return {}
  const { securitySchemes, challenge = 'Bearer' } = authenticate
  if (securitySchemes) return securitySchemes
  const scheme = challenge.split(' ', 1)[0]?.toLowerCase() ?? 'bearer'
  return { [scheme]: { type: 'http', scheme } }
}

/** Any one of the ways will do; an empty one is the request that does not say who asks. */
export function securityOf(schemes: readonly string[], admitsAnybody: boolean): readonly JsonSchema[] {
  return [...(admitsAnybody ? [{}] : []), ...schemes.map(name => ({ [name]: [] }))]
}
