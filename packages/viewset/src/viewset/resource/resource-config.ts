import type { SQL } from 'drizzle-orm'
import type { Model } from '../../model/kit.ts'
import type { CheckScope } from '../../records/write-records.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { Isolation } from '../../store/connection/transaction.ts'
import type { Values } from '../../store/write/write.ts'
import type { ActionSpec } from '../actions.ts'
import type { NameSettings } from '../description/record-names.ts'
import type { ResourceDescription } from '../description/route-description.ts'
import type { UnknownParameters } from '../endpoints/known-parameters.ts'
import type { ParentConfig } from '../parent/parent-setting.ts'
import type { PermissionClass } from '../permissions.ts'
import type { ChoiceConfig } from '../reading/choice-setting.ts'
import type { TenantConfig } from '../tenant/tenant-setting.ts'

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
