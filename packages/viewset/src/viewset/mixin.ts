import type { SQL } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import { claimSettings, type SettingRule, type SettingRules } from '../core/setting-rules.ts'
import type { Guard, Values } from '../store/write/write.ts'
import type { HttpMethod } from './actions.ts'
import type { RouteDescription } from './description/route-description.ts'
import { GenericViewSet } from './generic-viewset.ts'
import type { AnySetting, MethodsOf, MixinName, SettingsOf } from './mixin-types.ts'
import { isOverridden } from './overrides.ts'
import type { PermissionClass } from './permissions.ts'
import type { ResourceConfig, ResourceDefinition } from './resource.ts'
import type { ApiResponse } from './respond.ts'
import type { GuardOf, MixinAround, WantedChange } from './seams.ts'
import type { ViewContext } from './view-context.ts'
import type { WriteKind } from './write/watchers.ts'

/** The configuration that a mixin may read: its own settings, those of the mixins below it and the common ones. */
export type MixinConfig<N extends MixinName> = ResourceConfig & SettingsOf<N>

/** Permissions of a route of its own. */
export interface RoutePermissions<C = never> {
  /** The method of the view that asks them. */
  readonly check: string
  /** What it asks where no class overrides it. */
  readonly classes: (config: C) => readonly PermissionClass[] | undefined
}

/** A route of a mixin; `C` is the configuration that it may read, `O` what its mixin has made of it. */
export interface MixinRoute<C = never, O = never> {
  readonly method: HttpMethod
  /** Behind the resource's prefix; `:id` is the record's identifier. */
  readonly path: string
  /** The method of the view that answers. */
  readonly action: string
  /** Status of a successful answer; a function where a setting decides. Default 200. */
  readonly status?: number | ((config: C) => number)
  /** Who may use the route, beside those whom the resource's own permissions let in. */
  readonly permissions?: RoutePermissions<C>
  /**
   * The method of the view that runs before the transaction begins: it refuses what can be refused without asking the
   * database. A `Reply` that it returns is the answer, and the action does not run.
   */
  readonly before?: string
  /**
   * The write that the action makes. If nothing needs to see its records, one statement makes it and the action does not
   * run; the result is the same.
   */
  readonly write?: WriteKind
  /** Whether all it writes is one transaction. Default: unless the method is one that only reads. */
  readonly writes?: boolean
  /** Whether it only reads, so that a copy of the database can answer it. Default: as its method says. */
  readonly reads?: boolean
  /** The action reads the body itself, as it arrives (`request.bodyStream`); then it may have any media type. */
  readonly readsBody?: true
  /**
   * How many statements a successful answer needs at most, as far as a class can know. In development, a request that
   * sends one statement more often than that is told of in the log.
   */
  readonly statements?: (resource: ResourceDefinition & { readonly config: C }, own: O) => number
  /** What it takes and gives, for a description of the API. Parameters that it does not name are refused. */
  readonly describes?: (resource: ResourceDefinition & { readonly config: C }, own: O) => RouteDescription
  /**
   * Parameters that have no effect here and are not refused, since clients send the same query or form to another route.
   */
  readonly tolerates?: (resource: ResourceDefinition & { readonly config: C }) => readonly string[]
}

/** A class of views, as mixins extend it. */
export type ViewClass<V = GenericViewSet> = new (context: ViewContext) => V

/** What a mixin's methods may ask about their own mixin. */
export interface OwnMixin<O> {
  /** What `define` has made for the view's resource. */
  own(view: GenericViewSet): O
  /** Whether a view has another method under this name: from its class, from a mixin above or as a property. */
  overrides(view: GenericViewSet, hook: string): boolean
  /** Whether what `method` returns goes to the client, with nothing in between that looks at it. */
  isFinalAnswer(view: GenericViewSet, method: string): boolean
}

/** A group of actions: routes, the methods behind them, the settings that they read and what is made of these once. */
export interface Mixin<N extends MixinName = MixinName, D extends string = string, O = unknown> {
  readonly name: string
  /** Its own name and those of the mixins that it builds on. */
  readonly names: readonly N[]
  /** The settings for which `with` takes a default. */
  readonly sharedSettings: readonly D[]
  readonly settings: SettingRules
  readonly routes: readonly MixinRoute[]
  /** The mixins that it builds on, each behind those that it builds on itself. */
  readonly builtOn: readonly Mixin[]
  /** Names of its methods. */
  readonly hooks: readonly string[]
  /** The condition of all records that its resources read and write. */
  readonly scope: ((view: never) => SQL) | undefined
  /** The values that every new record of its resources gets. */
  readonly fixedValues: ((view: never) => Values) | undefined
  /** What stored records must hold for a request to change them. */
  readonly guard: GuardOf | undefined
  /** What encloses the requests of its resources that need it. */
  readonly around: MixinAround | undefined
  /** Headers for answers that show one record. */
  readonly headers: RecordHeaders<never, never> | undefined
  /** What it adds to the description of each route of its resources. */
  describes(route: DescribedRoute): Partial<RouteDescription>
  /** The rules of settings that come with the value of another one. */
  moreSettings(config: ResourceConfig): SettingRules
  /** Makes what is the same for all requests of a resource. @throws ConfigError */
  define(resource: ResourceDefinition): unknown
  extend(Base: ViewClass): ViewClass
  /** What {@link define} has made for a resource. */
  own(resource: Pick<ResourceDefinition, 'states'>): O
  /** Whether a view has another method under this name than this mixin's. */
  overrides(view: GenericViewSet, hook: string): boolean
}

