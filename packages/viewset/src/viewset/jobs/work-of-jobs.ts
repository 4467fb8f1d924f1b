import { runInContext, type User } from '../../core/context.ts'
import { ApiError, NotFound, PermissionDenied } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import type { ApiSettings } from '../../core/settings.ts'
import type { Job } from '../../jobs/job-store.ts'
import type { JobRun, JobWork } from '../../jobs/job-work.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { keepsHistory } from '../../model/history.ts'
import type { Database } from '../../store/connection/database.ts'
import { doorOf } from '../door.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { changeOf } from '../history/change.ts'
import { makeView } from '../make-view.ts'
import type { AnyResourceClass } from '../mixin.ts'
import { readerOf } from '../reading/reader.ts'
import { requestOfJob } from './job-request.ts'

/** An action that can run in the background, for one kind of job. */
export interface BackgroundAction {
  readonly action: string
  readonly permits: string
  body?(job: Job, jobs: Jobs): Promise<unknown>
  run(view: GenericViewSet, run: JobRun, jobs: Jobs): Promise<void>
}

export interface JobSurroundings {
  readonly resources: ReadonlyMap<string, AnyResourceClass>
  readonly actions: Readonly<Record<Job['kind'], BackgroundAction>>
  readonly database: Database
  readonly settings: ApiSettings
  /** Finds the current user by the id; `null` if it no longer exists. */
  readonly findUser: ((id: string) => User | null | Promise<User | null>) | undefined
  jobs(): Jobs
}

/** Runs jobs as a request would: with the same class, user and permissions. */
export function workOfJobs(surroundings: JobSurroundings): JobWork {
  const { actions, database, settings, findUser } = surroundings
  return async run => {
    const { job, signal } = run
    const background = actions[job.kind]
    const user = await currentUserOf(job, findUser)
    const jobs = surroundings.jobs()
    const body = await background.body?.(job, jobs)
    const session = { database, transaction: null }
    return runInContext({ user, session, settings }, async () => {
      const view = await permittedView(surroundings, job, { user, body, signal })
      const act = () => background.run(view, run, jobs)
      return keepsHistory() ? runInContext({ change: changeOf(view, job.id) }, act) : act()
    })
  }
}

export type CheckAccessAgain = (job: Job, asker: Pick<GenericViewSet, 'user'>) => Promise<void>

/** The download needs the permission now. It, or the user, may have been removed since the job ran. */
export function checkAccessAgain(surroundings: JobSurroundings): CheckAccessAgain {
  const { database, settings, findUser } = surroundings
  return async (job, { user: asker }) => {
    const isOwner = asker !== null && String(asker.id) === job.owner
    const user = isOwner && findUser ? await findUser(String(asker.id)) : asker
    if (isOwner && !user) throw new PermissionDenied(message('gone.user'))
    if (!surroundings.resources.has(job.resource)) throw new NotFound(message('not_found.resource_of_job'))
    const session = { database, transaction: null }
    const caller = { user, body: job.options, signal: new AbortController().signal }
    await runInContext({ user, session, settings }, async () => {
      const view = await permittedView(surroundings, job, caller)
      const { reader } = job.result?.file ?? {}
      if (isOwner && reader !== undefined && reader !== readerOf(view)) {
        throw new PermissionDenied(message('permission_denied.file'))
      }
    })
  }
}

/** What decides whether a user may do a job. */
export type PermittedJob = Pick<Job, 'id' | 'kind' | 'resource' | 'request'>

/** Checks that a user may do a job that is not stored yet. @throws PermissionDenied */
export function checkNewJob(surroundings: JobSurroundings) {
  return async (job: PermittedJob, user: User | null): Promise<void> => {
    const caller = { user, body: undefined, signal: new AbortController().signal }
    await permittedView(surroundings, job, caller)
  }
}

interface Caller {
  readonly user: User | null
  readonly body: unknown
  readonly signal: AbortSignal
}

async function permittedView(
  { resources, actions, database, settings, jobs }: JobSurroundings,
  job: PermittedJob,
  { user, body, signal }: Caller,
): Promise<GenericViewSet> {
  const resource = resources.get(job.resource)
  if (!resource) throw gone(message('gone', { resource: job.resource }))
  const { action, permits } = actions[job.kind]
  const request = requestOfJob(job, body, signal)
  const view = makeView(resource, {
    request,
    user,
    database,
    settings,
    action,
    jobs: jobs(),
    resourceName: job.resource,
  })
  // A resource may have lost the mixin of the action since the job was asked.
  await doorOf(resource, permits in view ? permits : undefined)(view)
  return view
}

async function currentUserOf({ owner, userData }: Job, findUser: JobSurroundings['findUser']): Promise<User | null> {
  if (owner === null || !findUser) return userData as User | null
  const user = await findUser(owner)
  // `findUser` may return undefined for an unknown user.
  if (!user) throw gone(message('gone.user'))
  return user
}

/** An error that ends a job without a retry. */
export function gone(text: Text): ApiError {
  return new ApiError(410, 'gone', text)
}
