import { momentOfWrite } from '../core/clock.ts'
import { uuidv7 } from '../core/uuid.ts'
import type { JobOptions, JobProgress, JobRequest, JobResult, StoredRowError, StoredUser } from './job-columns.ts'
import type { ColumnKit } from './kit.ts'

/** The columns that {@link jobTables} are made of. */
type JobTableKit = Pick<ColumnKit, 'table' | 'uuid' | 'text' | 'integer' | 'boolean' | 'json' | 'timestamp'> &
  Pick<ColumnKit, 'enumeration' | 'foreignKey' | 'index'>

/** What becomes of a job. */
export const JOB_STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const

/**
 * The tables of jobs: one with the jobs, and one with the errors of rows, a record for each part of a file that had any.
 * They are the application's, so they stand in its own migrations.
 */
export function jobTables(c: JobTableKit) {
  const jobs = c.table(
    'viewset_jobs',
    {
      id: c.uuid().primaryKey().$defaultFn(uuidv7),
      /** The name in the path of the resource that works on it. */
      resource: c.text().notNull(),
      kind: c.enumeration(['import', 'export']).notNull(),
      state: c.enumeration(JOB_STATES).notNull().default('queued'),
      /** The id of the user who asked for it, as text; null for nobody. */
      owner: c.text(),
      userData: c.json().$type<StoredUser | null>(),
      request: c.json().$type<JobRequest>().notNull(),
      options: c.json().$type<JobOptions>().notNull(),
      /** What the client called the file that it sent. */
      fileName: c.text(),
      progress: c.json().$type<JobProgress>().notNull(),
      message: c.text().notNull().default(''),
      result: c.json().$type<JobResult | null>(),
      attempts: c.integer().notNull().default(0),
      /** Times that the process which ran it has ended since something of it was stored last. */
      crashes: c.integer().notNull().default(0),
      /** Which worker has it, while it runs. */
      worker: c.text(),
      workerSeenAt: c.timestamp(),
      isCancelRequested: c.boolean().notNull().default(false),
      /** Counts the changes of what clients see. */
      revision: c.integer().notNull().default(0),
      createdAt: c.timestamp().notNull().$defaultFn(momentOfWrite),
      startedAt: c.timestamp(),
      endedAt: c.timestamp(),
    },
    job => [c.index(job.owner, job.createdAt), c.index(job.state)],
  )
  const jobErrors = c.table(
    'viewset_job_errors',
    {
      id: c.uuid().primaryKey().$defaultFn(uuidv7),
      job: c.foreignKey(jobs, { onDelete: 'cascade' }).notNull(),
      /** In the order in which they were stored. */
      part: c.integer().notNull(),
      errors: c.json().$type<readonly StoredRowError[]>().notNull(),
    },
    error => [c.index(error.job, error.part)],
  )
  return { jobs, jobErrors }
}

/** The tables that `JobTables()` of a kit makes. */
export type JobTables = ReturnType<typeof jobTables>
