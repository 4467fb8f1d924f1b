import type { Readable } from 'node:stream'

/**
 * Where the files of jobs lie: uploads until they are imported, results until they are fetched. Keys are made by us:
 * words of small letters, digits and hyphens with slashes between them.
 *
 * @example
 * const files: JobFiles = process.env.BUCKET ? s3({ bucket: process.env.BUCKET }) : folder('data/jobs')
 */
export interface JobFiles {
  /** Stores a file in place of what has its key: all of it, or nothing that `get` finds. */
  put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * The file's bytes.
   *
   * @throws JobFileMissing when there is none
   */
  get(key: string): Promise<Readable>
  /** That there is none is no error. */
  remove(key: string): Promise<void>
  /** All keys with the time at which they were put. */
  list(): AsyncIterable<StoredJobFile>
  /**
   * Called when an API is made, before its first request.
   *
   * @throws ConfigError if no file can be stored here
   */
  check?(): void
}

/** A file of a job, as a list of all shows it. */
export interface StoredJobFile {
  readonly key: string
  readonly storedAt: Date
}

/** There is no file with this key: it was removed, or is not stored where this process looks. */
export class JobFileMissing extends Error {
  override readonly name = 'JobFileMissing'
  readonly key: string

  constructor(key: string, cause?: unknown) {
    super(`There is no file of a job with the key ${key}.`, { cause })
    this.key = key
  }
}

const KEY = /^[a-z0-9-]+(?:\/[a-z0-9-]+)*$/

/** Whether a name in a store is the key of a file of ours. */
export function isJobFileKey(name: string): boolean {
  return KEY.test(name)
}

/** @throws TypeError for what could lead out of the place that a store is for. */
export function checkJobFileKey(key: string): void {
  if (!isJobFileKey(key)) throw new TypeError(`${JSON.stringify(key)} cannot be the key of a file of a job.`)
}

const OF_A_JOB = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(upload|result|failed)$/

/** The name of a file among those of all jobs. */
export function jobFileKey(id: string, part: 'upload' | 'result' | 'failed'): string {
  return `${id}/${part}`
}

/** The job that a file is of, and whether it is an upload; `undefined` for what others keep in the same place. */
export function jobOfFile(key: string): { readonly id: string; readonly isUpload: boolean } | undefined {
  const [, id, part] = OF_A_JOB.exec(key) ?? []
  return id === undefined ? undefined : { id, isUpload: part === 'upload' }
}

/** Whether a key is that of a file which the job has made. */
export function isResultOf(id: string, key: unknown): boolean {
  return key === jobFileKey(id, 'result') || key === jobFileKey(id, 'failed')
}
