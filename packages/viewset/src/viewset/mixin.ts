import type { SQL } from 'drizzle-orm'
import { shown } from '../core/config-error.ts'
import { ConfigError } from '../core/errors.ts'
import { claimSettings, type SettingRule, type SettingRules } from '../core/setting-rules.ts'
import type { Isolation } from '../store/connection/transaction.ts'
import type { Guard, Values } from '../store/write/write.ts'
import type { ApiResponse } from './answer/respond.ts'
import type { RecordNames } from './description/record-names.ts'
import type { RouteDescription, RouteToDescribe } from './description/route-description.ts'
import { GenericViewSet } from './generic-viewset.ts'
import type { HttpMethod } from './http-method.ts'
import type { AnySetting, MethodsOf, MixinName, SettingsOf } from './mixin-types.ts'
import { isOverridden } from './overrides.ts'
import type { PermissionClass } from './permissions.ts'
import type { ResourceConfig, ResourceDefinition } from './resource/resource.ts'
import type { GuardOf, MixinAround, WantedChange } from './seams.ts'
import type { ViewContext } from './view.ts'
import type { WriteKind } from './write/watchers.ts'

/**
 * The configuration that a mixin may read: its own settings, those of the mixins that it extends and the common ones.
 */
export type MixinConfig<N extends MixinName> = ResourceConfig & SettingsOf<N>

/** Permissions of a single route. */
export interface RoutePermissions<C = never> {
  /** The view's method that checks them. */
  readonly check: string
  /** The permissions that the method checks unless a class overrides it. */
  readonly classes: (config: C) => readonly PermissionClass[] | undefined
}

/** A resource as the description of a route sees it. */
export interface DescribedResource extends ResourceDefinition {
  readonly names: RecordNames
}

/** A route of a mixin. `C` is the configuration that it may read, `O` the result of `define`. */
export interface MixinRoute<C = never, O = never> {
  readonly method: HttpMethod
  /** The path below the resource's prefix. `:id` is the record's identifier. */
  readonly path: string
  /** The view's method that answers. */
  readonly action: string
  /** Status of a successful answer, or a function of the configuration. Default 200. */
  readonly status?: number | ((config: C) => number)
  /** Permissions that are checked in addition to those of the resource. */
  readonly permissions?: RoutePermissions<C>
  /**
   * The view's method that runs before the transaction. It may refuse the request without a database. A `Reply` that
   * it returns is the answer, and the action does not run.
   */
  readonly before?: string
  /**
   * The kind of write. If nothing needs to see its records, one statement makes the write and the action does not run.
   * The result is the same.
   */
  readonly write?: WriteKind
  /** Whether the action runs in a transaction. Default: true unless the method only reads. */
  readonly writes?: boolean
  /** The isolation of its transaction. Default: that of the resource. */
  readonly isolation?: Isolation
  /** The option of the API without which the route does not exist. */
  readonly option?: 'importMappings'
  /** Whether the action only reads, so that a replica can answer it. Default: by the method. */
  readonly reads?: boolean
  /** The action reads the body itself as it arrives (`request.bodyStream`). Any media type is accepted. */
  readonly readsBody?: true
  /**
   * The maximum number of statements of a successful answer. In development, the log reports a request that sends one
   * statement more often than this.
   */
  readonly statements?: (resource: ResourceDefinition & { readonly config: C }, own: O) => number
  /** The parameters, bodies and answers, for the description of the API. Other parameters are refused. */
  readonly describes?: (resource: DescribedResource & { readonly config: C }, own: O) => RouteDescription
  /** Parameters that have no effect and are not refused, since clients send the same query or form to another route. */
  readonly tolerates?: (resource: ResourceDefinition & { readonly config: C }) => readonly string[]
}

/** A class of views, as mixins extend it. */
export type ViewClass<V = GenericViewSet> = new (context: ViewContext) => V

/** The functions of a mixin that its methods may call. */
export interface OwnMixin<O> {
  /** The result of `define` for the view's resource. */
  own(view: GenericViewSet): O
  /** Whether a view overrides a method: by its class, by a later mixin or by a property. */
  overrides(view: GenericViewSet, hook: string): boolean
  /** Whether the result of `method` goes to the client without another hook. */
  isFinalAnswer(view: GenericViewSet, method: string): boolean
}

