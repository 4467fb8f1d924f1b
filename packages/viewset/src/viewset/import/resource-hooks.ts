import type { ImportHooks } from '../../importing/import-hooks.ts'
import { fixedValuesOf } from '../fixed-values.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { ownCreates, ownDestroys, ownUpdates } from '../own-bulk-writes.ts'

/** What a view has to say of its records, for an import: the same as for its other writes. */
export function resourceHooks(view: GenericViewSet): ImportHooks {
  const { checkScope = 'create' } = view.config
  const create = ownCreates(view)
  const update = ownUpdates(view)
  const destroy = ownDestroys(view)
  return {
    fixedValues: fixedValuesOf(view),
    checkScope,
    ...(view.asksAboutRecords && { checkRecord: record => view.checkObjectPermissions(record) }),
    ...(create && { create: values => create(values) }),
    ...(update && { update: changes => update(changes) }),
    ...(destroy && { delete: destroy }),
  }
}
