import type { ImportFileConfig, ImportTransforms } from '../importing/config.ts'
import type { ImportExamples } from '../importing/template/examples.ts'
import type { FieldPath, Model } from '../model/kit.ts'
import type { ComputedOrdering } from '../query/computed-ordering-filter.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { Mixin } from './mixin.ts'
import type { AnySetting, FoundationUsers, MethodsOf, MixinName, SettingsOf } from './mixin-types.ts'
import type { BaseConfig, ResourceView } from './view.ts'
import type { ViewContext } from './view-context.ts'

type OrderingTerm<Name extends string> = Name | `-${Name}`

type Settings<N extends MixinName> = { [X in N]: AnySetting<X> }[N]
type OwnerOf<K> = {
  [N in MixinName]: K extends AnySetting<N> ? (N extends keyof FoundationUsers ? FoundationUsers[N] : N) : never
}[MixinName]
/** Settings of mixins that are not included, so that using one says which mixin it needs. */
type NotComposed<N extends MixinName> = {
  readonly [K in Exclude<
    Settings<MixinName>,
    Settings<N>
  >]?: `'${K}' needs ${OwnerOf<K>}, which this viewset does not include`
}

/** Narrows the default ordering to what there is: the model's paths and `C`, the names of the computed values. */
type OrderingNames<M extends Model, C extends string> = {
  readonly ordering?: OrderingTerm<FieldPath<M> | NoInfer<C>> | readonly OrderingTerm<FieldPath<M> | NoInfer<C>>[]
  readonly computedOrderingFields?: { readonly [K in C]: ComputedOrdering<FieldPath<M>> }
}

/** Narrows an import to what there is: `K` are the keys of its models, `F` imported fields and source fields. */
type ImportNames<K extends string, F extends string> = {
  readonly importFileConfig: ImportFileConfig<K, F>
  readonly importTransforms?: ImportTransforms<NoInfer<F>>
  readonly importExamples?: ImportExamples<NoInfer<K>, NoInfer<F>>
}

/** The configuration of a resource with the mixins `N`. */
export type ViewSetConfig<
  M extends Model,
  S extends ModelSerializer<M>,
  N extends MixinName,
  A = unknown,
  C extends string = never,
  K extends string = string,
  F extends string = string,
  O = unknown,
> = BaseConfig<M, S, A, O> &
  SettingsOf<N, M, S> &
  ('FilterModelMixin' extends N ? OrderingNames<M, C> : unknown) &
  ('FileImportMixin' extends N ? ImportNames<K, F> : unknown) &
  NotComposed<N>

/** The class of a resource: extend it to override its methods, or use it as it is. */
export interface ResourceClass<M extends Model, S extends ModelSerializer<M>, N extends MixinName> {
  new (context: ViewContext): ResourceView<M, S> & MethodsOf<N, M, S>
  readonly mixins: readonly Mixin[]
}

/** Defaults for the settings that mean the same for every model. */
type Defaults<N extends MixinName, D extends string> = Pick<SettingsOf<N>, D & keyof SettingsOf<N>>

/** What `compose` returns: a function from configuration to a resource's class. */
export interface ViewSetFactory<N extends MixinName, D extends string = string> {
  <
    M extends Model,
    S extends ModelSerializer<M>,
    A,
    const C extends string = never,
    K extends string = string,
    F extends string = string,
    O = unknown,
  >(
    config: ViewSetConfig<M, S, N, A, C, K, F, O>,
  ): ResourceClass<M, S, N>
  readonly mixins: readonly Mixin<N, D>[]
  /**
   * The same kind of ViewSet with other defaults; a resource's own settings come first.
   *
   * @example
   * export const ProjectViewSet = BaseViewSet.with({ paginationClass: SmallPages, destroyStatus: 200 })
   */
  with(defaults: Defaults<N, D>): ViewSetFactory<N, D>
  /**
   * The same kind of ViewSet with further actions.
   *
   * @example
   * const UpsertableViewSet = BulkViewSet.add(BulkUpsertModelMixin)
   */
  add<const X extends readonly Mixin[]>(
    ...mixins: X
  ): ViewSetFactory<N | X[number]['names'][number], D | X[number]['sharedSettings'][number]>
}
