import type { ImportHooks } from '../../importing/import-hooks.ts'
import { fixedValuesOf } from '../fixed-values.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { overriddenBulkCreate, overriddenBulkDelete, overriddenBulkUpdate } from '../write/overridden-writes.ts'

/** What a view has to say of its records, for an import: the same as for its other writes. */
export function resourceHooks(view: GenericViewSet): ImportHooks {
  const { checkScope = 'create' } = view.config
  const create = overriddenBulkCreate(view)
  const update = overriddenBulkUpdate(view)
  const destroy = overriddenBulkDelete(view)
  return {
    view,
    fixedValues: fixedValuesOf(view),
    checkScope,
    ...(view.hasObjectPermissions && { checkRecord: record => view.checkObjectPermissions(record) }),
    ...(create && { create: values => create(values) }),
    ...(update && { update: changes => update(changes) }),
    ...(destroy && { delete: destroy }),
  }
}
