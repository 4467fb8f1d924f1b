import type { ModelInfo } from '../../model/model-info.ts'
import type { ImportModel } from '../config.ts'
import type { ComputedField } from '../row-hooks.ts'
import type { ConfigCheck } from './config-check.ts'

/** Where a column has its cells from that no file has: the same for all rows, or computed from each. */
export type OwnCell = { readonly constant: unknown } | { readonly compute: ComputedField }

/**
 * The fields of a model that no file has, by the key of their column.
 *
 * @param sources relations by the source fields that may be named in their place
 * @throws ConfigError for a name that is not known, or that stands in two settings
 */
export function ownFields(
  check: ConfigCheck,
  at: string,
  { computedFields = {}, constantFields = {}, fields }: ImportModel,
  model: ModelInfo,
  sources: ReadonlyMap<string, string>,
): ReadonlyMap<string, OwnCell> {
  const known = [...model.byKey.keys(), ...sources.keys()]
  const named = new Map<string, string>(fields.map(field => [sources.get(field) ?? field, `${at}.fields`]))
  const own = new Map<string, OwnCell>()
  const add = (setting: string, name: string, cell: OwnCell) => {
    const key = sources.get(name) ?? name
    const other = named.get(key)
    if (other !== undefined)
      check.refuse(`${at}.${setting}.${name}`, `"${name}" stands in ${other}, too; say where it comes from`)
    named.set(key, `${at}.${setting}`)
    own.set(key, cell)
  }
  check.keys(`${at}.computedFields`, computedFields, known)
  for (const [name, compute] of Object.entries(computedFields)) {
    check.that(typeof compute === 'function', `${at}.computedFields.${name}`, 'must be a function of the row')
    add('computedFields', name, { compute: compute as ComputedField })
  }
  check.keys(`${at}.constantFields`, constantFields, known)
  for (const [name, constant] of Object.entries(constantFields)) add('constantFields', name, { constant })
  return own
}