/** A group of actions: routes, their methods and their settings. */
export interface Mixin<N extends MixinName = MixinName, D extends string = string, O = unknown> {
  readonly name: string
  /** Its own name and those of the mixins that it extends. */
  readonly names: readonly N[]
  /** The settings for which `with` takes a default. */
  readonly sharedSettings: readonly D[]
  readonly settings: SettingRules
  readonly routes: readonly MixinRoute[]
  /** The mixins that it extends, bases first. */
  readonly builtOn: readonly Mixin[]
  /** Names of its methods. */
  readonly hooks: readonly string[]
  readonly scope: ((view: never) => SQL) | undefined
  readonly fixedValues: ((view: never) => Values) | undefined
  readonly guard: GuardOf | undefined
  readonly around: MixinAround | undefined
  readonly headers: RecordHeaders<never, never> | undefined
  describes(route: DescribedRoute): Partial<RouteDescription>
  moreSettings(config: ResourceConfig): SettingRules
  /** @throws ConfigError */
  define(resource: ResourceDefinition): unknown
  extend(Base: ViewClass): ViewClass
  /** The result of {@link define} for a resource. */
  own(resource: Pick<ResourceDefinition, 'states'>): O
  /** Whether a view has another method under this name than this mixin's. */
  overrides(view: GenericViewSet, hook: string): boolean
}

type BuiltOn<B extends readonly Mixin[]> = B[number]['names'][number]
type SharedSettings<R, B extends readonly Mixin[]> =
  | { [K in keyof R]: R[K] extends SettingRule<true> ? K & string : never }[keyof R]
  | B[number]['sharedSettings'][number]

/** A view as a mixin sees it: with its settings, and with the methods of the mixins that it extends. */
export type MixinView<N extends MixinName, B extends readonly Mixin[]> = GenericViewSet & {
  readonly config: MixinConfig<N | BuiltOn<B>>
} & MethodsOf<BuiltOn<B>>

/** Headers of each answer that shows one record: of a retrieve, a create, an update, a 412. */
export interface RecordHeaders<C, V> {
  /** The fields of the record that {@link of} needs. */
  readonly reads: (config: C) => readonly string[]
  readonly of: (record: Values, view: V) => Readonly<Record<string, string>>
}

/** Encloses a request: see {@link MixinModule.around}. */
export interface AroundRequest<V> {
  /** Whether this request needs it. Other requests may be one statement. */
  readonly isNeeded: (view: V) => boolean
  readonly run: (view: V, next: () => Promise<ApiResponse>) => Promise<ApiResponse>
}

/** A route of a resource, for a mixin that adds to its description. */
export interface DescribedRoute<C = ResourceConfig> extends RouteToDescribe {
  readonly config: C
}

/** The declaration of a mixin for {@link defineMixin}. */
export interface MixinModule<N extends MixinName, B extends readonly Mixin[], R, O> {
  /** Mixins whose methods and settings this one uses. `compose` adds missing ones. */
  readonly extends?: B
  /** The rule of each setting. */
  readonly settings?: R & { readonly [K in AnySetting<N>]?: SettingRule }
  /** The rules of settings that come with the value of another one, such as those of a filter. */
  readonly moreSettings?: (config: MixinConfig<N | BuiltOn<B>>) => SettingRules
  readonly routes?: readonly MixinRoute<MixinConfig<N | BuiltOn<B>>, O>[]
  /**
   * Prepares the parts that all requests of a resource share. Methods read the result by `mixin.own(this)`. @throws
   * ConfigError
   */
  readonly define?: (resource: ResourceDefinition & { readonly config: MixinConfig<N | BuiltOn<B>> }) => O
  /**
   * The condition of the records that the resource reads and writes, in addition to `queryset`. It holds for every
   * action, also if `getQueryset` is overridden without `super`.
   */
  readonly scope?: (view: MixinView<N, B>) => SQL
  /** Values of every new record, in addition to the resource's `fixedValues`. No client can choose them. */
  readonly fixedValues?: (view: MixinView<N, B>) => Values
  /**
   * The values that a stored record must hold if this request is to change it; otherwise the answer is 412. It is
   * called for the record that the path names, and for each item of a bulk update, upsert, delete, soft delete or
   * restore. It may throw, such as {@link PreconditionRequired}. Imports do not call it.
   */
  readonly guard?: (change: WantedChange, view: MixinView<N, B>) => Guard | readonly Guard[] | undefined
  /**
   * Encloses a request after its permissions, in the transaction of a write. `next` returns the answer to send; an
   * error that it throws undoes the write. `run` may return another answer instead.
   */
  readonly around?: AroundRequest<MixinView<N, B> & MethodsOf<N>>
  /** Headers of each answer that shows one record. */
  readonly headers?: RecordHeaders<MixinConfig<N | BuiltOn<B>>, MixinView<N, B>>
  /** Additions to the description of each route of the resource: headers, parameters, statuses. */
  readonly describes?: (route: DescribedRoute<MixinConfig<N | BuiltOn<B>>>) => Partial<RouteDescription>
  /** The methods, in a class that extends the mixins composed before. It may call `super`. */
  readonly methods?: (
    Base: ViewClass<MixinView<N, B>>,
    mixin: OwnMixin<O>,
  ) => ViewClass<{ readonly [K in keyof MethodsOf<N>]: (...values: never[]) => unknown }>
}

