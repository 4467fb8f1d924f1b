import type { ImportRowError } from '../importing/result.ts'
import type { ImportTally } from '../importing/tally.ts'
import type { JobFile, JobProgress } from '../model/job-columns.ts'
import type { Job } from './job-store.ts'

/** What a kind of job can do while it runs. */
export interface JobRun {
  readonly job: Job
  /** Aborts when the job is to stop: cancelled, or its worker ends. */
  readonly signal: AbortSignal
  /** Stores how far the job is; in a transaction, together with what that stores. @throws JobTaken */
  save(tally: ImportTally, errors: readonly ImportRowError[]): Promise<void>
  /** Ends the job; in a transaction, together with what that stores. @throws JobTaken */
  end(outcome: JobOutcome): Promise<void>
  /** How many rows there will be. */
  count(total: number): Promise<void>
  /** Shows how far a job is that stores nothing before its end. */
  show(tally: Partial<JobProgress>): void
}

/** What a job has come to. */
export interface JobOutcome {
  readonly message: string
  /** On the wire as it is here. */
  readonly data: Readonly<Record<string, unknown>> | null
  readonly file: JobFile | null
  /** The final figures, where they are others than those that were saved. */
  readonly progress?: Partial<JobProgress>
  /** Errors that were not saved on the way: of a run that was rolled back. */
  readonly errors?: AsyncIterable<readonly ImportRowError[]> | Iterable<readonly ImportRowError[]>
}

/** Does the work of a kind of job and ends it; called again, it goes on behind what is saved. */
export type JobWork = (run: JobRun) => Promise<void>
