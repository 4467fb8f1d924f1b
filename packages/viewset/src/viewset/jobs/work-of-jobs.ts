import { runInContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import type { ApiSettings } from '../../core/settings.ts'
import type { User } from '../../core/user.ts'
import type { Job } from '../../jobs/job-store.ts'
import type { JobRun, JobWork } from '../../jobs/job-work.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Database } from '../../store/database.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import type { AnyResourceClass } from '../resource-class.ts'
import { requestOfJob } from './job-request.ts'

/** An action that can be done in the background: what a kind of job does with a view. */
export interface BackgroundAction {
  /** The action of the view, as permissions and hooks know it. */
  readonly action: string
  /** The method that asks who may, beside the permissions of the resource. */
  readonly permits: string
  /** The body of its request. */
  body?(job: Job, jobs: Jobs): Promise<unknown>
  run(view: GenericViewSet, run: JobRun, jobs: Jobs): Promise<void>
}

/** What the jobs of an API need of it. */
export interface JobSurroundings {
  readonly resources: ReadonlyMap<string, AnyResourceClass>
  readonly actions: Readonly<Record<Job['kind'], BackgroundAction>>
  readonly database: Database
  readonly settings: ApiSettings
  /** Who a user is by now; `null` for one that is no more. */
  readonly findUser: ((id: string) => User | null | Promise<User | null>) | undefined
  jobs(): Jobs
}

/** Does jobs as their resources do them in a request: by the same class, as the same user, behind the same permissions. */
export function workOfJobs({ resources, actions, database, settings, ...api }: JobSurroundings): JobWork {
  return async run => {
    const { job, signal } = run
    const resource = resources.get(job.resource)
    if (!resource) throw gone(`The resource "${job.resource}" is no more.`)
    const background = actions[job.kind]
    const user = await currentUserOf(job, api.findUser)
    const jobs = api.jobs()
    const request = requestOfJob(job, await background.body?.(job, jobs), signal)
    const session = { database, transaction: null }
    return runInContext({ user, session, settings }, async () => {
      const { action, permits } = background
      const view = new resource({
        request,
        user,
        database,
        settings,
        action,
        jobs,
        resourceName: job.resource,
      })
      await view.initial()
      const check: unknown = Reflect.get(view, permits)
      if (typeof check === 'function') await check.call(view)
      return background.run(view, run, jobs)
    })
  }
}

async function currentUserOf({ owner, userData }: Job, findUser: JobSurroundings['findUser']): Promise<User | null> {
  if (owner === null || !findUser) return userData as User | null
  const user = await findUser(owner)
  // Whoever finds nobody may say so with undefined.
  if (!user) throw gone('The user who asked for this is no more.')
  return user
}

/** What ends a job for good. */
export function gone(message: string): ApiError {
  return new ApiError(410, 'gone', message)
}
