import type { SQL } from 'drizzle-orm'
import type { Model } from '../../model/kit.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import type { CheckScope } from '../../records/write-records.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { Isolation } from '../../store/connection/transaction.ts'
import type { Values } from '../../store/write/write.ts'
import type { ActionSpec } from '../actions.ts'
import type { NameSettings } from '../description/record-names.ts'
import type { ResourceDescription } from '../description/route-description.ts'
import type { UnknownParameters } from '../endpoints/known-parameters.ts'
import type { ParentConfig, ResourceParent } from '../parent/parent-setting.ts'
import type { PermissionClass } from '../permissions.ts'
import type { ChoiceConfig, ResourceChoice } from '../reading/chosen-fields.ts'
import type { MixinAround, MixinGuard, MixinHeaders, MixinScope, ResourceVersion } from '../seams.ts'
import type { ResourceTenant, TenantConfig } from '../tenant/tenant-setting.ts'

/** The isolation of all actions that write, or of actions by name. */
export type ResourceIsolation = Isolation | Readonly<Record<string, Isolation>>

/** The configuration of every resource. `ViewSetConfig` in types.ts is the typed form. */
export interface ResourceConfig extends NameSettings, ParentConfig, ChoiceConfig, TenantConfig {
  readonly model: Model
  readonly serializer: ModelSerializer
  readonly serializers?: readonly ModelSerializer[]
  readonly permissionClasses: readonly PermissionClass[]
  readonly queryset?: (view: never) => SQL
  readonly fixedValues?: (view: never) => Values
  readonly checkScope?: CheckScope
  readonly softDelete?: boolean
  readonly deletedPermissionClasses?: readonly PermissionClass[]
  readonly lookupField?: string
  readonly singleton?: boolean
  readonly unknownParameters?: UnknownParameters
  readonly version?: string
  readonly requireIfMatch?: boolean
  readonly appendEtags?: boolean
  readonly cacheControl?: string
  readonly idempotency?: boolean | readonly string[]
  readonly isolation?: ResourceIsolation
  readonly actions?: Readonly<Record<string, ActionSpec>>
  readonly describes?: ResourceDescription
}

/** The parts that all requests of a resource share, made with its class. */
export interface ResourceDefinition {
  /** The name of the resource in a `ConfigError`. */
  readonly subject: string
  readonly model: ModelInfo
  readonly config: ResourceConfig
  /** The column whose value names a record in paths; `undefined` if its key has several columns, or if it has none. */
  readonly lookup: ColumnInfo | undefined
  /** What a client may choose of the records that it reads. */
  readonly choice: ResourceChoice | undefined
  /** The parent in the paths of a nested route. */
  readonly parent: ResourceParent | undefined
  /** The tenant to which all of its records belong. */
  readonly tenant: ResourceTenant | undefined
  /** The names of all settings of its mixins, set or not. */
  readonly settings: readonly string[]
  /** The results of `define` by mixin. `mixin.own` reads them. */
  readonly states: ReadonlyMap<object, unknown>
  /** The scopes of its mixins. All of them hold, in addition to `queryset`. */
  readonly scopes: readonly MixinScope[]
  /** The fixed values of its mixins. A new record gets them in addition to the resource's. */
  readonly fixedValues: readonly ((view: never) => Values)[]
  readonly guards: readonly MixinGuard[]
  /** The last one is outermost. */
  readonly arounds: readonly MixinAround[]
  readonly headers: readonly MixinHeaders[]
  readonly version: ResourceVersion | undefined
}
