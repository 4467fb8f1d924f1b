import { ConfigError } from '../core/errors.ts'
import type { Model } from '../model/kit.ts'
import { modelInfo } from '../model/model-info.ts'
import type { Values } from '../store/write/write.ts'

/** Values of every new record, computed for each request. Clients cannot change them. */
export type FixedValues = () => Values

/**
 * Values for the fields `K` of a model. None may be undefined: a record without its tenant would belong to no tenant.
 */
export type GivenValues<M extends Model, K extends string> = {
  readonly [P in K]: P extends keyof M['$inferInsert']
    ? Exclude<M['$inferInsert'][P], undefined>
    : 'This is no field of the model'
}

/**
 * @throws ConfigError for a field that the model lacks, and for a missing value. A record without its tenant would
 *   belong to no tenant, or to all.
 */
export function checkedFixedValues(model: Model, fixed: Values): Values {
  const { name, byKey } = modelInfo(model)
  if (typeof fixed !== 'object' || fixed === null) {
    throw new ConfigError(name, 'fixedValues', 'returned no values; return an object, as in view => ({ ... })')
  }
  for (const [key, value] of Object.entries(fixed)) {
    if (!byKey.has(key)) throw new ConfigError(name, 'fixedValues', `"${key}" is no field of the model`)
    if (value === undefined) throw new ConfigError(name, 'fixedValues', `"${key}" has no value for this request`)
  }
  return fixed
}

export function withoutFixed(values: Values, fixed: Values): Values {
  if (!Object.keys(values).some(key => key in fixed)) return values
  return Object.fromEntries(Object.entries(values).filter(([key]) => !(key in fixed)))
}
