import type { ImportFileConfig, ImportTransforms } from '../importing/config.ts'
import type { ImportExamples } from '../importing/template/examples.ts'
import type { FieldName, FieldPath, Model } from '../model/kit.ts'
import type { ComputedOrdering } from '../query/computed-ordering-filter.ts'
import type { FilterSettings } from '../query/field-filter.ts'
import type { GivenValues } from '../serializer/fixed-values.ts'
import type { ModelSerializer, SerializerOutput } from '../serializer/model-serializer.ts'
import type { WrittenActions } from './actions.ts'
import type { HttpMethod } from './http-method.ts'
import type { Mixin } from './mixin.ts'
import type { AnySetting, MethodsOf, MixinName, SettingsOf, UsedBy } from './mixin-types.ts'
import type { TenantOptions } from './tenant/tenant-setting.ts'
import type { BaseConfig, ResourceView, ViewContext } from './view.ts'

type OrderingTerm<Name extends string> = Name | `-${Name}`

type Settings<N extends MixinName> = { [X in N]: AnySetting<X> }[N]
type OwnerOf<K> = {
  [N in MixinName]: K extends AnySetting<N> ? (N extends keyof UsedBy ? UsedBy[N] : N) : never
}[MixinName]
/** Settings of mixins that are not composed. The compiler error of such a setting names the mixins that have it. */
type NotComposed<N extends MixinName> = {
  readonly [K in Exclude<
    Settings<MixinName>,
    Settings<N>
  >]?: `'${K}' needs ${OwnerOf<K>}, which this viewset does not include`
}

/** Checks the default ordering: the model's paths, and `C`, the names of the computed values. */
type OrderingNames<M extends Model, C extends string> = {
  readonly ordering?: OrderingTerm<FieldPath<M> | NoInfer<C>> | readonly OrderingTerm<FieldPath<M> | NoInfer<C>>[]
  readonly computedOrderingFields?: { readonly [K in C]: ComputedOrdering<FieldPath<M>> }
}

/** Checks the names in an import: `K` are the keys of its models, `F` imported fields and source fields. */
type ImportNames<K extends string, F extends string> = {
  readonly importFileConfig: ImportFileConfig<K, F>
  readonly importTransforms?: ImportTransforms<NoInfer<F>>
  readonly importExamples?: ImportExamples<NoInfer<K>, NoInfer<F>>
}

type FixedValues<M extends Model, S, K extends string> = {
  /**
   * Values of every new record, by the field names in code: `view => ({ tenant: tenantOf(view.user) })`. Clients
   * cannot choose them, and updates cannot change them. A value must not be undefined.
   */
  readonly fixedValues?: (view: ResourceView<M, S>) => GivenValues<M, K>
}

/** Settings that the typed client reads. */
type ClientSettings<M extends Model, S = ModelSerializer> = {
  readonly filterFields?: FilterSettings<M, S>['filterFields']
  readonly lookupField?: FieldName<M>
  readonly sparseFields?: unknown
  readonly deletedPermissionClasses?: unknown
  readonly expandableFields?: { readonly [K in keyof SerializerOutput<S>]?: unknown }
  readonly searchFields?: unknown
  readonly orderingFields?: unknown
  readonly filterBackends?: unknown
  readonly paginationClass?: unknown
  readonly appendIndexes?: unknown
  readonly appendEtags?: unknown
  readonly version?: unknown
  readonly returnDataOnCreate?: unknown
  readonly returnDataOnUpdate?: unknown
}
type ClientSetting = keyof ClientSettings<Model>
/** Infers the settings of `T` that the typed client reads. */
type InferredSettings<N extends MixinName, T> = {
  readonly [K in keyof T & ClientSetting & (Settings<N> | keyof BaseConfig<Model, ModelSerializer>)]?: T[K]
}

/** The literal types of a configuration. */
export interface Written {
  readonly settings: object
  readonly actions: WrittenActions
  /** Names of computed orderings. */
  readonly computed: string
  /** Keys of the models of an import, its fields and source fields. */
  readonly importKeys: string
  readonly importFields: string
  /** The fields that `fixedValues` fills. */
  readonly fixed: string
}
type Unread = Written & {
  readonly settings: Record<never, never>
  readonly computed: never
}

