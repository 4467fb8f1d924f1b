import type { Field, Model } from '../model/kit.ts'
import { modelInfo } from '../model/model-info.ts'
import { buildFields } from './build-fields.ts'
import { inputSchema, outputSchema } from './json-schema.ts'
import type {
  Extra,
  ModelSerializer,
  SerializerConfig,
  TypesFor,
  ValidateContext,
  WriteValues,
} from './model-serializer.ts'
import { representation } from './representation.ts'

/**
 * The serializer of a model (SPEC, "Serializer fields"): which fields the wire shows and takes, each with the type,
 * the length and the nullability of its column. Unknown names are a `ConfigError`.
 *
 * @example
 * const CountrySerializer = BaseModelSerializer(countries, {
 *   fields: ['id', 'code', 'name'],
 *   readOnly: ['code'],
 *   extra: { label: country => `${country.name} (${country.code})` },
 * })
 */
export function BaseModelSerializer<
  M extends Model,
  const F extends Field<M>,
  X extends Extra<M> = Record<never, never>,
  const W extends F = never,
  const R extends F = never,
>(model: M, config: SerializerConfig<M, F, X, W, R>): ModelSerializer<M, TypesFor<M, Exclude<F, W>, X>> {
  const info = modelInfo(model)
  const fields = buildFields(info, config)
  return {
    model,
    info,
    fields,
    listed: representation(info, fields, 'needed'),
    recorded: representation(info, fields, 'all'),
    inputSchema: ({ partial = false } = {}) => inputSchema(fields, partial),
    outputSchema: () => outputSchema(fields),
    hasRules: config.validate !== undefined,
    validateTogether: (values, context) =>
      config.validate?.(values as WriteValues<M, X>, context as ValidateContext<M>),
  }
}
