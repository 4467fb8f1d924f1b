import { ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { MarkedDeletions } from '../../importing/import-hooks.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { makeView } from '../make-view.ts'
import type { AnyResourceClass } from '../mixin.ts'
import { BulkHardDeleteModelMixin } from '../mixins/bulk-delete-model-mixin.ts'
import { DestroyModelMixin } from '../mixins/destroy-model-mixin.ts'
import { findParent } from '../parent/find-parent.ts'
import { type ActionName, isPermitted } from '../permissions.ts'
import { hidesParent } from '../reading/hidden-lookup.ts'

/**
 * The records that the user may delete, by the permissions and the records of the resource's own delete.
 *
 * @param mark the header of the column with the marks
 * @throws ValidationError for a resource without a delete; NotAuthenticated, PermissionDenied
 */
export async function markedDeletions(view: GenericViewSet, mark: string): Promise<MarkedDeletions> {
  const deleting = deletingView(view)
  if (!deleting) {
    throw new ValidationError({ delete_marked: [message('invalid_edit_file.no_delete', { column: mark })] })
  }
  await deleting.initial()
  await findParent(deleting, hidesParent(deleting))
  return {
    queryset: await deleting.getQueryset(),
    readOnly: view.exportOfReader(),
    ...(deleting.hasObjectPermissions && { checkRecord: record => deleting.checkObjectPermissions(record) }),
  }
}

/** Whether the resource deletes records, and the user may ask for it. */
export async function mayDelete(view: GenericViewSet): Promise<boolean> {
  const deleting = deletingView(view)
  return deleting !== undefined && isPermitted(() => deleting.initial())
}

/** The same request as that of a delete. */
function deletingView(view: GenericViewSet): GenericViewSet | undefined {
  const action = deleteOf(view)
  if (action === undefined) return undefined
  const { registered, request, user, database, settings } = view
  const context = { ...registered, request, user, database, settings, action, method: 'DELETE', spec: undefined }
  return makeView(view.constructor as AnyResourceClass, { ...context, writes: false })
}

function deleteOf(view: GenericViewSet): ActionName | undefined {
  if (view.layerOf(DestroyModelMixin)) return 'destroy'
  return view.layerOf(BulkHardDeleteModelMixin) && 'bulkDelete'
}
