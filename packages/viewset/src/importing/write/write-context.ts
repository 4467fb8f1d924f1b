import type { QuerySet } from '../../store/queryset.ts'
import type { ImportDiff } from '../diff.ts'
import type { ImportHooks } from '../import-hooks.ts'
import type { ModelPlan } from '../plan/plan.ts'
import type { ForeignKeyLookups } from './foreign-key-lookups.ts'

export interface WriteContext {
  readonly lookups: ForeignKeyLookups
  /** The changes so far, for a report with a diff. Then records are read before and after. */
  readonly diff: { value: ImportDiff } | undefined
  /** The records of a model that the import may update. */
  visible(plan: ModelPlan): QuerySet
  /** All records of a model. A row's unique fields must not collide with them. */
  all(plan: ModelPlan): QuerySet
  hooks(plan: ModelPlan): ImportHooks
}
