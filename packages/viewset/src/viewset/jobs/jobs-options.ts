import type { User } from '../../core/context.ts'
import type { JobFiles } from '../../jobs/files/job-files.ts'
import type { JobQueue } from '../../jobs/queues/job-queue.ts'
import type { JobTables } from '../../model/job-tables.ts'
import type { JobAccess } from './job-viewset.ts'

/** How an API works in the background. */
export interface JobsOptions extends JobAccess {
  /** The tables that `JobTables()` of the kit has made: `{ jobs, jobErrors }`. */
  readonly tables: JobTables
  /** Where files lie until they are imported or fetched. Default: the folder `data/jobs` below the working directory. */
  readonly files?: JobFiles
  /** Who hands jobs out. Default: this process, two at a time. */
  readonly queue?: JobQueue
  /** Whether this process runs jobs as well. Default true; false where workers of their own do. */
  readonly work?: boolean
  /**
   * Who a user is by now, by the id as text; `null` for one that is no more. Default: who asked for a job is as
   * `authenticate` said then.
   */
  readonly findUser?: (id: string) => User | null | Promise<User | null>
  /** Headers of a request that its job may read as well, such as that of a tenant. Default: none. */
  readonly headers?: readonly string[]
}
