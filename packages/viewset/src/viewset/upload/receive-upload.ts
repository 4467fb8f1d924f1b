import { join } from 'node:path'
import { ApiError } from '../../core/errors.ts'
import type { ApiRequest } from '../../core/request.ts'
import { removeFolder, temporaryFolder } from '../../importing/temporary-folder.ts'
import { checkLength, type Parts, readParts } from './read-parts.ts'

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
 * @param maxFileSize in bytes
 * @throws ApiError 400, 413 or 415; nothing is left on disk then
 */
export async function receiveUpload({ headers, bodyStream }: ApiRequest, maxFileSize: number): Promise<Upload> {
  const contentType = String(headers['content-type'] ?? '').trim()
  if (bodyStream === null || !/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw new ApiError(415, 'unsupported_media_type', 'Send the file as multipart/form-data.')
  }
  checkLength(Number(headers['content-length'] ?? 0), maxFileSize)
  const folder = await temporaryFolder('viewset-upload-')
  try {
    const path = join(folder, 'upload')
    const parts = await readParts(bodyStream, contentType, { path, maxFileSize })
    return { path, ...parts, remove: () => removeFolder(folder) }
  } catch (error) {
    await removeFolder(folder)
    throw error
  }
}
