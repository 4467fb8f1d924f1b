/** Who asked for a job, as `authenticate` returned it. */
export interface StoredUser {
  readonly id: string | number
}

/** The request that asked for a job, as far as it is kept. */
export interface JobRequest {
  readonly method: string
  readonly origin: string
  readonly url: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | readonly string[]>>
  /** The names of parameters that were sent, and that the action does not know. */
  readonly omittedParameters?: readonly string[]
  /** Those that the API keeps. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The names of those that it does not keep. */
  readonly omittedHeaders: readonly string[]
}

/** What was asked for, by its kind of job: on the wire as it is here. */
export type JobOptions = object

/** How far a job is, in rows: on the wire as it is here. */
export interface JobProgress {
  readonly processed: number
  /** Rows of the file or the list; `null` until they are counted. */
  readonly total: number | null
  readonly failed: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly skipped: number
  readonly deleted: number
}

/** What a job has made, and the file of it: on the wire as it is here, but for the file. */
export interface JobResult {
  readonly data: Readonly<Record<string, unknown>> | null
  readonly file: JobFile | null
}

/** A file that a job has made. */
export interface JobFile {
  /** Its name among the files of jobs. */
  readonly key: string
  readonly filename: string
  readonly contentType: string
}

/** An error of a row, with what a file of the failed rows needs of it. */
export interface StoredRowError {
  readonly row: number
  readonly field: string
  readonly column?: string
  readonly message: string
  readonly model: string
}
