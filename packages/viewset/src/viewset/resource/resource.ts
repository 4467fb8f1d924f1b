import type { SettingRules } from '../../core/setting-rules.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import type { Values } from '../../store/write/write.ts'
import type { Attached, Partition } from '../room.ts'
import type { MixinAround, MixinGuard, MixinHeaders, MixinScope } from '../seams.ts'
import type { ResourceConfig } from './resource-config.ts'

export type { ResourceConfig, ResourceIsolation } from './resource-config.ts'

/** The parts that all requests of a resource share, made with its class. */
export interface ResourceDefinition {
  /** The name of the resource in a `ConfigError`. */
  readonly subject: string
  readonly model: ModelInfo
  readonly config: ResourceConfig
  /** The column whose value names a record in paths; `undefined` if its key has several columns, or if it has none. */
  readonly lookup: ColumnInfo | undefined
  /** The rules of all settings of its rooms and mixins, set or not. */
  readonly rules: SettingRules
  /** What its rooms have attached. */
  readonly attached: readonly ({ readonly name: string } & Attached)[]
  /** The columns with one value in each request. */
  readonly partitions: readonly Partition[]
  /** The checks of its rooms before each action. */
  readonly doors: readonly NonNullable<Attached['door']>[]
  /** The results of `define` by mixin, which `mixin.own` reads, and what its rooms keep, which `room.of` reads. */
  readonly states: ReadonlyMap<object, unknown>
  /** The scopes of its mixins. All of them hold, in addition to `queryset`. */
  readonly scopes: readonly MixinScope[]
  /** The fixed values of its mixins. A new record gets them in addition to the resource's. */
  readonly fixedValues: readonly ((view: never) => Values)[]
  readonly guards: readonly MixinGuard[]
  /** The last one is outermost. */
  readonly arounds: readonly MixinAround[]
  readonly headers: readonly MixinHeaders[]
}
