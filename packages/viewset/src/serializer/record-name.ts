import { singularize } from 'inflection'
import { ConfigError } from '../core/errors.ts'
import { pascalCase } from '../core/text.ts'
import type { ModelInfo } from '../model/model-info.ts'

/**
 * What one record of a serializer is called in a description of the API: the name that it is given, or else the
 * singular of its table's (`auth_users` -> `AuthUser`).
 *
 * @throws ConfigError for a name that could not name a type of a client.
 */
export function recordName(subject: string, { name: table }: ModelInfo, given: unknown): string {
  if (given === undefined) return pascalCase(singularize(table)) || 'Record'
  if (typeof given === 'string' && /^[A-Z][A-Za-z0-9]*$/.test(given)) return given
  const proposal = typeof given === 'string' ? pascalCase(given) : ''
  const example = /^[A-Z]/.test(proposal) ? proposal : 'Article'
  throw new ConfigError(subject, 'name', `must be letters and digits in PascalCase, such as "${example}"`)
}
