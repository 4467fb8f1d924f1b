import type { ImportHooks } from '../../importing/import-hooks.ts'
import { insertRecords, updateRecords } from '../../records/write-records.ts'
import { keyOfChange } from '../bulk/change.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { fixedValuesOf } from '../write/fixed-values.ts'
import {
  deleteAsSet,
  overriddenBulkCreate,
  overriddenBulkDelete,
  overriddenBulkUpdate,
} from '../write/overridden-writes.ts'
import { deletionKind, performOnRecords, performWrite } from '../write/perform-write.ts'
import { markedDeletions } from './marked-deletions.ts'

export function resourceHooks(view: GenericViewSet): ImportHooks {
  const { checkScope = 'create' } = view.config
  return {
    view,
    fixedValues: fixedValuesOf(view),
    checkScope,
    deletions: mark => markedDeletions(view, mark),
    ...(view.hasObjectPermissions && { checkRecord: record => view.checkObjectPermissions(record) }),
    ...writesOf(view),
  }
}

/** The writes with an override. Without one, the import writes the records itself. */
function writesOf(view: GenericViewSet): Pick<ImportHooks, 'create' | 'update' | 'delete'> {
  const { database, definition } = view
  const { model } = definition
  const isEnclosed = view.overrides('write')
  const create = overriddenBulkCreate(view) ?? (values => insertRecords(database, model, values))
  const update =
    overriddenBulkUpdate(view) ??
    (changes => {
      const updates = changes.map(change => ({ key: keyOfChange(model, change), values: change.values }))
      return updateRecords(database, model, updates)
    })
  const destroy = overriddenBulkDelete(view) ?? (records => deleteAsSet(view, records))
  return {
    ...((isEnclosed || overriddenBulkCreate(view)) && {
      create: values => performWrite<'create'>(view, { kind: 'create', values }, plan => create(plan.values)),
    }),
    ...((isEnclosed || overriddenBulkUpdate(view)) && {
      update: changes => performWrite<'update'>(view, { kind: 'update', changes }, plan => update(plan.changes)),
    }),
    ...((isEnclosed || view.config.softDelete || overriddenBulkDelete(view)) && {
      delete: records => performOnRecords(view, deletionKind(view), records, destroy),
    }),
  }
}
