import type { ImportHooks } from '../../importing/import-hooks.ts'
import { fixedValuesOf } from '../fixed-values.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { ownPerformBulkCreate, ownPerformBulkDelete, ownPerformBulkUpdate } from '../own-bulk-writes.ts'

/** What a view has to say of its records, for an import: the same as for its other writes. */
export function resourceHooks(view: GenericViewSet): ImportHooks {
  const { checkScope = 'create' } = view.config
  const create = ownPerformBulkCreate(view)
  const update = ownPerformBulkUpdate(view)
  const destroy = ownPerformBulkDelete(view)
  return {
    view,
    fixedValues: fixedValuesOf(view),
    checkScope,
    ...(view.asksAboutRecords && { checkRecord: record => view.checkObjectPermissions(record) }),
    ...(create && { create: values => create(values) }),
    ...(update && { update: changes => update(changes) }),
    ...(destroy && { delete: destroy }),
  }
}
