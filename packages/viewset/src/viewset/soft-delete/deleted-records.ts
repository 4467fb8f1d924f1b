import { ConfigError, ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { type ApiRequest, queryValue } from '../../core/request.ts'
import type { RouteDescription } from '../description/route-description.ts'
import { type PermissionView, requirePermissions } from '../permissions.ts'
import type { ResourceConfig } from '../resource/resource.ts'

// `?deleted=only` shows soft-deleted records, with their tags: a restore may need one.

const PARAMETER = 'deleted'
const ONLY = 'only'
const ACTIONS: ReadonlySet<string> = new Set(['list', 'retrieve'])

type DeletedConfig = Pick<ResourceConfig, 'softDelete' | 'deletedPermissionClasses'>

/** @throws ConfigError for a resource that hides no deleted records */
export function checkDeletedPermissions(subject: string, config: DeletedConfig): void {
  if (!config.deletedPermissionClasses || config.softDelete) return
  const problem = 'needs softDelete: true; without it, the queryset decides whether deleted records are shown'
  throw new ConfigError(subject, 'deletedPermissionClasses', problem)
}

export interface AskingView {
  readonly request: ApiRequest
  readonly action: string
  readonly isCustom: boolean
}

/** Whether a request is about deleted records only. Its door has asked the permissions for that. */
export function asksDeleted({ request, action, isCustom }: AskingView): boolean {
  return !isCustom && ACTIONS.has(action) && (queryValue(request, PARAMETER) ?? '') !== ''
}

interface DoorView extends PermissionView {
  readonly config: DeletedConfig
}

/** @throws ValidationError for another value than `only` */
export function askDeletedPermissions(view: AskingView & DoorView): Promise<void> | undefined {
  if (!asksDeleted(view)) return undefined
  if (queryValue(view.request, PARAMETER) !== ONLY) {
    const expected = message('expected.choice', { choices: ONLY })
    throw new ValidationError({ [PARAMETER]: [message('invalid_parameter', { expected })] })
  }
  return requirePermissions(view.config.deletedPermissionClasses ?? [], view)
}

/** What the parameter adds to a list and a retrieve. */
export function describeDeleted(
  { deletedPermissionClasses }: DeletedConfig,
  { action, isCustom }: Pick<AskingView, 'action' | 'isCustom'>,
): Partial<RouteDescription> {
  if (!deletedPermissionClasses || isCustom || !ACTIONS.has(action)) return {}
  const description = 'Shows soft-deleted records in place of the others. Needs the permission to see them.'
  return {
    query: { [PARAMETER]: { enum: [ONLY], description } },
    errors: { 403: 'The user may not do this, or may not see deleted records.' },
  }
}
