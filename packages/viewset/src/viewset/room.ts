import type { SQL } from 'drizzle-orm'
import type { SettingRules } from '../core/setting-rules.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { Values } from '../store/write/write.ts'
import type { RouteDescription, RouteToDescribe } from './description/route-description.ts'
import type { ResourceConfig } from './resource/resource-config.ts'
import type { RoomKey } from './room-key.ts'
import type { GuardOf, MixinAround, MixinHeaders } from './seams.ts'

/**
 * A column that has one value in each request. The request reaches only the records with the value, and each new record
 * gets it.
 */
export interface Partition {
  readonly column: ColumnInfo
  /** @throws ApiError for a request without a value */
  readonly of: (view: never) => unknown
  /** Whether the path names the value. Then the resource has a list for each value. */
  readonly isInPath?: boolean
}

/** What a feature adds to a resource that uses it. Without a part, no request asks for it. */
export interface Attached<S = unknown> {
  /** What the feature keeps of the resource. */
  readonly state?: S
  readonly partition?: Partition
  /** A check before each action, after its permissions. Jobs and the command line pass it, too. */
  readonly door?: (view: never) => Promise<unknown> | undefined
  /** The condition of the records that the resource reads and writes. */
  readonly scope?: (view: never) => SQL
  /** Values of every new record. */
  readonly fixedValues?: (view: never) => Values
  readonly guard?: GuardOf
  readonly arounds?: readonly MixinAround[]
  readonly headers?: readonly MixinHeaders[]
  /** Additions to the description of each route. */
  readonly describes?: (route: RouteToDescribe) => Partial<RouteDescription>
  /** Models to which the settings lead, beside those of the serializers. */
  readonly models?: readonly ModelInfo[]
  /** Checks the name under which an API serves the resource. @throws ConfigError */
  readonly checkName?: (name: string) => void
}

/** A resource whose class is being made. The rooms before have attached their parts. */
export interface DraftResource {
  /** The name of the resource in a `ConfigError`. */
  readonly subject: string
  readonly model: ModelInfo
  readonly config: ResourceConfig
  /** What the rooms before this one keep of it. */
  readonly states: ReadonlyMap<object, unknown>
}

/** A feature: its settings, and what it attaches to the resources that use them. */
export interface Room<S = unknown> {
  readonly key: RoomKey<S>
  readonly settings: SettingRules
  /** Called once for each class. `undefined` for a resource that does not use the feature. @throws ConfigError */
  attach(resource: DraftResource): Attached<S> | undefined
}

/** Defines a feature under a key. Its files import the key, and only the list of features imports the room. */
export function defineRoom<S>(key: RoomKey<S>, room: Pick<Room<S>, 'settings' | 'attach'>): Room<S> {
  return { key, ...room }
}