/** The configuration of a resource with the mixins `N`. `W` is inferred from it. */
export type ViewSetConfig<
  M extends Model,
  S extends ModelSerializer<M>,
  N extends MixinName,
  W extends Written = Unread,
> = BaseConfig<M, S, W['actions']> &
  SettingsOf<N, M, S> &
  ('FilterModelMixin' extends N ? OrderingNames<M, W['computed']> : unknown) &
  ('FileImportMixin' extends N ? ImportNames<W['importKeys'], W['importFields']> : unknown) &
  InferredSettings<N, W['settings']> &
  FixedValues<M, S, W['fixed']> &
  NotComposed<N>

/** The names of a resource's mixins, and the literal types of its configuration. */
export interface ResourceTypes {
  readonly mixins: MixinName
  readonly settings: object
  readonly computed: string
  readonly actions: object
}

/** The class of a resource. Extend it to override its methods, or use it as it is. */
export interface ResourceClass<M extends Model, S extends ModelSerializer<M>, T extends ResourceTypes> {
  new (context: ViewContext): ResourceView<M, S> & MethodsOf<T['mixins'], M, S>
  readonly mixins: readonly Mixin[]
  /** Types only, for `viewset/client`; absent at run time. */
  readonly '~types'?: T & { readonly model: M; readonly serializer: S }
}

type Defaults<N extends MixinName, D extends string> = Pick<SettingsOf<N>, D & keyof SettingsOf<N>>
type Over<T, U> = Omit<T, keyof U> & U

/**
 * What `compose` returns: a function from configuration to a resource's class. `P` are the defaults that the typed
 * client reads.
 */
export interface ViewSetFactory<N extends MixinName, D extends string = string, P = unknown> {
  <
    M extends Model,
    S extends ModelSerializer<M>,
    const Input extends object,
    const Sent extends object,
    Output extends object,
    Shown extends object,
    Returned extends object,
    const Method extends Readonly<Record<string, HttpMethod>>,
    const Detail extends Readonly<Record<string, boolean>>,
    const Path extends object,
    const C extends string = never,
    K extends string = string,
    F extends string = string,
    const T extends ClientSettings<M, S> = Record<never, never>,
    Fixed extends string = never,
  >(
    config: ViewSetConfig<
      M,
      S,
      N,
      {
        readonly settings: T
        readonly computed: C
        readonly importKeys: K
        readonly importFields: F
        readonly fixed: Fixed
        readonly actions: {
          readonly input: Input
          readonly sent: Sent
          readonly output: Output
          readonly shown: Shown
          readonly returned: Returned
          readonly method: Method
          readonly detail: Detail
          readonly path: Path
        }
      }
    >,
  ): ResourceClass<
    M,
    S,
    {
      readonly mixins: N
      readonly settings: Over<P, T>
      readonly computed: C
      readonly actions: {
        readonly sent: Sent
        readonly shown: Shown
        readonly returned: Returned
        readonly method: Method
        readonly detail: Detail
        readonly path: Path
      }
    }
  >
  readonly mixins: readonly Mixin<N, D>[]
  /**
   * The same kind of ViewSet with other defaults. The settings of a resource override them.
   *
   * @example
   * export const ProjectViewSet = BaseViewSet.with({ paginationClass: SmallPages, destroyStatus: 200 })
   */
  with<const T = Record<never, never>>(
    defaults: Defaults<N, D> & { readonly tenant?: TenantOptions; readonly softDelete?: boolean } & {
      readonly [K in keyof T & ClientSetting & D]?: T[K]
    },
  ): ViewSetFactory<N, D, Over<P, T>>
  /**
   * The same kind of ViewSet with further actions.
   *
   * @example
   * const UpsertableViewSet = BulkViewSet.add(BulkUpsertModelMixin)
   */
  add<const X extends readonly Mixin[]>(
    ...mixins: X
  ): ViewSetFactory<N | X[number]['names'][number], D | X[number]['sharedSettings'][number], P>
}
