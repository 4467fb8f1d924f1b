import type { Readable } from 'node:stream'
import { eq, isNull, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { User } from '../../core/context.ts'
import { NotFound } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { isResultOf, JobFileMissing, type JobFiles } from '../../jobs/files/job-files.ts'
import { hasEnded, type Job } from '../../jobs/job-store.ts'
import { conflict, type Jobs } from '../../jobs/jobs.ts'
import type { JobQueue } from '../../jobs/queues/job-queue.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import type { JobFile } from '../../model/tables/job-columns.ts'
import type { JobTables } from '../../model/tables/job-tables.ts'
import { BaseModelSerializer } from '../../serializer/base-model-serializer.ts'
import { ExpressionField } from '../../serializer/expression-field.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { Download, type Reply } from '../answer/reply.ts'
import { compose } from '../built-in.ts'
import { jobSchema } from '../description/file-descriptions.ts'
import type { AnyResourceClass } from '../mixin.ts'
import { ListModelMixin } from '../mixins/list-model-mixin.ts'
import { RetrieveModelMixin } from '../mixins/retrieve-model-mixin.ts'
import { AllowAny } from '../permissions.ts'
import { requestUndo, type UndoSurroundings, undoabilityOf } from '../undo/request-undo.ts'
import { readOption } from './enqueue-job.ts'
import { type JobAccess, seesAllJobs, setJobAccess } from './job-access.ts'
import { ERRORS, firstErrors, type JobData, jobData } from './job-data.ts'
import { JobEvents, JobFeeds, wantsEvents } from './job-events.ts'
import type { CheckAccessAgain } from './work-of-jobs.ts'

const FILE_TYPES = ['text/csv', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'application/pdf']

/** The options of an API's jobs. */
export interface JobsOptions extends JobAccess {
  /** The tables that `JobTables()` of the kit has made: `{ jobs, jobErrors }`. */
  readonly tables: JobTables
  /** Where the files of jobs are stored. Default: the folder `data/jobs` below the working directory. */
  readonly files?: JobFiles
  /** The queue of jobs. Default: this process, two at a time. */
  readonly queue?: JobQueue
  /** Whether this process runs jobs as well. Default true. Set it to false if separate workers run them. */
  readonly work?: boolean
  /**
   * Finds the current user by the id as text; `null` if it no longer exists. Default: the user as `authenticate`
   * returned it for the request.
   */
  readonly findUser?: (id: string) => User | null | Promise<User | null>
  /** Additional request headers that the job may read, such as that of a tenant. Default: none. */
  readonly headers?: readonly string[]
}

const FILE_GONE = message('not_found.file_is_gone')
/** The maximum length of a result in a list, as JSON. A result with a diff may be long. */
const SMALL_RESULT = 2_000

const DRY_RUN: JsonSchema = {
  type: 'boolean',
  default: false,
  description: 'Whether to report only what would become of the records.',
}

const Composed = compose(ListModelMixin, RetrieveModelMixin)

export interface JobResourceParts {
  readonly checkAccessAgain: CheckAccessAgain
  readonly undo: UndoSurroundings
}

export function jobResource(
  jobs: Jobs,
  access: JobAccess,
  { checkAccessAgain, undo }: JobResourceParts,
): AnyResourceClass {
  const { jobs: model } = jobs.store.tables
  const { permissionClasses = [AllowAny] } = access
  setJobAccess(jobs, access)

  const inDetail = async (job: Job): Promise<JobData> => {
    const [errors, undoability] = await Promise.all([
      firstErrors(() => jobs.store.errors(job.id), ERRORS),
      undoabilityOf(job, undo),
    ])
    return { ...shownJob(jobs, job), errors, ...(undoability && { undo: undoability }) }
  }

  // Only the last event has the errors of rows, which may be a thousand.
  const show = (job: Job) => (hasEnded(job) ? inDetail(job) : shownJob(jobs, job))
  const events = new JobEvents(new JobFeeds(jobs, show))

  class JobViewSet extends Composed({
    model,
    serializer: BaseModelSerializer(model, {
      name: 'Job',
      fields: [
        'id',
        'resource',
        'kind',
        'state',
        'progress',
        'message',
        'attempts',
        'isCancelRequested',
        'createdAt',
        'startedAt',
        'endedAt',
      ],
      extra: {
        user: ExpressionField({ expression: sql`${model.owner}`, type: 'text' }),
        file: ExpressionField({ expression: sql`${model.fileName}`, type: 'text' }),
        // The column `result` has more than clients see. `list` renames this field to `result`.
        resultData: ExpressionField({ expression: smallResult(model), type: 'json' }),
        resultFile: ExpressionField({ expression: sql`${model.result}->'file'->>'filename'`, type: 'text' }),
      },
    }),
    permissionClasses,
    allowUnpaginated: false,
    ordering: '-createdAt',
    orderingFields: ['createdAt', 'endedAt'],
    filterFields: { state: ['exact', 'in'], kind: ['exact', 'in'], resource: ['exact', 'in'] },
    describes: {
      description:
        'Imports, exports and undos in the background, newest first. Imports of models with a history are jobs as well.',
      record: jobSchema(),
      actions: {
        retrieve: {
          description: 'As an event stream, the job each time that it changes.',
          events: true,
          errors: { 429: 'The user has too many event streams open.' },
        },
      },
    },
    actions: {
      cancel: {
        method: 'POST',
        detail: true,
        // On a database with one writer, a transaction would wait for the job's transaction, which it is to end.
        writes: false,
        describes: {
          summary: 'Cancel a job',
          description: 'A waiting job stops at once, a running job between two chunks of its file.',
          data: jobSchema(),
          errors: { 409: 'The job has ended.' },
        },
        handler: async view => {
          const { id } = await view.getObject()
          return shownJob(jobs, await jobs.cancel(id))
        },
      },
      undo: {
        method: 'POST',
        detail: true,
        status: 202,
        input: z.strictObject({ dry_run: z.boolean().optional() }).optional(),
        describes: {
          summary: 'Undo an import',
          description:
            'A job brings the records back to what they were before the import, except for what was changed since, and ' +
            'reports each record.',
          query: { dry_run: DRY_RUN },
          data: jobSchema(),
          errors: {
            403: 'The user may not undo imports of the resource.',
            409: 'The job cannot be undone. The message says why.',
          },
        },
        handler: async (view, input) => {
          const dryRun = readOption(view.request, 'dry_run') || (input?.dry_run ?? false)
          return requestUndo(view, await view.getObject(), dryRun, undo)
        },
      },
      file: {
        method: 'GET',
        detail: true,
        describes: {
          summary: 'Download the file of a job',
          description: 'The file of an export, the failed rows of an import, or the report of an undo.',
          fileTypes: FILE_TYPES,
          errors: {
            401: 'The request has no valid credentials.',
            403: 'The user does not have the permission of the action that the job did.',
            409: 'The job has not ended.',
          },
        },
        handler: async view => {
          const job = await view.getObject()
          if (!hasEnded(job)) throw conflict(message('job_not_ended', { state: job.state }))
          await checkAccessAgain(job, view)
          const file = job.result?.file
          if (!file) throw new NotFound(message('not_found.file_of_job'))
          const { filename, contentType } = file
          return new Download({ filename, contentType, stream: await storedFile(jobs, job.id, file) })
        },
      },
    },
  }) {
    /** Users see their own jobs. An anonymous job is found by its id. */
    override async getQueryset(): Promise<QuerySet> {
      const all = await super.getQueryset()
      const { user } = this
      return (await seesAllJobs(access, this))
        ? all
        : all.filter(owned(model, user?.id, this.request.params.id !== undefined))
    }

    override async list() {
      const page = await super.list()
      return page.map(item => {
        const { result_data: result, progress, ...more } = item
        const shownItem = { ...more, result, progress: { ...progress, ...jobs.shownOf(item) } }
        return shownItem as object as typeof item
      })
    }

    override async retrieve() {
      const job = await this.getObject()
      // An event stream reads the errors by itself.
      const data = wantsEvents(this.request) ? shownJob(jobs, job) : await inDetail(job)
      return data as typeof data & { readonly result_data: unknown }
    }

    override async finalize(reply: Reply): Promise<Reply> {
      const { action, request, settings, user } = this
      if (action !== 'retrieve' || !wantsEvents(request)) return super.finalize(reply)
      const follower = { user: user && String(user.id), mostStreams: settings.JOBS.STREAMS_PER_USER }
      return events.of(await this.getObject(), request, follower)
    }
  }
  return JobViewSet as unknown as AnyResourceClass
}

function smallResult({ result }: JobTables['jobs']): SQL {
  const data = sql`${result}->'data'`
  return sql`case when length(cast(${data} as text)) <= ${sql.raw(String(SMALL_RESULT))} then ${data} end`
}

function owned(jobs: JobTables['jobs'], user: string | number | undefined, isOne: boolean): SQL {
  if (user !== undefined) return eq(jobs.owner, String(user))
  return isOne ? isNull(jobs.owner) : sql`false`
}

function shownJob(jobs: Jobs, job: Job): JobData {
  return jobData({ ...job, progress: { ...job.progress, ...jobs.shownOf(job) } })
}

/** @throws NotFound if the store has removed the file, and for a key that is not of this job */
async function storedFile({ files }: Jobs, id: string, { key }: JobFile): Promise<Readable> {
  // Another program may have changed the row.
  if (!isResultOf(id, key)) throw new NotFound(FILE_GONE)
  return files.get(key).catch(error => {
    throw error instanceof JobFileMissing ? new NotFound(FILE_GONE) : error
  })
}
