import type { ImportRowError, ImportRowProblem } from '../importing/result.ts'
import type { ImportTally } from '../importing/tally.ts'
import type { JobFile, JobProgress } from '../model/tables/job-columns.ts'
import type { Job } from './job-store.ts'

export interface JobRun {
  readonly job: Job
  /** Aborts if the job is cancelled or its worker ends. */
  readonly signal: AbortSignal
  /** Stores progress, within the current transaction if there is one. @throws JobTaken */
  save(tally: ImportTally, problems: readonly ImportRowProblem[]): Promise<void>
  /** Ends the job, within the current transaction if there is one. @throws JobTaken */
  end(outcome: JobOutcome): Promise<void>
  count(total: number): Promise<void>
  show(tally: Partial<JobProgress>): void
}

export interface JobOutcome {
  readonly message: string
  readonly data: Readonly<Record<string, unknown>> | null
  readonly file: JobFile | null
  /** The final figures, if they differ from the stored progress. */
  readonly progress?: Partial<JobProgress>
  /** Errors that were not stored yet, because their transaction was rolled back. */
  readonly errors?: AsyncIterable<readonly ImportRowError[]> | Iterable<readonly ImportRowError[]>
}

/** Does the work of a kind of job and ends it. If called again, it continues after the stored progress. */
export type JobWork = (run: JobRun) => Promise<void>
