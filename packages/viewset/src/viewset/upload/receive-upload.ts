import { join } from 'node:path'
import { ApiError } from '../../core/errors.ts'
import type { ApiRequest } from '../../core/request.ts'
import { removeFolder, storageError, temporaryFolder } from '../../importing/read/temporary-folder.ts'
import { checkLength, type Parts, type PartsLimits, readParts } from './read-parts.ts'

/** What a client has sent, with the file on disk. */
export interface Upload extends Parts {
  /** Where the file is: under a name of our own making, in a folder of its own. */
  readonly path: string
  /** Removes the file. */
  remove(): Promise<void>
}

/**
 * Reads a `multipart/form-data` body, whose file goes to disk while it arrives.
 *
 * @throws ApiError 400, 408, 413 or 415, and 503 when the file cannot be stored; nothing is left on disk then
 */
export async function receiveUpload({ headers, bodyStream }: ApiRequest, limits: PartsLimits): Promise<Upload> {
  const contentType = String(headers['content-type'] ?? '').trim()
  if (bodyStream === null || !/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw new ApiError(415, 'unsupported_media_type', 'Send the file as multipart/form-data.')
  }
  checkLength(Number(headers['content-length'] ?? 0), limits.maxFileSize)
  const folder = await temporaryFolder('upload')
  try {
    const path = join(folder, 'upload')
    const parts = await readParts(bodyStream, contentType, { path, ...limits })
    return { path, ...parts, remove: () => removeFolder(folder) }
  } catch (error) {
    await removeFolder(folder)
    throw storageError(error, folder)
  }
}
