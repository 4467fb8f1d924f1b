import type { SQL } from 'drizzle-orm'
import type { Model } from '../model/kit.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { CheckScope } from '../records/check-scope.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { Values } from '../store/write/write.ts'
import type { ActionSpec } from './actions.ts'
import type { ResourceDescription } from './description/route-description.ts'
import type { UnknownParameters } from './endpoints/known-parameters.ts'
import type { PermissionClass } from './permissions.ts'
import type { MixinAround, MixinGuard, MixinHeaders, MixinScope } from './seams.ts'

/** What every resource is configured with, as the implementation reads it; `Config` in types.ts is the typed face of it. */
export interface ResourceConfig {
  readonly model: Model
  readonly serializer: ModelSerializer
  readonly serializers?: readonly ModelSerializer[]
  readonly permissionClasses: readonly PermissionClass[]
  readonly queryset?: (view: never) => SQL
  readonly fixedValues?: (view: never) => Values
  readonly checkScope?: CheckScope
  readonly unknownParameters?: UnknownParameters
  readonly actions?: Readonly<Record<string, ActionSpec>>
  readonly describes?: ResourceDescription
}

/** What is the same for all requests of a resource, made when its class is made. */
export interface ResourceDefinition {
  /** Names the resource in a `ConfigError`. */
  readonly subject: string
  readonly model: ModelInfo
  readonly config: ResourceConfig
  /** The names of all settings that it could have. */
  readonly settings: readonly string[]
  /** What each mixin has made of the settings; `mixin.own` reads it. */
  readonly states: ReadonlyMap<object, unknown>
  /** The scopes of its mixins: all of them hold, beside `queryset`. */
  readonly scopes: readonly MixinScope[]
  /** The fixed values of its mixins, which every new record gets beside the resource's own. */
  readonly fixedValues: readonly ((view: never) => Values)[]
  /** What its mixins expect of stored records that a request changes. */
  readonly guards: readonly MixinGuard[]
  /** What encloses its requests: the first mixin's is outermost. */
  readonly arounds: readonly MixinAround[]
  /** The headers that its mixins add to answers that show one record. */
  readonly headers: readonly MixinHeaders[]
}
