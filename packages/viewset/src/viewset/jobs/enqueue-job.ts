import { NotAuthenticated, ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { ApiRequest } from '../../core/request.ts'
import { uuidv7 } from '../../core/uuid.ts'
import type { Job, NewJob as StoredJob } from '../../jobs/job-store.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { JobOptions, JobProgress } from '../../model/tables/job-columns.ts'
import { Reply } from '../answer/reply.ts'
import { RequestOptionsReader } from '../files/import-request.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { type JobData, jobData } from './job-data.ts'
import { keptRequest } from './job-request.ts'

export const NOTHING_DONE: JobProgress = {
  processed: 0,
  total: null,
  failed: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  deleted: 0,
}

/** The maximum size of a job's options as JSON, in bytes. Every read of the job reads them. */
const MOST_OPTIONS = 100_000
const LONGEST_NAME = 255

export interface NewJob {
  readonly kind: Job['kind']
  readonly options: JobOptions
  readonly parameters: readonly string[]
  readonly fileName?: string
  /** Whether all that it writes has a history, so that it can be undone. */
  readonly hasHistory?: boolean
  /** Of the file of an import that stores something. */
  readonly fingerprint?: string | undefined
  readonly keep?: (jobs: Jobs, id: string) => Promise<void>
}

/** Stores a job and answers 202 with its address. @throws ValidationError if the API has no jobs */
export async function enqueueJob(view: GenericViewSet, job: NewJob): Promise<Reply<JobData>> {
  const { registered, user, request, settings } = view
  const { jobs, resourceName } = registered
  if (!jobs || resourceName === undefined) {
    throw new ValidationError({ background: [message('no_background')] })
  }
  if (Buffer.byteLength(JSON.stringify(job.options)) > MOST_OPTIONS) {
    throw new ValidationError(message('no_background.too_large'))
  }
  if (user === null && !settings.JOBS.ANONYMOUS) throw new NotAuthenticated(message('not_authenticated.background'))
  const id = uuidv7()
  const stored = await jobs.add(storedJob(view, jobs, { ...job, id, resource: resourceName }), async () =>
    job.keep?.(jobs, id),
  )
  return new Reply(jobData(stored), { status: 202, headers: { location: addressOf(request, resourceName, id) } })
}

/** The row of a job that a request asks for. */
export function storedJob(
  view: GenericViewSet,
  { keepsUsers, keptHeaders }: Jobs,
  job: NewJob & Pick<Job, 'id' | 'resource'>,
): StoredJob & Pick<Job, 'id'> {
  const { user, request } = view
  return {
    id: job.id,
    resource: job.resource,
    kind: job.kind,
    owner: user === null ? null : String(user.id),
    // Without `keepsUsers`, the user is found again by the id. Its data may be secret.
    userData: keepsUsers ? user : null,
    request: keptRequest(request, { parameters: parametersOf(view, job), headers: keptHeaders }),
    options: job.options,
    fileName: job.fileName?.slice(0, LONGEST_NAME).toWellFormed() ?? null,
    fingerprint: job.fingerprint ?? null,
    progress: NOTHING_DONE,
    hasHistory: job.hasHistory ?? false,
  }
}

function parametersOf({ config, action }: GenericViewSet, { parameters }: NewJob): readonly string[] {
  return [...parameters, ...Object.keys(config.describes?.actions?.[action]?.query ?? {})]
}

function addressOf({ origin, path }: ApiRequest, resourceName: string, id: string): string {
  // The path of an action has one part after its resource.
  const parts = path.replace(/\/$/, '').split('/')
  const prefix = parts.slice(0, -1 - resourceName.split('/').length).join('/')
  return `${origin}${prefix}/jobs/${id}/`
}

/** A query parameter that is true or false; false if it is missing. @throws ValidationError */
export function readOption(request: ApiRequest, name: string): boolean {
  const options = new RequestOptionsReader(new Map(), request)
  const value = options.boolean(name) ?? false
  if (options.errors[name]) throw new ValidationError(options.errors)
  return value
}
