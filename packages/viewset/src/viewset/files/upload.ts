import { join } from 'node:path'
import { ApiError, ValidationError } from '../../core/errors.ts'
import { errorCode, message } from '../../core/messages/message.ts'
import type { ApiRequest } from '../../core/request.ts'
import { removeFolder, storageError, temporaryFolder } from '../../tabular/temporary-folder.ts'
import type { ViewContext } from '../view.ts'
import { checkLength, type Parts, readParts } from './read-parts.ts'

/** A client's parts, with the file on disk. */
export interface Upload extends Parts {
  /** A generated name in a new folder. */
  readonly path: string
  remove(): Promise<void>
}

/** Uploads that were received before their action, which may run several times. */
const held = new WeakMap<ApiRequest, Upload>()

type UploadRequest = Pick<ViewContext, 'request' | 'settings'>

/** Receives an upload before its action. `undefined` if the request has none. The caller removes the file. */
export async function holdUpload(view: UploadRequest): Promise<Upload | undefined> {
  if (view.request.bodyStream === null) return undefined
  const upload = await receive(view)
  held.set(view.request, { ...upload, remove: async () => {} })
  return upload
}

/** @throws ApiError 400, 408, 413 or 415, and 503 if the file cannot be stored. No file is left then. */
export async function receiveUpload(view: UploadRequest): Promise<Upload> {
  return held.get(view.request) ?? receive(view)
}

async function receive({ request: { headers, bodyStream }, settings }: UploadRequest): Promise<Upload> {
  const { IMPORT_MAX_FILE_SIZE: maxFileSize, STALL_TIMEOUT: stallTimeout, UPLOAD_TIMEOUT: timeout } = settings.COMMON
  const limits = { maxFileSize, stallTimeout, timeout }
  const contentType = String(headers['content-type'] ?? '').trim()
  if (bodyStream === null || !/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw new ApiError(415, 'unsupported_media_type', message('unsupported_media_type.multipart'))
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

export async function thenRemove<T>(
  request: ApiRequest,
  remove: () => Promise<void>,
  fn: () => Promise<T>,
): Promise<T> {
  try {
    return await fn()
  } catch (error) {
    throw request.signal?.aborted ? new ValidationError(message('malformed.closed')) : error
  } finally {
    await remove()
  }
}

/** The name of the resource in the path. Two resources may share a table, but not a path. */
export function resourceName({ path }: ApiRequest): string {
  return decodeURIComponent(path.split('/').filter(Boolean).at(-2) ?? '')
}

/** Names the template in an error of the file. It is no remedy for a file that was exported for editing. */
export function withTemplate(error: unknown, { origin, path }: ApiRequest): unknown {
  if (!(error instanceof ValidationError && error.fieldErrors?.file)) return error
  if (error.fieldErrors.file.some(text => errorCode(text) === 'invalid_edit_file')) return error
  const address = origin + path.replace(/import-from-file\/?$/, 'import-template/')
  return new ValidationError(error.fieldErrors, message('template_is_at', { problem: error.text, address }))
}
