import { momentOfWrite } from '../../core/clock.ts'
import { uuidv7 } from '../../core/uuid.ts'
import type { ColumnKit } from '../kit.ts'
import type { JobOptions, JobProgress, JobRequest, JobResult, StoredRowError, StoredUser } from './job-columns.ts'

type JobTableKit = Pick<ColumnKit, 'table' | 'uuid' | 'text' | 'integer' | 'boolean' | 'json' | 'timestamp'> &
  Pick<ColumnKit, 'enumeration' | 'foreignKey' | 'index'>

export const JOB_KINDS = ['import', 'export', 'undo'] as const
export const JOB_STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const

/**
 * The tables of jobs: one with the jobs and one with row errors, a record for each part of a file that has errors. They
 * belong to the application and its migrations.
 */
export function jobTables(c: JobTableKit) {
  const jobs = c.table(
    'viewset_jobs',
    {
      id: c.uuid().primaryKey().$defaultFn(uuidv7),
      resource: c.text().notNull(),
      kind: c.enumeration(JOB_KINDS).notNull(),
      state: c.enumeration(JOB_STATES).notNull().default('queued'),
      owner: c.text(),
      userData: c.json().$type<StoredUser | null>(),
      request: c.json().$type<JobRequest>().notNull(),
      options: c.json().$type<JobOptions>().notNull(),
      fileName: c.text(),
      /**
       * SHA-256 of an imported file with its resource and its tenant, also of the undo of this import. `null` if the job
       * stores nothing.
       */
      fingerprint: c.text(64),
      progress: c.json().$type<JobProgress>().notNull(),
      message: c.text().notNull().default(''),
      result: c.json().$type<JobResult | null>(),
      attempts: c.integer().notNull().default(0),
      /** How often the process that ran the job ended since the job last stored something. */
      crashes: c.integer().notNull().default(0),
      worker: c.text(),
      workerSeenAt: c.timestamp(),
      isCancelRequested: c.boolean().notNull().default(false),
      /** Whether all that it writes has a history. Such a job is kept, since it can be undone. */
      hasHistory: c.boolean().notNull().default(false),
      /** Counts the changes that clients can see. */
      revision: c.integer().notNull().default(0),
      createdAt: c.timestamp().notNull().$defaultFn(momentOfWrite),
      startedAt: c.timestamp(),
      endedAt: c.timestamp(),
    },
    job => [c.index(job.owner, job.createdAt), c.index(job.state), c.index(job.fingerprint)],
  )
  const jobErrors = c.table(
    'viewset_job_errors',
    {
      id: c.uuid().primaryKey().$defaultFn(uuidv7),
      job: c.foreignKey(jobs, { onDelete: 'cascade' }).notNull(),
      /** In the order of storing. */
      part: c.integer().notNull(),
      errors: c.json().$type<readonly StoredRowError[]>().notNull(),
    },
    error => [c.index(error.job, error.part)],
  )
  return { jobs, jobErrors }
}

/** The tables of `JobTables()`. */
export type JobTables = ReturnType<typeof jobTables>
