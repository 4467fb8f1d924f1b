import type { Job } from '../../jobs/job-store.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { AllowAny, isPermitted, type PermissionClass, type PermissionView, requirePermissions } from '../permissions.ts'

export interface JobAccess {
  /** Who may use the resource of jobs. Users see their own jobs. Default `[AllowAny]`. */
  readonly permissionClasses?: readonly PermissionClass[] | undefined
  /** Who sees all jobs. Default: no user. */
  readonly adminPermissionClasses?: readonly PermissionClass[] | undefined
}

/** The access to the jobs of each API. */
const accesses = new WeakMap<Jobs, JobAccess>()

export function setJobAccess(jobs: Jobs, access: JobAccess): void {
  accesses.set(jobs, access)
}

export async function seesAllJobs({ adminPermissionClasses }: JobAccess, view: PermissionView): Promise<boolean> {
  if (!adminPermissionClasses) return false
  return isPermitted(() => requirePermissions(adminPermissionClasses, view))
}

/** Which jobs the user may find in the list of jobs; `undefined` for none. */
export async function seenJobs(
  { user }: Pick<GenericViewSet, 'user'>,
  jobs: Jobs,
): Promise<((job: Pick<Job, 'owner'>) => boolean) | undefined> {
  const access = accesses.get(jobs) ?? {}
  const view = { user, action: 'retrieve', method: 'GET' }
  if (!(await isPermitted(() => requirePermissions(access.permissionClasses ?? [AllowAny], view)))) return undefined
  if (await seesAllJobs(access, view)) return () => true
  return user === null ? undefined : ({ owner }) => owner === String(user.id)
}
