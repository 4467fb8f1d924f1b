import type { Readable } from 'node:stream'
import { checkJobFileKey, type JobFiles, type StoredJobFile } from './job-files.ts'
import type { S3JobFiles } from './s3-job-files.ts'
import { checkS3Options, type S3Options } from './s3-options.ts'

/**
 * Stores the files of jobs in a bucket of S3 or a compatible store, for jobs on several machines. Needs the packages
 * `@aws-sdk/client-s3` and `@aws-sdk/lib-storage`.
 *
 * @throws ConfigError for wrong options, and if a package is missing
 * @example
 * const files = s3({ bucket: 'shop-jobs', endpoint: 'https://minio.example.org:9000', credentials })
 */
export function s3(options: S3Options): JobFiles {
  checkS3Options(options)
  let opened: Promise<S3JobFiles> | undefined
  // Loading the library takes 0.1 s, so it waits for the first use.
  const open = () => {
    opened ??= import('./s3-job-files.ts').then(({ S3JobFiles }) => new S3JobFiles(options))
    return opened
  }
  return {
    async put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
      checkJobFileKey(key)
      await (await open()).put(key, bytes)
    },
    async get(key: string): Promise<Readable> {
      checkJobFileKey(key)
      return (await open()).get(key)
    },
    async remove(key: string): Promise<void> {
      checkJobFileKey(key)
      await (await open()).remove(key)
    },
    async *list(): AsyncGenerator<StoredJobFile> {
      yield* (await open()).list()
    },
  }
}
