import type { User } from '../../core/context.ts'
import type { JobFiles } from '../../jobs/files/job-files.ts'
import type { JobQueue } from '../../jobs/queues/job-queue.ts'
import type { JobTables } from '../../model/job-tables.ts'
import type { JobAccess } from './job-viewset.ts'

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
