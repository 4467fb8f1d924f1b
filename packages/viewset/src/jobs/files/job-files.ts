import type { Readable } from 'node:stream'

/**
 * The store for files of jobs: uploads until they are imported, results until they are fetched. Keys are words of
 * lower-case letters, digits and hyphens with slashes between them.
 *
 * @example
 * const files: JobFiles = process.env.BUCKET ? s3({ bucket: process.env.BUCKET }) : folder('data/jobs')
 */
export interface JobFiles {
  /** Stores or replaces a file. `get` never finds a part of it. */
  put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * The file's bytes.
   *
   * @throws JobFileMissing
   */
  get(key: string): Promise<Readable>
  /** A missing file is not an error. */
  remove(key: string): Promise<void>
  /** All keys with the time at which they were stored. */
  list(): AsyncIterable<StoredJobFile>
  /**
   * Called when an API is created.
   *
   * @throws ConfigError if no file can be stored here
   */
  check?(): void
}

/** A file in the list of all files. */
export interface StoredJobFile {
  readonly key: string
  readonly storedAt: Date
}

/** No file has this key: it was removed, or is stored elsewhere. */
export class JobFileMissing extends Error {
  override readonly name = 'JobFileMissing'
  readonly key: string

  constructor(key: string, cause?: unknown) {
    super(`There is no file of a job with the key ${key}.`, { cause })
    this.key = key
  }
}

const KEY = /^[a-z0-9-]+(?:\/[a-z0-9-]+)*$/

export function isJobFileKey(name: string): boolean {
  return KEY.test(name)
}

/** @throws TypeError for a key that could leave the store's folder. */
export function checkJobFileKey(key: string): void {
  if (!isJobFileKey(key)) throw new TypeError(`${JSON.stringify(key)} cannot be the key of a file of a job.`)
}

const OF_A_JOB = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(upload|result|failed)$/

export function jobFileKey(id: string, part: 'upload' | 'result' | 'failed'): string {
  return `${id}/${part}`
}

/** `undefined` for a file that is not of a job. */
export function jobOfFile(key: string): { readonly id: string; readonly isUpload: boolean } | undefined {
  const [, id, part] = OF_A_JOB.exec(key) ?? []
  return id === undefined ? undefined : { id, isUpload: part === 'upload' }
}

export function isResultOf(id: string, key: unknown): boolean {
  return key === jobFileKey(id, 'result') || key === jobFileKey(id, 'failed')
}
