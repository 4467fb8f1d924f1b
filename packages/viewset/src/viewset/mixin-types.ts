import type { Model } from '../model/kit.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'

/**
 * The types of each mixin's settings (`config`) and methods, by the mixin's name. A mixin's own file adds its entry,
 * in this package as in any other: `declare module 'viewset' { interface MixinTypes<M, S> { TouchModelMixin: ... } }`.
 */
export interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {}

/**
 * The mixins that extend a foundation. A compiler error names them if a resource lacks the foundation. The
 * foundation's own file adds its entry.
 */
export interface UsedBy {}

type AnyMixinTypes = MixinTypes<Model, ModelSerializer>
/** The names of all mixins, also of those that an application declares. */
export type MixinName = keyof AnyMixinTypes
/** The names of one mixin's settings. */
export type AnySetting<N extends MixinName> = Extract<keyof AnyMixinTypes[N]['config'], string>

type UnionToIntersection<U> = (U extends unknown ? (x: U) => void : never) extends (x: infer I) => void ? I : never

/** The settings of the mixins `N` together. */
export type SettingsOf<
  N extends MixinName,
  M extends Model = Model,
  S extends ModelSerializer<M> = ModelSerializer<M>,
> = UnionToIntersection<MixinTypes<M, S>[N]['config']>

/** The methods of the mixins `N` together. */
export type MethodsOf<
  N extends MixinName,
  M extends Model = Model,
  S extends ModelSerializer<M> = ModelSerializer<M>,
> = UnionToIntersection<MixinTypes<M, S>[N]['methods']>