/**
 * Defines a mixin. Its types are the entry of the same name in `interface MixinTypes`.
 *
 * @throws ConfigError for a route whose method is missing
 * @example
 * declare module 'viewset' {
 *   interface MixinTypes<M, S> {
 *     TouchModelMixin: { config: { readonly touchAnswer?: string }; methods: { touch(): Promise<string> } }
 *   }
 * }
 *
 * export const TouchModelMixin = defineMixin('TouchModelMixin', {
 *   settings: { touchAnswer: setting.text },
 *   routes: [{ method: 'POST', path: '/:id/touch/', action: 'touch' }],
 *   methods: Base =>
 *     class extends Base {
 *       async touch() {
 *         await (await this.getObject()).save()
 *         return this.config.touchAnswer ?? 'touched'
 *       }
 *     },
 * })
 */
export function defineMixin<
  const N extends MixinName,
  const B extends readonly Mixin[] = [],
  R extends SettingRules = Record<never, SettingRule>,
  O = undefined,
>(name: N, module: MixinModule<N, B, R, O>): Mixin<N | BuiltOn<B>, SharedSettings<R, B>, O> {
  if (typeof name !== 'string') {
    throw new ConfigError('defineMixin', 'name', `must be a text, such as 'TouchMixin', not ${shown(name)}`)
  }
  const { extends: bases = [], settings = {}, routes = [], methods } = module
  const builtOn = withBases(bases)
  const own: OwnMixin<O> = {
    own: view => mixin.own(view.definition),
    overrides: (view, hook) => mixin.overrides(view, hook),
    isFinalAnswer: (view, method) => view.action === method && !view.isCustom && !mixin.overrides(view, method),
  }
  // TypeScript cannot check this: the class that it extends gets the settings and methods when it is composed.
  const extend = (methods ?? ((Base: ViewClass) => class extends Base {})) as (
    Base: ViewClass,
    mixin: OwnMixin<O>,
  ) => ViewClass
  const sample = [...builtOn, { extend: (Base: ViewClass) => extend(Base, own) }].reduce<ViewClass>(
    (Base, layer) => layer.extend(Base),
    GenericViewSet,
  )
  const mixin: Mixin<N | BuiltOn<B>, SharedSettings<R, B>, O> = {
    name,
    names: [name, ...builtOn.flatMap(({ names }) => names)] as (N | BuiltOn<B>)[],
    sharedSettings: [
      ...Object.keys(settings).filter(key => (settings as SettingRules)[key]?.shared),
      ...builtOn.flatMap(({ sharedSettings }) => sharedSettings),
    ] as SharedSettings<R, B>[],
    settings: settings as SettingRules,
    routes: routes as readonly MixinRoute[],
    builtOn,
    hooks: Object.getOwnPropertyNames(sample.prototype).filter(method => method !== 'constructor'),
    scope: module.scope,
    fixedValues: module.fixedValues,
    guard: module.guard,
    around: module.around,
    headers: module.headers,
    describes: route => module.describes?.(route as DescribedRoute<MixinConfig<N | BuiltOn<B>>>) ?? {},
    moreSettings: config => module.moreSettings?.(config as MixinConfig<N | BuiltOn<B>>) ?? {},
    define: resource =>
      module.define?.(resource as ResourceDefinition & { readonly config: MixinConfig<N | BuiltOn<B>> }),
    extend: Base => extend(Base, own),
    own: ({ states }) => states.get(mixin) as O,
    overrides: (view, hook) => isOverridden(view, hook, view.layerOf(mixin) ?? {}),
  }
  if (!(sample.prototype instanceof GenericViewSet)) {
    throw new ConfigError(`mixin ${name}`, 'methods', 'must return a class that extends the one it is given')
  }
  const path = routes.find(route => !/^\/([^\s/?#]+\/)*$/.test(route.path))?.path
  if (path !== undefined) {
    throw new ConfigError(
      `mixin ${name}`,
      'routes',
      `path "${path}" must have a slash at both ends, such as "/:id/touch/"`,
    )
  }
  const called = routes.flatMap(({ action, before = action, permissions }) => [
    action,
    before,
    permissions?.check ?? action,
  ])
  const missing = called.find(method => !(method in sample.prototype))
  if (missing !== undefined) {
    throw new ConfigError(`mixin ${name}`, 'routes', `"${missing}" is not among its methods`)
  }
  claimSettings(name, mixin.settings, routes.length === 0)
  for (const { settings: inherited, routes: others } of builtOn) {
    if (others.length === 0) claimSettings(name, inherited, routes.length === 0)
  }
  return mixin
}

/** Mixins with those that they extend, each once and after its bases. */
export function withBases(mixins: readonly Mixin[]): readonly Mixin[] {
  return [...new Set(mixins.flatMap(mixin => [...mixin.builtOn, mixin]))]
}

export type AnyResourceClass = typeof GenericViewSet & { readonly mixins: readonly Mixin[] }
