import { ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { MarkedDeletions } from '../../importing/import-hooks.ts'
import { askPermissions, doorOf } from '../door.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { viewForAction } from '../make-view.ts'
import type { AnyResourceClass } from '../mixin.ts'
import { BulkHardDeleteModelMixin } from '../mixins/bulk-delete-model-mixin.ts'
import { DestroyModelMixin } from '../mixins/destroy-model-mixin.ts'
import { type ActionName, isPermitted } from '../permissions.ts'

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
  await doorOf(classOf(deleting))(deleting)
  return {
    queryset: await deleting.getQueryset(),
    readOnly: view.exportOfReader(),
    ...(deleting.hasObjectPermissions && { checkRecord: record => deleting.checkObjectPermissions(record) }),
  }
}

/** Whether the resource deletes records, and the user may ask for it. */
export async function mayDelete(view: GenericViewSet): Promise<boolean> {
  const deleting = deletingView(view)
  return deleting !== undefined && isPermitted(() => askPermissions()(deleting))
}

/** The same request as that of a delete. */
function deletingView(view: GenericViewSet): GenericViewSet | undefined {
  const action = deleteOf(view)
  if (action === undefined) return undefined
  return viewForAction(view, { action, method: 'DELETE' })
}

function classOf(view: GenericViewSet): AnyResourceClass {
  return view.constructor as AnyResourceClass
}

function deleteOf(view: GenericViewSet): ActionName | undefined {
  if (view.layerOf(DestroyModelMixin)) return 'destroy'
  return view.layerOf(BulkHardDeleteModelMixin) && 'bulkDelete'
}
