import type { HttpMethod } from './actions.ts'
import type { ResourceConfig } from './config.ts'
import type { GenericViewSet } from './generic-viewset.ts'
import type { AnySetting, MixinName } from './types.ts'

export interface MixinRoute {
  readonly method: HttpMethod
  /** Behind the resource's prefix; `:id` is the record's identifier. */
  readonly path: string
  /** The method of the view that answers. */
  readonly action: string
  /** Status of a successful answer; a function where a setting decides. Default 200. */
  readonly status?: number | ((view: GenericViewSet) => number)
  /** Runs before the transaction begins: what can be refused without asking the database. */
  readonly prepare?: (view: GenericViewSet) => unknown
  /** Whether all it writes is one transaction. Default: unless the method is one that only reads. */
  readonly writes?: boolean
  /** The action reads the body itself, as it arrives (`request.bodyStream`); then it may have any media type. */
  readonly streams?: true
  /** Whether a resource has the route, where a setting decides. */
  readonly enabled?: (config: ResourceConfig) => boolean
}

/** A group of actions: routes, the methods behind them and the settings that they read. */
export interface Mixin<N extends MixinName = MixinName> {
  readonly name: N
  readonly settings: readonly string[]
  readonly routes: readonly MixinRoute[]
  readonly methods: object
}

/** Which mixins a setting belongs to, of all mixins that exist. */
const settingOwners = new Map<string, string[]>()

/** The mixins that read a setting, as a sentence names them. */
export function settingOwner(setting: string): string | undefined {
  // The single-record mixin first: it is the one that is usually meant.
  return settingOwners
    .get(setting)
    ?.toSorted((a, b) => a.length - b.length)
    .join(' or ')
}

/**
 * Defines a mixin. Its types come from the entry of the same name in `interface MixinTypes`, which third parties add
 * to by declaration merging.
 *
 * @example
 * export const TouchModelMixin = defineMixin('TouchModelMixin', {
 *   settings: [],
 *   routes: [{ method: 'POST', path: '/:id/touch/', action: 'touch' }],
 *   methods: {
 *     async touch(this: GenericViewSet) {
 *       return this.serialize(await (await this.getObject()).save())
 *     },
 *   },
 * })
 */
export function defineMixin<const N extends MixinName>(
  name: N,
  definition: {
    readonly settings: readonly AnySetting<N>[]
    readonly routes: readonly MixinRoute[]
    readonly methods: object
  },
): Mixin<N> {
  for (const setting of definition.settings) settingOwners.set(setting, [...(settingOwners.get(setting) ?? []), name])
  return { name, ...definition }
}
