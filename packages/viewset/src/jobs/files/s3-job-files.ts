import { Readable } from 'node:stream'
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { ServiceUnavailable } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { isJobFileKey, JobFileMissing, type JobFiles, type StoredJobFile } from './job-files.ts'
import type { S3Options } from './s3-options.ts'

/** Two parts are in memory at a time. With at most 10,000 parts, a file may have 80 GB. */
const PARTS = { partSize: 8 * 1024 ** 2, queueSize: 2 }

export class S3JobFiles implements JobFiles {
  readonly #client: S3Client
  readonly #bucket: string
  readonly #prefix: string

  constructor(options: S3Options) {
    this.#client = s3Client(options)
    this.#bucket = options.bucket
    this.#prefix = options.prefix ?? ''
  }

  /** S3 shows a file only when all of its parts are stored. */
  async put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const source = new Source(bytes)
    const params = { ...this.#at(key), Body: Readable.from(source) }
    const upload = new Upload({ client: this.#client, params, ...PARTS })
    await upload.done().catch(error => {
      throw source.hasFailed ? error : unavailable(error)
    })
  }

  async get(key: string): Promise<Readable> {
    const { Body } = await this.#client.send(new GetObjectCommand(this.#at(key))).catch(error => {
      throw error instanceof NoSuchKey ? new JobFileMissing(key, error) : unavailable(error)
    })
    // In Node, `Body` is always a stream.
    return Body as Readable
  }

  async remove(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#at(key))).catch(error => {
      throw unavailable(error)
    })
  }

  async *list(): AsyncGenerator<StoredJobFile> {
    const pages = paginateListObjectsV2({ client: this.#client }, { Bucket: this.#bucket, Prefix: this.#prefix })
    while (true) {
      const page = await pages.next().catch(error => {
        throw unavailable(error)
      })
      if (page.done) return
      for (const { Key: name = '', LastModified: storedAt } of page.value.Contents ?? []) {
        const key = name.slice(this.#prefix.length)
        if (storedAt && isJobFileKey(key)) yield { key, storedAt }
      }
    }
  }

  #at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + key }
  }
}

/** Remembers whether reading the bytes failed, rather than the store. */
class Source implements AsyncIterable<Uint8Array> {
  hasFailed = false
  readonly #bytes: AsyncIterable<Uint8Array>

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#bytes = bytes
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#bytes
    } catch (error) {
      this.hasFailed = true
      throw error
    }
  }
}

function unavailable(error: unknown): ServiceUnavailable {
  return new ServiceUnavailable(message('service_unavailable.files'), 60, error)
}

/** Milliseconds. Without limits, a silent store would block a job forever. */
const LIMITS = { connectionTimeout: 5_000, socketTimeout: 60_000 }

export function s3Client({ region, endpoint, pathStyle, credentials }: S3Options): S3Client {
  const isOfOthers = endpoint !== undefined
  return new S3Client({
    requestHandler: LIMITS,
    forcePathStyle: pathStyle ?? isOfOthers,
    ...(region !== undefined && { region }),
    ...(credentials && { credentials }),
    // Such stores ignore the region, but the signature needs one. Some do not support the default checksums.
    ...(isOfOthers && {
      endpoint,
      region: region ?? 'us-east-1',
      requestChecksumCalculation: 'WHEN_REQUIRED' as const,
    }),
  })
}