type BuiltOn<B extends readonly Mixin[]> = B[number]['names'][number]
type SharedSettings<R, B extends readonly Mixin[]> =
  | { [K in keyof R]: R[K] extends SettingRule<true> ? K & string : never }[keyof R]
  | B[number]['sharedSettings'][number]

/** A view as a mixin sees it: with its settings, and with the methods of the mixins that it builds on. */
export type MixinView<N extends MixinName, B extends readonly Mixin[]> = GenericViewSet & {
  readonly config: MixinConfig<N | BuiltOn<B>>
} & MethodsOf<BuiltOn<B>>

/** Headers of each answer that shows one record: of a retrieve, a create, an update, a 412. */
export interface RecordHeaders<C, V> {
  /** The fields of the record that {@link of} needs. */
  readonly reads: (config: C) => readonly string[]
  readonly of: (record: Values, view: V) => Readonly<Record<string, string>>
}

/** What encloses a request: see {@link MixinModule.around}. */
export interface AroundRequest<V> {
  /** Whether this request needs it. Other requests keep the one statement. */
  readonly isNeeded: (view: V) => boolean
  readonly run: (view: V, next: () => Promise<ApiResponse>) => Promise<ApiResponse>
}

/** A route of a resource, as a mixin sees it that adds to its description. */
export interface DescribedRoute<C = ResourceConfig> {
  readonly action: string
  readonly method: HttpMethod
  /** Behind the API's prefix; with `:id`, it is about one record. */
  readonly path: string
  /** Whether the resource declares the action itself. */
  readonly isCustom: boolean
  readonly config: C
  /** What the route says of itself. */
  readonly description: RouteDescription
}

/** How a mixin is described to {@link defineMixin}. */
export interface MixinModule<N extends MixinName, B extends readonly Mixin[], R, O> {
  /** Mixins whose methods and settings this one uses; `compose` adds those that are missing. */
  readonly extends?: B
  /** What the value of each setting must be. */
  readonly settings?: R & { readonly [K in AnySetting<N>]?: SettingRule }
  /** The rules of settings that come with the value of another one, such as those of a filter. */
  readonly moreSettings?: (config: MixinConfig<N | BuiltOn<B>>) => SettingRules
  readonly routes?: readonly MixinRoute<MixinConfig<N | BuiltOn<B>>, O>[]
  /** Makes what is the same for all requests of a resource; the methods get it by `mixin.own(this)`. @throws ConfigError */
  readonly define?: (resource: ResourceDefinition & { readonly config: MixinConfig<N | BuiltOn<B>> }) => O
  /**
   * Which records the resource reads and writes, beside its own `queryset`. It holds on every path, also if
   * `getQueryset` is overridden without `super`.
   */
  readonly scope?: (view: MixinView<N, B>) => SQL
  /** Values that every new record gets, beside the resource's own `fixedValues`. No client can choose them. */
  readonly fixedValues?: (view: MixinView<N, B>) => Values
  /**
   * What a stored record must hold for this request to change it; if it does not, the answer is 412. It is asked for the
   * record that the path names and for each item of a bulk update, upsert, delete, soft delete or restore. It may throw,
   * such as {@link PreconditionRequired}. Imports do not ask.
   */
  readonly guard?: (change: WantedChange, view: MixinView<N, B>) => Guard | readonly Guard[] | undefined
  /**
   * Encloses a request from behind its permissions to its answer, in the transaction of a write. `next` gives the answer
   * as it will be sent; an error that it throws undoes the write. `run` may answer by itself instead.
   */
  readonly around?: AroundRequest<MixinView<N, B>>
  /** Headers for each answer that shows one record. */
  readonly headers?: RecordHeaders<MixinConfig<N | BuiltOn<B>>, MixinView<N, B>>
  /** What it adds to the description of each route of its resources: headers, parameters, statuses. */
  readonly describes?: (route: DescribedRoute<MixinConfig<N | BuiltOn<B>>>) => Partial<RouteDescription>
  /** The methods, as a class on top of what is composed before: `super` is there. */
  readonly methods?: (
    Base: ViewClass<MixinView<N, B>>,
    mixin: OwnMixin<O>,
  ) => ViewClass<{ readonly [K in keyof MethodsOf<N>]: (...values: never[]) => unknown }>
}

/**
 * Defines a mixin. Its types stand in the entry of the same name in `interface MixinTypes`.
 *
 * @throws ConfigError for a route whose method is missing.
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
  const { extends: bases = [], settings = {}, routes = [], methods } = module
  const builtOn = withBases(bases)
  const own: OwnMixin<O> = {
    own: view => mixin.own(view.definition),
    overrides: (view, hook) => mixin.overrides(view, hook),
    isFinalAnswer: (view, method) => view.action === method && !view.isCustom && !mixin.overrides(view, method),
  }
  // The module's own code knows its settings and the methods below it; the class that it extends has them by then.
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

/** Mixins with those that they build on, each once and behind its own. */
export function withBases(mixins: readonly Mixin[]): readonly Mixin[] {
  return [...new Set(mixins.flatMap(mixin => [...mixin.builtOn, mixin]))]
}
