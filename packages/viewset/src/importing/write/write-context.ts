import type { QuerySet } from '../../store/queryset.ts'
import type { ImportDiff } from '../diff.ts'
import type { ImportHooks } from '../import-hooks.ts'
import type { ModelPlan } from '../plan/plan.ts'
import type { ForeignKeyLookups } from './foreign-key-lookups.ts'

/** What the rows of one transaction are written with. */
export interface WriteContext {
  readonly lookups: ForeignKeyLookups
  /** What has changed so far, where somebody wants to see it: then records are read before and after. */
  readonly diff: { value: ImportDiff } | undefined
  /** The records of a model that the import may update. */
  visible(plan: ModelPlan): QuerySet
  /** All records of a model, which a row's unique fields must not collide with. */
  all(plan: ModelPlan): QuerySet
  /** What a resource has to say of the records of a model. */
  hooks(plan: ModelPlan): ImportHooks
}
